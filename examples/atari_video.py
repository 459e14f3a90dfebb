"""Writes a GIF of many Atari games at once, played by random actions.

Usage: atari_video.py [--games Pong-v5 Breakout-v5 ...] [--num-envs N] [--steps N] [--out FILE]
"""

import argparse
import math

import numpy as np
import numpy.typing as npt
from PIL import Image
from tqdm import tqdm

import parallel_pool

GAMES = ("Pong-v5", "Breakout-v5", "MsPacman-v5", "SpaceInvaders-v5", "Seaquest-v5", "Qbert-v5")
GAP = 4  # between tiles, in pixels
SCREENS_PER_SECOND = 60  # frames per second of the console

UInt8 = npt.NDArray[np.uint8]


def tile(frames: list[UInt8], columns: int) -> Image.Image:
    """Draws frames of shape (height, width, 3) side by side; lower ones get a black margin."""
    height = max(len(frame) for frame in frames) + GAP
    width = max(frame.shape[1] for frame in frames) + GAP
    rows = math.ceil(len(frames) / columns)
    sheet = np.zeros((rows * height, columns * width, 3), np.uint8)
    for k, frame in enumerate(frames):
        top, left = k // columns * height, k % columns * width
        sheet[top : top + len(frame), left : left + frame.shape[1]] = frame
    return Image.fromarray(sheet)


def play(
    games: list[str], num_envs: int, steps: int, seed: int, frame_skip: int
) -> list[list[UInt8]]:
    """Steps `num_envs` envs of each game; returns the frames of each step."""
    pools = [
        parallel_pool.make(
            game, num_envs=num_envs, seed=seed, frame_skip=frame_skip, render_mode="rgb_array"
        )
        for game in games
    ]
    rng = np.random.default_rng(seed)
    video = []
    for pool in pools:
        pool.reset()
    for _ in tqdm(range(steps), desc="playing", unit="step", disable=None, leave=False):
        for pool in pools:  # all games run at the same time
            pool.send(rng.integers(pool.action_space.n, size=num_envs))
        for pool in pools:
            pool.recv()
        video.append([frame for pool in pools for frame in pool.render()])
    for pool in pools:
        pool.close()
    return video


def main() -> None:
    """Plays the games of the command line and writes the GIF."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=list(GAMES), help="ids of Atari tasks")
    parser.add_argument("--num-envs", type=int, default=2, help="envs of each game")
    parser.add_argument("--steps", type=int, default=150, help="frames of the video")
    parser.add_argument(
        "--frame-skip", type=int, default=4, help="frames of the console for each step"
    )
    parser.add_argument("--columns", type=int, default=4, help="tiles side by side")
    parser.add_argument("--seed", type=int, default=0, help="seed of the envs and of the actions")
    parser.add_argument("--out", default="atari.gif", help="the GIF")
    args = parser.parse_args()
    for name in ("num_envs", "steps", "frame_skip", "columns"):
        if getattr(args, name) < 1:
            parser.error(f"--{name.replace('_', '-')} must be at least 1")

    video = play(args.games, args.num_envs, args.steps, args.seed, args.frame_skip)
    first, *others = (tile(frames, args.columns) for frames in video)
    first.save(
        args.out,
        save_all=True,
        append_images=others,
        duration=1000 * args.frame_skip / SCREENS_PER_SECOND,
        loop=0,
    )
    print(f"wrote {args.out}: {len(video)} frames of {first.width} x {first.height} pixels")


if __name__ == "__main__":
    main()
