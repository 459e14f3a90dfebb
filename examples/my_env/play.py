"""Plays KeepUp-v0 at random, then with a paddle that follows the ball."""

from typing import Any

import numpy as np

import parallel_pool

print(parallel_pool.load("my_env.so"))


def hits(follow: bool) -> Any:
    """The hits of 100 envs in 1000 steps each."""
    rng = np.random.default_rng(0)
    with parallel_pool.make("KeepUp-v0", num_envs=100, paddle_width=0.2) as env:
        obs, info = env.reset()
        total = 0.0
        for _ in range(1000):
            ball, paddle = obs[:, 0], obs[:, 4]
            action = (
                1 + np.sign(np.round(ball - paddle, 1)) if follow else rng.integers(3, size=100)
            )
            obs, reward, terminated, truncated, info = env.step(action.astype(int))
            total += reward.sum()
        return total


print(f"random: {hits(follow=False):.0f} hits, following the ball: {hits(follow=True):.0f}")
