"""Pictures equal Gymnasium's, except for the smoothing of a few edges."""

import pytest

from parallel_pool.testing.render_parity import (
    assert_saved_looks_the_same,
    picture_difference,
)

# The largest mean difference of a frame's pixels.
TASKS = {
    "CartPole-v1": 0.001,
    "MountainCar-v0": 0.01,
    "MountainCarContinuous-v0": 0.01,
    "Pendulum-v1": 0.02,
    "Acrobot-v1": 0.02,
}


@pytest.mark.parametrize("task_id", TASKS)
def test_looks_as_gymnasium(task_id: str) -> None:
    difference = picture_difference(task_id)
    print(task_id, difference)
    assert difference.worst <= TASKS[task_id] < difference.stale


def test_a_saved_env_looks_the_same() -> None:
    assert_saved_looks_the_same("Pendulum-v1")
