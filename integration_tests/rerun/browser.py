"""The viewer's page in a browser: `browser.py FILE.png` takes the picture of docs/view.md."""

import pathlib
import sys
import tempfile
import time
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright
from readback import play

import parallel_pool
from parallel_pool.integrations.rerun import to_rerun, viewer

CHROMIUM = "/usr/bin/chromium"
POLE = (202, 152, 101)  # the color of CartPole's pole
_FLOOR = (225, 255, 225)  # of light squares of MuJoCo's floor

_SIZE: Any = {"width": 1280, "height": 800}
_SECONDS = 60.0
# It draws by the processor, so that it needs no GPU.
_OPTIONS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--use-angle=swiftshader"]


def count(picture: Any, color: tuple[int, int, int]) -> int:
    """The number of pixels of nearly this color."""
    return int((np.abs(picture.astype(int) - color).max(axis=2) < 8).sum())


def shoot(page_url: str, out: pathlib.Path, color: tuple[int, int, int]) -> Any:
    """Saves what the page shows as soon as it has a color; returns it as an array."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_OPTIONS)
        page = browser.new_page(viewport=_SIZE)
        page.goto(f"{page_url}&renderer=webgl")
        end = time.monotonic() + _SECONDS
        while True:
            time.sleep(2.0)
            page.screenshot(path=out)
            picture = np.asarray(Image.open(out).convert("RGB"))
            if count(picture, color) > 100 or time.monotonic() > end:
                browser.close()
                return picture


def main() -> None:
    """Takes the picture of a short run."""
    with tempfile.TemporaryDirectory() as folder:
        run, file = (pathlib.Path(folder, f"run.{ending}") for ending in ("ppr", "rrd"))
        with parallel_pool.make("Ant-v5", num_envs=1, seed=3) as pool, pool.record(run):
            play(pool, 100)
        to_rerun(run, file, pictures=5)
        with viewer.served(str(file)) as server:
            picture = shoot(server.page, pathlib.Path(folder, "page.png"), _FLOOR)
    small = Image.fromarray(picture).quantize(64, dither=Image.Dither.NONE)
    small.save(sys.argv[1], optimize=True)


if __name__ == "__main__":
    main()
