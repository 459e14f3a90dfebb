"""Comparison of results, for the tests of all libraries."""

from typing import Any

import numpy as np

import parallel_pool


def same(a: Any, b: Any, where: str = "") -> None:
    """Asserts equal types and values, bit for bit, of nested containers and arrays."""
    assert type(a) is type(b), where
    if isinstance(b, dict):
        assert set(a) == set(b), (where, set(a) ^ set(b))
        for key in b:
            same(a[key], b[key], f"{where}[{key!r}]")
    elif isinstance(b, list | tuple):
        assert len(a) == len(b), where
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"{where}[{i}]")
    elif isinstance(b, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), where
        is_equal = (a == b).all() if a.dtype == object else a.tobytes() == b.tobytes()
        assert is_equal, where
    else:
        assert a == b, where


def episodes_of_recipes() -> dict[int, dict[str, float]]:
    """The scalars that recipes.md logs, by step, from rewards and flags alone."""
    pool = parallel_pool.make("CartPole-v1", num_envs=8)
    pool.reset()
    logged = {}
    total, length, begins = np.zeros(8), np.zeros(8, int), np.zeros(8, bool)
    for update in range(10):
        ended: list[tuple[float, int]] = []
        for _ in range(100):
            _, reward, terminated, truncated, _ = pool.step(pool.sample_actions())
            for env in np.flatnonzero(~begins):  # the others were reset
                total[env] += reward[env]
                length[env] += 1
            begins = terminated | truncated
            for env in np.flatnonzero(begins):
                ended.append((float(total[env]), int(length[env])))
                total[env] = length[env] = 0
        returns, lengths = zip(*ended, strict=True)
        logged[pool.stats()["steps"]] = {
            "episode/return": sum(returns) / len(ended),
            "episode/length": sum(lengths) / len(ended),
            "episode/count": float(len(ended)),
        }
        assert update < len(logged), "each update has steps of its own"
    return logged
