"""Pictures equal Gymnasium's, pixel for pixel."""

from typing import Any

import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

from parallel_pool.testing.form import some
from parallel_pool.testing.gymnasium_parity import Array, Policy
from parallel_pool.testing.render_parity import (
    assert_saved_looks_the_same,
    picture_difference,
)


def forward(random: np.random.Generator, obs: Array) -> Array:
    """Two envs go right and down; the others play random actions."""
    action = random.integers(0, 4, len(obs))
    action[:2] = random.integers(1, 3, 2)
    return action


def eager(random: np.random.Generator, obs: Array) -> Array:
    """Random actions, but a taxi always picks up a passenger that waits at its cell."""
    action = random.integers(0, 6, len(obs))
    stand = np.array([0, 4, 20, 23, -1])
    action[obs // 20 == stand[obs // 4 % 5]] = 4
    return action


TASKS: list[tuple[str, Policy | None, dict[str, Any]]] = [
    ("Blackjack-v1", None, {}),
    ("Blackjack-v1", None, {"natural": True, "sab": False}),
    ("CliffWalking-v1", None, {}),
    ("CliffWalkingSlippery-v1", None, {}),
    ("FrozenLake-v1", forward, {"is_slippery": False}),
    ("FrozenLake8x8-v1", forward, {}),
    *(
        ("FrozenLake-v1", forward, {"desc": desc})
        for desc in (
            ["SFG"],
            ["SFFFFFFFFFFFF", "FFFFHHFFFFFSG"],
            generate_random_map(size=11, seed=1),
            generate_random_map(size=29, p=0.95, seed=2),
        )
    ),
    ("FrozenLake-v1", None, {"desc": ["S" * 300, "G" * 300]}),
    ("Taxi-v4", eager, {}),
    ("Taxi-v4", eager, {"is_rainy": True, "fickle_passenger": True}),
]


@pytest.mark.parametrize(("task_id", "policy", "options"), some(TASKS, 4))
def test_looks_as_gymnasium(task_id: str, policy: Policy | None, options: dict[str, Any]) -> None:
    difference = picture_difference(task_id, policy, **options)
    print(task_id, options, difference)
    assert difference.worst == 0
    assert difference.stale > 0


def test_a_saved_env_looks_the_same() -> None:
    assert_saved_looks_the_same("Taxi-v4")
