"""Writes a GIF of many robots at once, moved by random actions.

Usage: mujoco_video.py [--tasks Ant-v5 Hopper-v5 ...] [--num-envs N] [--steps N] [--out FILE]
"""

import argparse
import math

import numpy as np
import numpy.typing as npt
from PIL import Image
from tqdm import tqdm

import parallel_pool

TASKS = ("Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Humanoid-v5", "Swimmer-v5", "Walker2d-v5")
FRAMES_PER_SECOND = 20

UInt8 = npt.NDArray[np.uint8]


def tile(frames: UInt8, columns: int) -> Image.Image:
    """Draws n frames of shape (n, 3, height, width), as of from_pixels, side by side."""
    n, colors, height, width = frames.shape
    rows = math.ceil(n / columns)
    sheet = np.zeros((rows * columns, colors, height, width), np.uint8)
    sheet[:n] = frames
    grid = sheet.reshape(rows, columns, colors, height, width).transpose(0, 3, 1, 4, 2)
    return Image.fromarray(grid.reshape(rows * height, columns * width, colors))


def play(tasks: list[str], num_envs: int, steps: int, seed: int, size: int) -> list[UInt8]:
    """Steps `num_envs` envs of each task; returns the pictures of all envs for each step."""
    pools = [
        parallel_pool.make(
            task,
            num_envs=num_envs,
            seed=seed,
            from_pixels=True,
            render_width=size,
            render_height=size,
            render_quality="fast",
        )
        for task in tasks
    ]
    rng = np.random.default_rng(seed)
    video = []
    for pool in pools:
        pool.reset()
    for _ in tqdm(range(steps), desc="playing", unit="step", disable=None, leave=False):
        for pool in pools:  # all tasks run, and are drawn, at the same time
            space = pool.action_space
            action = rng.uniform(space.low, space.high, (num_envs, *space.shape))
            pool.send(action.astype(np.float32))
        video.append(np.concatenate([pool.recv()[0] for pool in pools]))
    for pool in pools:
        pool.close()
    return video


def main() -> None:
    """Plays the tasks of the command line and writes the GIF."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), help="ids of MuJoCo tasks")
    parser.add_argument("--num-envs", type=int, default=2, help="envs of each task")
    parser.add_argument("--steps", type=int, default=100, help="frames of the video")
    parser.add_argument("--size", type=int, default=160, help="size of a tile, in pixels")
    parser.add_argument("--columns", type=int, default=4, help="tiles side by side")
    parser.add_argument("--seed", type=int, default=0, help="seed of the envs and of the actions")
    parser.add_argument("--out", default="mujoco.gif", help="the GIF")
    args = parser.parse_args()
    for name in ("num_envs", "steps", "size", "columns"):
        if getattr(args, name) < 1:
            parser.error(f"--{name.replace('_', '-')} must be at least 1")

    video = play(args.tasks, args.num_envs, args.steps, args.seed, args.size)
    first, *others = (tile(frames, args.columns) for frames in video)
    first.save(
        args.out,
        save_all=True,
        append_images=others,
        duration=1000 / FRAMES_PER_SECOND,
        loop=0,
    )
    print(f"wrote {args.out}: {len(video)} frames of {first.width} x {first.height} pixels")


if __name__ == "__main__":
    main()
