"""All tasks equal mpe2 1.1.1 by ==, with every option."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.mpe.reference import TASKS, Reference
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.testing.form import IS_LONG, some
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same

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


def play(task_id: str, steps: int, seed: int, **options: Any) -> tuple[int, int]:
    """Plays a pool and mpe2 with the same actions; returns (terminations, truncations)."""
    random = np.random.default_rng(seed)
    ends = [0, 0]
    same = Same(f"{task_id} {options}", seed)
    with parallel_pool.make(
        task_id, num_envs=ENVS, num_threads=2, seed=seed, reward_dtype="float64", **options
    ) as pool:
        actions = [random_actions(pool.spec, random, ENVS) for _ in range(101)]
        obs, info = pool.reset()
        limit = pool.spec.max_episode_steps
        references = [Reference(task_id, seed + i, obs.shape[1], **options) for i in range(ENVS)]
        equal(same, "obs", obs, [r.obs for r in references])
        for same.step in range(1, steps + 1):
            action = actions[random.integers(len(actions))]
            obs, reward, terminated, truncated, info = pool.step(action)
            for reference, own in zip(references, np.split(action, ENVS), strict=True):
                reference.step(own)
            equal(same, "obs", obs, [r.obs for r in references])
            equal(same, "reward", reward, [r.reward for r in references])
            same.rows("truncated", truncated, [r.truncated for r in references])
            # A success in the last step sets both flags here, and mpe2's truncation only.
            shown = terminated & (info["elapsed_step"] < limit)
            same.rows("terminated", shown, [r.terminated for r in references])
            ends = [ends[0] + int(shown.sum()), ends[1] + int(truncated.sum())]
    played(task_id, seed, steps, ENVS)
    return ends[0], ends[1]


def equal(same: Same, name: str, array: Any, references: list[Any]) -> None:
    """Asserts that the rows are those of all references, in dtype and value."""
    wanted = np.concatenate(references)
    assert array.dtype == wanted.dtype
    envs = np.repeat(range(ENVS), [len(rows) for rows in references])
    same.rows(name, array, wanted, envs)


@pytest.mark.parametrize(("task_id", "options"), some(CASES, 2))
def test_equals_mpe2(task_id: str, options: dict[str, Any]) -> None:
    steps = 150
    if IS_LONG:  # mpe2 takes 2 ms for a step of SimpleWorldComm
        steps = 1000 if set(options) - {"continuous_actions"} else 5000
    for seed in range(SEEDS):
        _, truncations = play(task_id, steps, 100 * seed, **options)
        assert truncations > 0


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
    terminations, _ = play(task_id, steps, 5, terminate_on_success=True, **options)
    assert terminations > 0
