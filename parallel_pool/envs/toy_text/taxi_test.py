"""Taxi equals Gymnasium's, and v3 that of gym 0.26, step for step."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.gymnasium_parity import (
    SEEDS,
    Array,
    GymEnv,
    assert_same_spaces,
    compare,
)
from parallel_pool.testing.render_parity import compare_words

INFOS = ("prob", "action_mask")
OPTIONS: list[dict[str, Any]] = [
    {},
    {"is_rainy": True},
    {"fickle_passenger": True},
    {"fickle_passenger": True, "fickle_probability": 1.0, "is_rainy": True},
    {"is_rainy": True, "rainy_probability": 0.3},
]


def eager(random: np.random.Generator, obs: Array) -> Array:
    """Random actions, but taxis always pick up waiting passengers, and often drop them off."""
    action = random.integers(0, 6, len(obs))
    stand = np.array([0, 4, 20, 23, -1])
    taxi, passenger, destination = obs // 20, obs // 4 % 5, obs % 4
    action[taxi == stand[passenger]] = 4
    arrives = (passenger == 4) & (taxi == stand[destination]) & (random.random(len(obs)) < 0.5)
    action[arrives] = 5
    return action


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_equals_gymnasium(seed: int, options: dict[str, Any]) -> None:
    ends = compare(
        "Taxi-v4",
        lambda: gymnasium.make("Taxi-v4", **options),
        seed,
        policy=eager,
        infos=INFOS,
        **options,
    )
    assert min(ends.values()) > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_v3_equals_gym(seed: int) -> None:
    def reference() -> gymnasium.Env[Any, Any]:
        return gymnasium.wrappers.TimeLimit(GymEnv("Taxi-v3"), 200)

    assert min(compare("Taxi-v3", reference, seed, policy=eager, infos=INFOS).values()) > 0


def test_words_equal_gymnasium() -> None:
    compare_words("Taxi-v4", policy=eager)


def test_a_mask_is_what_sample_takes() -> None:
    with parallel_pool.make("Taxi-v4", num_envs=2) as pool:
        _, info = pool.reset()
        for mask in info["action_mask"]:
            assert mask[pool.action_space.sample(mask)] == 1


def test_task_facts() -> None:
    assert_same_spaces("Taxi-v4", gymnasium.make("Taxi-v4"))
