"""CartPole equals Gymnasium's CartPole, step for step."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.gymnasium_parity import SEEDS, Array, assert_same_spaces, compare


def balance(random: np.random.Generator, obs: Array) -> Array:
    """Random pushes; two envs are balanced, so that they reach the time limit."""
    action = random.integers(0, 2, len(obs))
    action[:2] = obs[:2, 3] + obs[:2, 2] > 0
    return action


@pytest.mark.parametrize("task_id", ["CartPole-v0", "CartPole-v1"])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sutton_barto_reward", [False, True])
def test_equals_gymnasium(task_id: str, seed: int, sutton_barto_reward: bool) -> None:
    options: dict[str, Any] = {"sutton_barto_reward": sutton_barto_reward}
    ends = compare(
        task_id, lambda: gymnasium.make(task_id, **options), seed, policy=balance, **options
    )
    assert min(ends.values()) > 0, "both kinds of ending must have been compared"


@pytest.mark.parametrize("task_id", ["CartPole-v0", "CartPole-v1"])
def test_task_facts(task_id: str) -> None:
    assert_same_spaces(task_id, gymnasium.make(task_id))


def test_seed_of_make_is_the_seed_of_reset() -> None:
    first = parallel_pool.make("CartPole-v1", num_envs=3, seed=5).reset()[0]
    pool = parallel_pool.make("CartPole-v1", num_envs=3, seed=9)
    assert (pool.reset()[0] != first).any()
    np.testing.assert_array_equal(pool.reset(seed=5)[0], first)
