"""FrankaKitchen-v1 equals Gymnasium-Robotics' on the same MuJoCo, step for step."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import robotics
from parallel_pool.testing.form import by_form
from parallel_pool.testing.played import played

TASK = "FrankaKitchen-v1"
SEEDS = by_form((3,), (0, 3, 1234567))
EPISODES = by_form(1, 4)
# The order of the flags in infos.
SUBTASKS = (
    "bottom burner",
    "hinge cabinet",
    "kettle",
    "light switch",
    "microwave",
    "slide cabinet",
    "top burner",
)


def assert_same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, dict):
        assert list(ours) == sorted(theirs)
        for key, value in theirs.items():
            assert_same(ours[key], value)
    else:
        assert ours.dtype == np.float64
        assert np.array_equal(ours, theirs)


def assert_same_info(ours: Any, theirs: dict[str, Any]) -> None:
    for key, names in theirs.items():
        assert [name for name, flag in zip(SUBTASKS, ours[key], strict=True) if flag] == sorted(
            names
        )


def play(
    seed: int, episodes: int, sway: float, directions: Any = None, **options: Any
) -> tuple[float, int]:
    """Plays both; each episode moves in a direction of its own, and with some noise of `sway`.

    Args:
        directions: those of all episodes, 70 steps each; None: drawn.

    Returns:
        The sum of all rewards, and the number of terminated episodes.
    """
    limit = {"max_episode_steps": 60} | options
    theirs = robotics.make(TASK, **limit)
    ours = parallel_pool.make_gymnasium(TASK, num_envs=None, reward_dtype="float64", **limit)
    random = np.random.default_rng(seed)
    total, steps, terminations = 0.0, 0, 0
    for episode in range(episodes):
        first = seed if episode == 0 else None
        (obs, info), (wanted, wanted_info) = ours.reset(seed=first), theirs.reset(seed=first)
        assert_same(obs, wanted)
        assert_same_info(info, wanted_info)
        drawn, ended, step = random.uniform(-1.2, 1.2, (1, 9)), False, 0
        while not ended:
            plan = drawn if directions is None else np.array(directions)
            action = plan[min(step // 70, len(plan) - 1)] + sway * random.normal(size=9)
            obs, reward, terminated, truncated, info = ours.step(action)
            wanted, *results, wanted_info = theirs.step(action)
            assert_same(obs, wanted)
            assert [reward, terminated, truncated] == results
            assert_same_info(info, wanted_info)
            total, step, ended = total + reward, step + 1, terminated or truncated
        steps, terminations = steps + step, terminations + terminated
    played(TASK, seed, steps, 1)
    return total, terminations


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_the_reference(seed: int) -> None:
    play(seed, EPISODES, 0.3)


# Directions that complete a subtask, found among random ones.
PUSH_KETTLE = [[-0.9, -0.88, 0.73, 0.18, -0.13, 0.75, -0.11, -0.95, 0.34]]
SLIDE_CABINET = [
    [0.08, 0.77, 0.02, 0.55, -0.77, 0.19, -0.94, 0.21, 0.25],
    [0.86, -0.67, 0.87, 0.78, 0.13, -0.85, 0.86, 0.11, -0.48],
    [0.12, -0.07, -0.81, -0.01, -0.9, -0.83, 0.56, -0.12, 0.93],
]
ALL_BUT_KETTLE = [name for name in SUBTASKS if name != "kettle"]


@pytest.mark.parametrize(
    ("directions", "options", "least", "ends"),
    [
        (PUSH_KETTLE, {"tasks_to_complete": ["kettle"]}, 1, 1),
        (PUSH_KETTLE, {"remove_task_when_completed": False}, 5, 0),
        (
            PUSH_KETTLE,
            {"tasks_to_complete": ["kettle"], "terminate_on_tasks_completed": False},
            1,
            0,
        ),
        (PUSH_KETTLE, {"tasks_to_complete": ALL_BUT_KETTLE}, 0, 0),
        (SLIDE_CABINET, {"max_episode_steps": 150}, 1, 0),
    ],
)
def test_completed_subtasks(
    directions: Any, options: dict[str, Any], least: float, ends: int
) -> None:
    episodes = by_form(1, 4)
    total, terminations = play(1, episodes, 0, directions, **options)
    assert total >= least
    assert terminations == ends * episodes


def test_spaces() -> None:
    spec, reference = parallel_pool.make_spec(TASK), robotics.make(TASK)
    assert spec.observation_space == reference.observation_space
    assert spec.action_space == reference.action_space
    assert reference.spec is not None
    assert spec.max_episode_steps == reference.spec.max_episode_steps
    specs = parallel_pool.make_dm(TASK, num_envs=None).observation_spec()
    assert specs["achieved_goal"]["bottom burner"].shape == (2,)
    assert parallel_pool.make_dm(
        TASK, num_envs=2
    ).reset().observation.desired_goal.bottom_burner.shape == (2, 2)


def test_unknown_subtasks_are_refused() -> None:
    for names, message in (
        (["oven"], "tasks_to_complete has 'oven'; allowed are bottom burner, hinge cabinet"),
        ([], "tasks_to_complete is empty"),
    ):
        with pytest.raises(ValueError, match=message):
            parallel_pool.make_spec(TASK, tasks_to_complete=names)
