"""A check that the order of batches does not change what players get."""

from typing import Any

import numpy as np

import parallel_pool
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.testing.results import same


def assert_same_in_any_order(task_id: str, steps: int, **options: Any) -> None:
    """Asserts that the envs of an async pool with threads have the rows of a sync pool's.

    Args:
        task_id: a task of several players.
        steps: the number of steps.
        **options: the options of both pools.
    """
    with (
        parallel_pool.make(task_id, num_envs=5, num_threads=1, **options) as pool,
        parallel_pool.make(task_id, num_envs=5, num_threads=3, batch_size=2, **options) as other,
    ):
        same(_rows_by_env(pool, steps), _rows_by_env(other, steps))


def _rows_by_env(pool: Any, steps: int) -> list[list[Any]]:
    """Each env's rows, by any order of batches; actions depend on env and step."""
    rows: list[list[Any]] = [[] for _ in range(pool.num_envs)]
    pool.async_reset()
    while min(map(len, rows)) <= steps:
        obs, reward, terminated, truncated, info = pool.recv()
        ids, owner = info["env_id"], info["players"]["env_id"]
        for k, env in enumerate(ids):
            mine = owner == env
            rows[env].append((obs[mine], reward[mine], terminated[k], truncated[k]))
        actions = [
            random_actions(pool.spec, np.random.default_rng([env, len(rows[env])]), 1)
            for env in ids
        ]
        pool.send(np.concatenate(actions), ids)
    return [own[: steps + 1] for own in rows]
