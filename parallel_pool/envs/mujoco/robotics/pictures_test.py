"""Pictures of render() equal Gymnasium-Robotics' with the same OpenGL, pixel for pixel."""

import os

os.environ["MUJOCO_GL"] = "egl"

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import robotics
from parallel_pool.testing.form import some

Array = np.ndarray[Any, Any]

TASKS = [
    "FetchPickAndPlace-v4",
    "HandManipulateBlock-v1",
    "PointMaze_Large-v3",
    "FetchReach-v4",
    "HandReach-v3",
    "AntMaze_UMaze-v5",
    "FetchSlide-v4",
    "HandManipulatePenRotate-v1",
    "AdroitHandDoor-v1",
    "FetchPush-v4",
    "HandManipulateEgg-v1",
    "AdroitHandPen-v1",
    "AdroitHandHammer-v1",
    "AdroitHandRelocate-v1",
    "PointMaze_UMaze-v3",
    "FrankaKitchen-v1",
]


TOUCH = "HandManipulateBlock_ContinuousTouchSensors-v1"


@pytest.mark.parametrize(
    ("task", "options"),
    [
        *((task, {}) for task in some(TASKS, 3)),
        *((TOUCH, {"touch_visualisation": shown}) for shown in ("on_touch", "always", "off")),
    ],
)
def test_equals_the_reference(task: str, options: dict[str, Any]) -> None:
    drawn: dict[str, Any] = {"render_mode": "rgb_array"} | options
    theirs = robotics.make(task, **drawn)
    ours = parallel_pool.make_gymnasium(task, num_envs=None, **drawn)
    theirs.reset(seed=7)
    ours.reset(seed=7)
    first = ours.render()
    # The first picture decides where the camera looks. The reference's pictures of the arm and of
    # the Shadow Hand, whose cameras do not move, change the episode.
    if not task.startswith(("Fetch", "Hand")):
        np.testing.assert_array_equal(first, theirs.render())
    random = np.random.default_rng(0)
    for _ in range(5):
        action = random.uniform(-1, 1, ours.action_space.shape).astype(ours.action_space.dtype)
        theirs.step(action)
        ours.step(action)
    last = ours.render()
    assert last.shape == (480, 480, 3)
    np.testing.assert_array_equal(last, theirs.render())
    assert (first != last).any(), "nothing has moved"


@pytest.mark.parametrize("task", ["FetchPickAndPlace-v4", "HandManipulateBlock-v1"])
def test_pictures_do_not_change_an_episode(task: str) -> None:
    seen = []
    for mode in (None, "rgb_array"):
        env = parallel_pool.make_gymnasium(task, num_envs=None, render_mode=mode)
        env.reset(seed=3)
        random = np.random.default_rng(0)
        for _ in range(5):
            obs = env.step(random.uniform(-1, 1, env.action_space.shape).astype(np.float32))[0]
            if mode is not None:
                env.render()
        seen.append(obs["observation"])
    assert np.array_equal(*seen)


def test_a_goal_that_moves_is_seen() -> None:
    env = parallel_pool.make_gymnasium("PointMaze_UMaze-v3", num_envs=None, render_mode="rgb_array")
    env.reset(seed=1, options={"goal_cell": (1, 1), "reset_cell": (3, 1)})
    one = env.render()
    env.reset(seed=1, options={"goal_cell": (1, 3), "reset_cell": (3, 1)})
    assert (one != env.render()).any()


def test_pixels_take_the_place_of_numbers() -> None:
    small: dict[str, Any] = {"from_pixels": True, "render_width": 40, "render_height": 32}
    with parallel_pool.make("FetchReach-v4", num_envs=2, **small) as pool:
        obs, _ = pool.reset()
        assert list(obs) == ["pixels"] and obs["pixels"].shape == (2, 3, 32, 40)
