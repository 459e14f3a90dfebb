"""BipedalWalker against Gymnasium's, with ==."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.box2d.bipedal_walker import BipedalWalkerHeuristics

from parallel_pool.testing.gymnasium_parity import (
    SEEDS,
    Array,
    Policy,
    assert_same_spaces,
    compare,
    in_a_precision,
)

TASKS = ["BipedalWalker-v3", "BipedalWalkerHardcore-v3"]


def walk(num_envs: int) -> Policy:
    """Gymnasium's gait in the even envs, so that they get far; random actions in the others."""
    gaits: list[Any] = [BipedalWalkerHeuristics() for _ in range(num_envs)]

    def choose(random: np.random.Generator, obs: Array) -> Array:
        actions = random.uniform(-1.25, 1.25, (len(obs), 4))
        for i in range(0, len(obs), 2):
            noise = random.normal(0, 0.03, 4)
            actions[i] = gaits[i].step_heuristic(obs[i]) + noise
        return in_a_precision(random, actions)

    return choose


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("hardcore", [None, False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_gymnasium(task: str, hardcore: bool | None, seed: int) -> None:
    options: dict[str, Any] = {} if hardcore is None else {"hardcore": hardcore}
    counts = compare(
        task,
        lambda: gymnasium.make(task, disable_env_checker=True, **options),
        seed,
        policy=walk(4),
        num_envs=4,
        **options,
    )
    assert counts["terminated"] > 0


@pytest.mark.parametrize("task", TASKS)
def test_spaces(task: str) -> None:
    assert_same_spaces(task, gymnasium.make(task))


def test_resting_walker_wakes_up() -> None:
    """Without torque the walker comes to rest; the next torque moves it, as in Gymnasium."""

    def rest_then_move(random: np.random.Generator, obs: Array) -> Array:
        steps[0] += 1
        torque = 1.0 if steps[0] % 200 > 150 else 0.0
        return np.full((len(obs), 4), torque, np.float32)

    steps = [0]
    compare(
        TASKS[0],
        lambda: gymnasium.make(TASKS[0], disable_env_checker=True),
        7,
        policy=rest_then_move,
        num_envs=2,
        steps=400,
    )
