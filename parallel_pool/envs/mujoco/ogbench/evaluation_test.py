"""evaluate() plays all five tasks of a maze, with the success of OGBench's own loop."""

from typing import Any

import numpy as np
import pytest
from ogbench import make_env_and_datasets

import parallel_pool
from parallel_pool.envs.mujoco.ogbench import reference
from parallel_pool.testing.form import by_form

TASKS = [1, 2, 3, 4, 5]
EPISODES = by_form(2, 10)  # of each task


def straight_on(obs: Any, goal: Any) -> Any:
    """Walks to the goal, as far as no wall is in the way."""
    return np.clip(goal[..., :2] - obs[..., :2], -1, 1).astype(np.float32)


def test_success_by_task_is_that_of_the_reference() -> None:
    # In a small maze the place that counts as the goal is larger than a cell.
    options: Any = {"maze_unit": 1.0, "max_episode_steps": by_form(30, 300)}
    found = parallel_pool.evaluate(
        straight_on,
        "pointmaze-medium-v0",
        len(TASKS) * EPISODES,
        num_envs=len(TASKS),
        seed=3,
        per_env={"reward_task_id": TASKS},
        infos=["success"],
        **options,
    )
    successes, lengths = [], []
    env = reference.make("pointmaze-medium-v0", **options)
    for i, task in enumerate(TASKS):
        for episode in range(EPISODES):
            seed = None if episode else 3 + i
            obs, info = env.reset(seed=seed, options={"task_id": task})
            goal, steps, is_over = info["goal"], 0, False
            while not is_over:
                obs, _, terminated, truncated, info = env.step(straight_on(obs, goal))
                is_over, steps = terminated or truncated, steps + 1
            successes.append(info["success"])
            lengths.append(steps)
    assert found.infos["success"].tolist() == successes
    assert found.lengths.tolist() == lengths
    assert 0 < sum(successes) < len(successes)


def test_a_policy_of_goals_needs_a_task_with_goals() -> None:
    with pytest.raises(ValueError, match="parameter 'goal', and the task has no such info"):
        parallel_pool.evaluate(straight_on, "HalfCheetah-v5", 1)


@pytest.mark.parametrize(
    "name",
    [
        "pointmaze-medium-navigate-v0",
        "antmaze-large-stitch-v0",
        "antmaze-giant-navigate-singletask-v0",
        "antsoccer-arena-navigate-singletask-task2-v0",
        "humanoidmaze-medium-navigate-oraclerep-v0",
        "scene-play-singletask-task5-v0",
        "cube-single-noisy-v0",
    ],
)
def test_names_of_data_sets(name: str) -> None:
    env = make_env_and_datasets(name, env_only=True)
    assert parallel_pool.ogbench_env_id(name) == env.spec.id
    env.close()


@pytest.mark.parametrize("name", ["", "antmaze-v0", "antmaze-large-navigate", "hopper-medium-v2"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no data set of OGBench"):
        parallel_pool.ogbench_env_id(name)


def test_tasks_that_are_not_offered_say_why() -> None:
    for name, why in (
        ("visual-scene-singletask-v0", "not offered; 'scene-singletask-v0'"),
        ("visual-cube-double-v0", "not offered; 'cube-double-v0'"),
        ("visual-antmaze-medium-v0", "OGBench's pixels are not offered; 'antmaze-medium-v0'"),
        ("humanoidmaze-teleport-singletask-v0", "OGBench cannot make it either"),
    ):
        with pytest.raises(ValueError, match=why):
            parallel_pool.make(name, num_envs=1)
