"""pool.stats(), compared with counts of the rows that a pool returns."""

import sys
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.testing_family import END, FINE, THROW


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize(
    "kind", ["engine", "local", *([] if sys.platform == "win32" else ["workers"])]
)
def test_counts_are_those_of_the_rows(kind: str, mode: Any) -> None:
    options: dict[str, Any] = {"num_envs": 5, "autoreset_mode": mode, "max_episode_steps": 12}
    make: Any = parallel_pool.make
    if kind != "engine":
        make = parallel_pool.make_python
        options["num_workers"] = 2 if kind == "workers" else 0
    random = np.random.default_rng(0)
    steps = resets = episodes = batches = 0
    with make("CartPole-v1", **options) as pool:
        assert pool.stats() == {"steps": 0, "resets": 0, "episodes": 0, "batches": 0}
        pool.reset()
        resets, batches = 5, 1
        over = np.zeros(5, bool)
        for _ in range(60):
            if mode == "disabled" and over.any():
                pool.reset(options={"reset_mask": over})  # observes the others
                resets, batches = resets + int(over.sum()), batches + 1
            again = over if mode == "next_step" else np.zeros(5, bool)
            _, _, terminated, truncated, _ = pool.step(random.integers(2, size=5))
            over = terminated | truncated
            steps, resets = steps + int((~again).sum()), resets + int(again.sum())
            episodes, batches = episodes + int(over.sum()), batches + 1
            if mode == "same_step":
                resets += int(over.sum())
            expected = {"steps": steps, "resets": resets, "episodes": episodes, "batches": batches}
            assert pool.stats() == expected
        assert episodes > 5
    assert pool.stats() == expected  # of a closed pool, too


def test_async_pools_and_errors() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=3, batch_size=1) as pool:
        pool.async_reset()
        for _ in range(3):
            pool.recv()
        pool.send([END, THROW, FINE])
        assert pool.stats() == {"steps": 0, "resets": 3, "episodes": 0, "batches": 3}
        for _ in range(2):
            try:
                pool.recv()
            except parallel_pool.EnvError:
                continue
        stats = pool.stats()
        assert (stats["steps"], stats["batches"]) == (2, 5)


@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "dm"])
def test_single_envs(env_type: Any) -> None:
    with parallel_pool.make("CartPole-v1", env_type, num_envs=None) as env:
        env.reset()
        env.step(0)
        assert env.stats() == {"steps": 1, "resets": 1, "episodes": 0, "batches": 2}
