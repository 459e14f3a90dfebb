"""Every task of this package satisfies the rules of all tasks."""

import pytest

import parallel_pool
from parallel_pool.testing import tasks

# Tasks without random numbers.
DETERMINISTIC = ("CliffWalking-v0", "CliffWalking-v1", "MuJoCo-v0")


@pytest.mark.parametrize("task_id", tasks.played())
def test_conforms(task_id: str) -> None:
    options = tasks.OPTIONS.get(task_id, {})
    parallel_pool.check(task_id, stochastic=task_id not in DETERMINISTIC, **options)
