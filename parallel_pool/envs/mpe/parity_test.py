"""All tasks equal mpe2 1.1.1 by ==, with every option."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.mpe.reference import TASKS, Reference
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.testing.form import IS_LONG, some
from parallel_pool.testing.side_by_side import SideBySide

ENVS, SEEDS = (4, 3) if IS_LONG else (2, 1)

# Each option at another value than its default. Long episodes leave the field.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("Simple-v3", {"max_episode_steps": 7}),
    ("SimpleAdversary-v3", {"N": 1}),
    ("SimpleAdversary-v3", {"N": 4, "num_agent_neighbors": 2}),
    ("SimpleAdversary-v3", {"num_landmark_neighbors": 3, "num_agent_neighbors": 5}),
    ("SimpleReference-v3", {"local_ratio": 0.3}),
    ("SimpleSpread-v3", {"N": 5, "local_ratio": 0.7, "max_episode_steps": 60}),
    ("SimpleSpread-v3", {"N": 4, "num_agent_neighbors": 2, "num_landmark_neighbors": 1}),
    ("SimpleSpread-v3", {"N": 2, "num_agent_neighbors": 3, "num_landmark_neighbors": 4}),
    ("SimpleSpread-v3", {"N": 6, "curriculum": True}),
    ("SimpleSpread-v3", {"N": 6, "curriculum": True, "curriculum_stage": 1}),
    ("SimpleTag-v3", {"num_good": 2, "num_adversaries": 2, "num_obstacles": 4}),
    ("SimpleTag-v3", {"max_episode_steps": 80, "num_obstacles": 0}),
    ("SimpleTag-v3", {"num_good": 3, "num_agent_neighbors": 3, "num_landmark_neighbors": 1}),
    ("SimpleTag-v3", {"num_agent_neighbors": 6, "num_landmark_neighbors": 3}),
    ("SimpleTag-v3", {"curriculum": True}),
    ("SimpleTag-v3", {"curriculum": True, "curriculum_stage": 1, "max_episode_steps": 60}),
    ("SimpleTag-v3", {"curriculum": True, "curriculum_stage": 2}),
    ("SimpleWorldComm-v3", {"num_good": 3, "num_adversaries": 2, "max_episode_steps": 50}),
    ("SimpleWorldComm-v3", {"num_obstacles": 3, "num_food": 1, "num_forests": 4}),
    ("SimpleWorldComm-v3", {"num_obstacles": 0, "num_forests": 0, "num_adversaries": 1}),
]
CASES: list[tuple[str, dict[str, Any]]] = [*((task, {}) for task in TASKS), *OPTIONS]
CASES += [(task, {**options, "continuous_actions": True}) for task, options in CASES]


def play(task_id: str, steps: int, seed: int, **options: Any) -> Counter[str]:
    """Plays a pool and mpe2 with the same actions; returns the number of ends."""
    random = np.random.default_rng(seed)
    spec = parallel_pool.make_spec(task_id, **options)
    actions = [random_actions(spec, random, ENVS) for _ in range(101)]
    (width,) = spec.observation_space.shape or ()
    envs = [Reference(task_id, width, **options) for _ in range(ENVS)]
    with SideBySide(task_id, seed, envs, **options) as both:
        for _ in range(steps):
            both.step(np.split(actions[random.integers(len(actions))], ENVS))
    return both.ends


@pytest.mark.parametrize(("task_id", "options"), some(CASES, 2))
def test_equals_mpe2(task_id: str, options: dict[str, Any]) -> None:
    steps = 150
    if IS_LONG:  # mpe2 takes 2 ms for a step of SimpleWorldComm
        steps = 1000 if set(options) - {"continuous_actions"} else 5000
    for seed in range(SEEDS):
        assert play(task_id, steps, 100 * seed, **options)["truncated"] > 0


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("SimpleSpread-v3", {"N": 1, "max_episode_steps": 50}),
        ("SimpleTag-v3", {"num_good": 1}),
        ("SimpleTag-v3", {"num_good": 2, "num_adversaries": 6, "continuous_actions": True}),
    ],
)
def test_success_ends_an_episode(task_id: str, options: dict[str, Any]) -> None:
    steps = 5000 if IS_LONG else 600
    assert play(task_id, steps, 5, terminate_on_success=True, **options)["terminated"] > 0
