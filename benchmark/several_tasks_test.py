"""benchmark/several_tasks.py gives a ratio for tasks that share their spaces in any way."""

import pytest

from benchmark.several_tasks import _WORKLOADS, ratio


@pytest.mark.parametrize("workload", range(len(_WORKLOADS)))
def test_ratio(workload: int) -> None:
    tasks, _, options = _WORKLOADS[workload]
    assert ratio(tasks, 2, rounds=1, **options) > 0
