"""CliffWalking equals Gymnasium's, and v0 that of gym 0.26, step for step."""

from typing import Any

import gymnasium
import pytest

from parallel_pool.testing.gymnasium_parity import (
    SEEDS,
    GymEnv,
    assert_same_spaces,
    compare,
)
from parallel_pool.testing.render_parity import compare_words

TASKS: list[tuple[str, dict[str, Any]]] = [
    ("CliffWalking-v1", {}),
    ("CliffWalking-v1", {"is_slippery": True}),
    ("CliffWalkingSlippery-v1", {}),
    ("CliffWalkingSlippery-v1", {"is_slippery": False}),
]


@pytest.mark.parametrize(("task_id", "options"), TASKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_gymnasium(task_id: str, options: dict[str, Any], seed: int) -> None:
    ends = compare(
        task_id, lambda: gymnasium.make(task_id, **options), seed, infos=("prob",), **options
    )
    slippery = options.get("is_slippery", task_id != "CliffWalking-v1")
    assert (ends["terminated"] > 0) or not slippery  # random steps seldom pass the cliff


@pytest.mark.parametrize("seed", SEEDS)
def test_v0_equals_gym(seed: int) -> None:
    compare("CliffWalking-v0", lambda: GymEnv("CliffWalking-v0"), seed, infos=("prob",))


def test_to_the_goal() -> None:
    path = [0] + [1] * 11 + [2]
    env = gymnasium.make("CliffWalking-v1")
    steps = iter(path * 4)
    ends = compare(
        "CliffWalking-v1",
        lambda: gymnasium.make("CliffWalking-v1"),
        0,
        policy=lambda random, obs: obs * 0 + next(steps),
        infos=("prob",),
        steps=2 * len(path),
    )
    assert ends["terminated"] > 0
    env.close()


def test_words_equal_gymnasium() -> None:
    compare_words("CliffWalkingSlippery-v1")


@pytest.mark.parametrize("task_id", ["CliffWalking-v1", "CliffWalkingSlippery-v1"])
def test_task_facts(task_id: str) -> None:
    assert_same_spaces(task_id, gymnasium.make(task_id))
