"""Both mountain cars equal Gymnasium's, step for step."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from parallel_pool.testing.gymnasium_parity import SEEDS, Array, assert_same_spaces, compare

TASKS = ["MountainCar-v0", "MountainCarContinuous-v0"]


def rock(random: np.random.Generator, obs: Array) -> Array:
    """Random pushes; in four envs, pushes in the direction of the speed, which reach the flag."""
    action = random.integers(0, 3, len(obs))
    action[:4] = np.where(obs[:4, 1] < 0, 0, 2)
    return action


def rock_at_will(random: np.random.Generator, obs: Array) -> Array:
    """The same with forces, some of them out of bounds and some on the bounds."""
    force = random.uniform(-1.5, 1.5, (len(obs), 1)).astype(np.float32)
    force[:4] = np.where(obs[:4, 1:] < 0, -1, 1) * np.abs(force[:4] / force[:4].max() + 0.5)
    force[1::2] = np.clip(force[1::2], -1, 1)
    return force


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("goal_velocity", [0, 0.02])
def test_equals_gymnasium(task_id: str, seed: int, goal_velocity: float) -> None:
    options: dict[str, Any] = {"goal_velocity": goal_velocity}
    policy = rock if task_id == "MountainCar-v0" else rock_at_will
    ends = compare(
        task_id, lambda: gymnasium.make(task_id, **options), seed, policy=policy, **options
    )
    assert min(ends.values()) > 0, "both kinds of ending must have been compared"


@pytest.mark.parametrize("task_id", TASKS)
def test_task_facts(task_id: str) -> None:
    assert_same_spaces(task_id, gymnasium.make(task_id))
