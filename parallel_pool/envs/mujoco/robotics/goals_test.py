"""Rewards and ends of any goals equal those of Gymnasium-Robotics."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import robotics
from parallel_pool.testing.gymnasium_parity import (
    Array,
)

GOALS = [
    "FetchPush-v4",
    "FetchPushDense-v4",
    "AntMaze_UMazeDense-v5",
    "HandReachDense-v3",
    "HandManipulateBlock-v1",
    "HandManipulateEggRotateDense-v1",
]


def random_goals(size: int, count: int) -> tuple[Array, Array]:
    """Pairs of goals: near ones, far ones, and some at a threshold (m) of a task, on either side.

    The last four of seven numbers are a quaternion, which is the same in the pairs at a threshold.
    """
    random = np.random.default_rng(0)
    achieved = random.normal(size=(count, size))
    if size == 7:
        achieved[:, 3:] /= np.linalg.norm(achieved[:, 3:], axis=1, keepdims=True)
    way = random.normal(size=(count, size))
    way *= np.where(random.random((count, 1)) < 0.5, 0.004, 0.6)
    edges = np.array([0.01, 0.05, 0.45])[:, None] * (1 + np.array([-1e-9, 1e-9]))
    at_edge = way[: edges.size, : 3 if size == 7 else size]
    at_edge *= edges.reshape(-1, 1) / np.linalg.norm(at_edge, axis=1, keepdims=True)
    desired = achieved + way
    if size == 7:
        desired[: edges.size, 3:] = achieved[: edges.size, 3:]
        desired[:, 3:] /= np.linalg.norm(desired[:, 3:], axis=1, keepdims=True)
    return achieved, desired


@pytest.mark.parametrize("task", GOALS)
def test_rewards_of_goals_equal_the_references(task: str) -> None:
    reference: Any = robotics.make(task).unwrapped
    spec = parallel_pool.make_spec(task, reward_dtype="float64")
    achieved, desired = random_goals(spec.setup.goal_size, 1000)
    reward = spec.compute_reward(achieved, desired)
    assert np.array_equal(reward, reference.compute_reward(achieved, desired, None))
    assert len(set(reward.tolist())) > 1, "near and far goals must have been compared"
    assert not spec.compute_terminated(achieved, desired).any()
    assert not spec.compute_truncated(achieved, desired).any()


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("PointMaze_Medium-v3", {"continuing_task": False}),
        ("HandManipulatePenDense-v1", {}),
        ("HandManipulatePenRotate-v1", {}),
    ],
)
def test_goals_that_the_reference_takes_one_by_one(task: str, options: dict[str, Any]) -> None:
    reference: Any = robotics.make(task, **options).unwrapped
    pool = parallel_pool.make(task, num_envs=2, reward_dtype="float64", **options)
    achieved, desired = random_goals(pool.spec.setup.goal_size, 300)
    pairs = list(zip(achieved, desired, strict=True))
    rewards = [reference.compute_reward(a, d, None) for a, d in pairs]
    assert np.array_equal(pool.compute_reward(achieved, desired, [{}] * 300), rewards)
    ends = [reference.compute_terminated(a, d, None) for a, d in pairs]
    assert np.array_equal(pool.compute_terminated(achieved, desired), ends)
    assert any(ends) == (task == "PointMaze_Medium-v3")
    one = pool.compute_reward(achieved[7], desired[7])
    assert one == rewards[7] and one.shape == ()
    grid = pool.compute_reward(achieved.reshape(3, 100, -1), desired.reshape(3, 100, -1))
    assert np.array_equal(grid, np.reshape(rewards, (3, 100)))


def test_a_step_has_the_reward_of_its_goals() -> None:
    env = parallel_pool.make_gymnasium("FetchReachDense-v4", num_envs=None)
    env.reset(seed=0)
    for _ in range(5):
        obs, reward, *_ = env.step(env.action_space.sample())
        assert reward == env.compute_reward(obs["achieved_goal"], obs["desired_goal"], {})
    assert env.compute_reward(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize(
    ("task", "options", "goals", "message"),
    [
        ("Ant-v5", {}, ((2,), (2,)), "Ant-v5: compute_reward.*: the task has no goals"),
        ("FetchPush-v4", {}, ((5, 3), (4, 3)), r"shape \(5, 3\) and desired_goal \(4, 3\)"),
        ("FetchPush-v4", {}, ((5, 2), (5, 2)), r"both must be \(..., 3\)"),
        ("FetchPush-v4", {"normalize_observation": True}, ((3,), (3,)), "leave it out"),
    ],
)
def test_wrong_goals(task: str, options: dict[str, Any], goals: Any, message: str) -> None:
    spec = parallel_pool.make_spec(task, **options)
    with pytest.raises(ValueError, match=message):
        spec.compute_reward(*map(np.zeros, goals))
