"""Plays Atari Pong in many envs at once, sync and async; prints the speed and writes demo.png.

Usage: demo.py [--seconds S] [--out FILE]
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont
from tqdm import tqdm

import parallel_pool

TASK = "Pong-v5"
FRAME_SKIP = 4  # the task repeats each action for this number of frames of the game
WARM_UP = 20  # calls before the clock starts

# The contact sheet, in pixels.
COLUMNS, ROWS = 5, 3
ZOOM = 2
TILE = 84 * ZOOM
STRIP = TILE // 4
LABEL = 22
GAP = 14
BACKGROUND, TEXT, DIM = (17, 19, 26), (236, 239, 244), (136, 144, 160)
# Colors of pixels that have changed since each frame before the newest, oldest frame first.
TRAILS = ((94, 79, 162), (213, 62, 79), (253, 174, 97))

UInt8 = npt.NDArray[np.uint8]


class Scores:
    """The score of each env's current game and its length in steps."""

    def __init__(self, num_envs: int) -> None:
        """Begins a game in each env."""
        self.score = np.zeros(num_envs, int)
        self.steps = np.zeros(num_envs, int)

    def add(self, reward: npt.NDArray[np.float32], done: npt.NDArray[np.bool_]) -> None:
        """Counts one step of every env; the step after the end of a game begins the next."""
        self.score += reward.astype(int)
        self.steps += 1
        self.score[done] = 0
        self.steps[done] = 0


def measure(name: str, seconds: float, step: Callable[[], int]) -> None:
    """Calls step(), which returns its number of env steps, for `seconds`; prints the speed."""
    for _ in range(WARM_UP):
        step()
    steps = 0
    passed = 0.0
    start = time.perf_counter()
    bar_format = "{desc}: {percentage:3.0f}%|{bar:30}|{postfix}"
    with tqdm(desc=name, total=seconds, bar_format=bar_format, disable=None, leave=False) as bar:
        while passed < seconds:
            steps += step()
            before, passed = passed, time.perf_counter() - start
            bar.set_postfix_str(f"{steps * FRAME_SKIP / passed:,.0f} frames/s", refresh=False)
            bar.update(min(passed, seconds) - before)
    rate = steps / passed
    print(
        f"{name}: {rate * FRAME_SKIP:,.0f} frames/s of the game"
        f" ({rate:,.0f} env steps/s, each of {FRAME_SKIP} frames)",
        flush=True,
    )


def play_sync(seconds: float) -> tuple[UInt8, Scores]:
    """Steps 100 envs together; returns the last observations and the scores."""
    rng = np.random.default_rng(0)
    scores = Scores(100)
    with parallel_pool.make(TASK, env_type="gymnasium", num_envs=100) as env:
        last: dict[str, Any] = {"obs": env.reset()[0]}

        def step() -> int:
            action = rng.integers(env.action_space.n, size=100)
            last["obs"], reward, terminated, truncated, _ = env.step(action)
            scores.add(reward, terminated | truncated)
            return 100

        measure("sync, 100 envs", seconds, step)
    return last["obs"], scores


def play_async(seconds: float) -> None:
    """Steps the 16 of 64 envs that are ready first."""
    rng = np.random.default_rng(0)
    with parallel_pool.make(TASK, env_type="gymnasium", num_envs=64, batch_size=16) as env:
        env.async_reset()

        def step() -> int:
            info = env.recv()[4]
            env.send(rng.integers(env.action_space.n, size=16), info["env_id"])
            return 16

        measure("async, 64 envs, batches of 16", seconds, step)


def draw_tile(frames: UInt8) -> Image.Image:
    """Draws a stack of frames, oldest first: the newest with colored trails, above all four."""
    newest = frames[-1].astype(int)
    picture = np.repeat(frames[-1][:, :, None], 3, axis=2)
    for old, color in zip(frames[:-1], TRAILS, strict=True):
        picture[old.astype(int) - newest > 24] = color
    tile = Image.new("RGB", (TILE, TILE + STRIP), BACKGROUND)
    tile.paste(Image.fromarray(picture).resize((TILE, TILE), Image.Resampling.NEAREST))
    for k, frame in enumerate(frames):
        small = Image.fromarray(frame).resize((STRIP - 2, STRIP - 2), Image.Resampling.BOX)
        tile.paste(small.convert("RGB"), (k * STRIP + 1, TILE + 2))
    return tile


def draw_sheet(obs: UInt8, scores: Scores) -> Image.Image:
    """Draws a sheet of envs, from the best score to the worst."""
    width = GAP + COLUMNS * (TILE + GAP)
    height = 3 * GAP + LABEL + ROWS * (TILE + STRIP + LABEL + GAP)
    sheet = Image.new("RGB", (width, height), BACKGROUND)
    pen = ImageDraw.Draw(sheet)
    font, title = ImageFont.load_default(13), ImageFont.load_default(18)
    heading = f"{TASK}: {ROWS * COLUMNS} of {len(obs)} envs, random actions"
    pen.text((GAP, GAP), heading, TEXT, title)
    caption = "colors: the three frames before    strip: the stack that the agent sees"
    pen.text((width - GAP, GAP + 4), caption, DIM, font, anchor="ra")

    ranked = np.argsort(-scores.score, kind="stable")
    shown = ranked[np.linspace(0, len(ranked) - 1, ROWS * COLUMNS).astype(int)]
    for k, env in enumerate(shown):
        x = GAP + k % COLUMNS * (TILE + GAP)
        y = 2 * GAP + LABEL + k // COLUMNS * (TILE + STRIP + LABEL + GAP)
        pen.text((x, y), f"env {env}   step {scores.steps[env]}", DIM, font)
        pen.text((x + TILE, y), f"score {scores.score[env]:+d}", TEXT, font, anchor="ra")
        sheet.paste(draw_tile(obs[env]), (x, y + LABEL))
    return sheet


def main() -> None:
    """Plays both parts and draws the contact sheet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="seconds of each of the two parts"
    )
    parser.add_argument("--out", default="demo.png", help="the contact sheet")
    args = parser.parse_args()

    print(f"parallel_pool {parallel_pool.__version__}: {TASK}, random actions", flush=True)
    obs, scores = play_sync(args.seconds)
    play_async(args.seconds)
    draw_sheet(obs, scores).save(args.out)
    print(f"wrote {args.out}")


if __name__ == "__main__":
    main()
