"""Every task of this package satisfies the rules of all tasks."""

import pytest

import parallel_pool

# Tasks without random numbers.
DETERMINISTIC = ("CliffWalking-v0", "CliffWalking-v1", "MuJoCo-v0")


@pytest.mark.parametrize("task_id", parallel_pool.list_all_envs())
def test_conforms(task_id: str) -> None:
    parallel_pool.check(task_id, stochastic=task_id not in DETERMINISTIC)
