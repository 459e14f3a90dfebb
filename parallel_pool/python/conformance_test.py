"""What every task of this package keeps to."""

import pytest

import parallel_pool

# Nothing is left to chance in them.
DETERMINISTIC = ("CliffWalking-v0", "CliffWalking-v1", "MuJoCo-v0")


@pytest.mark.parametrize("task_id", parallel_pool.list_all_envs())
def test_conforms(task_id: str) -> None:
    parallel_pool.check(task_id, stochastic=task_id not in DETERMINISTIC)
