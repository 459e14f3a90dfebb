"""A sheet of pictures of a family's tasks, for its page; a golden file as those of golden.py."""

import os
import pathlib
from typing import Any

import numpy as np
from PIL import Image

import parallel_pool
from parallel_pool.testing import golden

_STEPS = 12
_SEED = 42
_WIDTH = 900  # width of the sheet, in pixels
_GAP = 10  # gap between pictures, in pixels

Frame = np.ndarray[Any, Any]


def check(family: str) -> None:
    """AssertionError if golden/pictures.png differs from the tasks; `bazel run` writes it first."""
    made = sheet(frames(golden.tasks(family)))
    source = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    path = pathlib.Path(source or "", "parallel_pool/envs", family, "golden/pictures.png")
    if source:
        made.save(path, optimize=True)
    with Image.open(path) as kept:
        old, new = np.array(kept.convert("RGB")), np.array(made.convert("RGB"))
    rewrite = f"tools/bazel.sh run //parallel_pool/envs/{family}:golden_test rewrites it"
    assert old.shape == new.shape, f"{path} is {old.shape}, and now {new.shape}; {rewrite}"
    rows, columns = np.nonzero((old != new).any(2))
    assert not len(rows), (
        f"{path} differs in {len(rows)} pixels, in rows {rows.min()} to {rows.max()} and columns "
        f"{columns.min()} to {columns.max()}; {rewrite}"
    )


def frames(task_ids: list[str]) -> list[Frame]:
    """One picture for each task that can draw, without those that look the same."""
    found: list[Frame] = []
    for task_id in task_ids:
        if "rgb_array" not in parallel_pool.make_gymnasium(task_id).metadata["render_modes"]:
            continue
        frame = _play(task_id)
        if not any(np.array_equal(frame, other) for other in found):
            found.append(frame)
    return found


def _play(task_id: str) -> Frame:
    """The picture of an env after some random steps."""
    random = np.random.default_rng(_SEED)
    with parallel_pool.make_gymnasium(task_id, seed=_SEED, render_mode="rgb_array") as pool:
        pool.reset()
        for _ in range(_STEPS):
            pool.step(golden.random_action(pool, random))
        frame: Frame = pool.render()[0]
        return frame


def sheet(pictures: list[Frame]) -> Image.Image:
    """All pictures at half their size, in lines, with few colors so that the file is small."""
    places = []
    x = y = below = 0
    for picture in pictures:
        height, width = picture.shape[0] // 2, picture.shape[1] // 2
        if x + width > _WIDTH:
            x, y = 0, below
        places.append((x, y))
        x += width + _GAP
        below = max(below, y + height + _GAP)
    image = Image.new("RGB", (_WIDTH, below), "white")
    for picture, place in zip(pictures, places, strict=True):
        image.paste(Image.fromarray(picture).reduce(2), place)
    return image.quantize(64, dither=Image.Dither.NONE)
