"""Pictures of render() equal Gymnasium's with the same OpenGL, pixel for pixel."""

import os

os.environ["MUJOCO_GL"] = "egl"

import pathlib
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import golden
from parallel_pool.testing.form import by_form

Array = np.ndarray[Any, Any]

# The tasks that Gymnasium can make, too.
TASKS = [
    task
    for task in golden.tasks("mujoco")
    if task.endswith(("-v4", "-v5")) and task in gymnasium.registry and task != "Pusher-v4"
]
V5 = [task for task in TASKS if task.endswith("-v5")]
V4 = [task for task in TASKS if task.endswith("-v4")]
# The tasks whose models have a camera in addition to the free one.
WITH_CAMERA = [task for task in TASKS if not task.startswith(("Inverted", "Pusher", "Reacher"))]
STEPS = 20


def frames(task: str, theirs: dict[str, Any], **ours: Any) -> list[tuple[Array, Array]]:
    """Our frame and Gymnasium's, at an episode's begin and STEPS steps later, or at its end."""
    env = gymnasium.make(task, render_mode="rgb_array", **theirs)
    pool = parallel_pool.make(
        task, render_mode="rgb_array", seed=7, autoreset_mode="disabled", **ours
    )
    random = np.random.default_rng(0)
    env.reset(seed=7)
    pool.reset()
    pairs: list[tuple[Array, Any]] = [(pool.render()[0], env.render())]
    for _ in range(STEPS):
        action = random.uniform(-1, 1, pool.single_action_space.shape).astype(np.float32)
        env.step(action)
        _, _, terminated, truncated, _ = pool.step(action[None])
        if terminated[0] or truncated[0]:
            break
    pairs.append((pool.render()[0], env.render()))
    env.close()
    pool.close()
    assert (pairs[0][1] != pairs[1][1]).any(), "nothing has moved"
    return pairs


@pytest.mark.parametrize("task", by_form(V5[::3], TASKS))
def test_equals_gymnasium(task: str) -> None:
    for ours, theirs in frames(task, {}):
        assert ours.shape == (480, 480, 3)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("task", by_form(V4[1::3], TASKS))
def test_sizes_equal_gymnasiums(task: str) -> None:
    for ours, theirs in frames(
        task, {"width": 101, "height": 67}, render_width=101, render_height=67
    ):
        assert ours.shape == (67, 101, 3)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("task", by_form(["Ant-v5"], WITH_CAMERA))
def test_cameras_equal_gymnasiums(task: str) -> None:
    size = {"width": 84, "height": 84}
    seen = []
    cameras: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"camera_id": 0}, {"camera_id": 0}),
        ({"camera_name": "track"}, {"camera_name": "track"}),
        ({"camera_id": 0}, {"render_camera_id": 0}),
        ({"camera_id": -1}, {}),
    ]
    for theirs, ours in cameras:
        pairs = frames(task, theirs | size, render_width=84, render_height=84, **ours)
        for mine, wanted in pairs:
            np.testing.assert_array_equal(mine, wanted)
        seen.append(pairs[0][0])
    np.testing.assert_array_equal(seen[0], seen[1])
    assert (seen[0] != seen[-1]).any(), "the free camera shows the same"


def test_a_model_of_the_user() -> None:
    models = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets"
    file = str(models / "reacher.xml")
    with (
        parallel_pool.make("MuJoCo-v0", xml_path=file, render_mode="rgb_array") as ours,
        parallel_pool.make("Reacher-v5", xml_file=file, render_mode="rgb_array") as robot,
    ):
        ours.reset()
        robot.reset()
        assert ours.render().shape == (1, 480, 480, 3)
        difference = np.abs(ours.render().astype(int) - robot.render())
        assert 0 < difference.mean() < 20, "target and arm are elsewhere, the rest is not"


def test_fast_pictures_are_nearly_the_same() -> None:
    shown = {}
    for quality in ("full", "fast"):
        with parallel_pool.make(
            "Ant-v5", render_mode="rgb_array", render_quality=quality, num_envs=2
        ) as pool:
            pool.reset()
            shown[quality] = pool.render().astype(int)
            np.testing.assert_array_equal(pool.render([1]), shown[quality][[1]])
    difference = np.abs(shown["full"] - shown["fast"]).mean()
    assert 0 < difference < 3
    assert np.abs(shown["full"][0] - shown["full"][1]).mean() > 0


def test_an_env_is_looked_at_from_where_its_episode_began() -> None:
    """So a picture depends only on the seed and the actions, not on earlier pictures."""
    options: dict[str, Any] = {"render_mode": "rgb_array", "render_width": 64, "render_height": 48}
    with parallel_pool.make("Swimmer-v5", seed=1, **options) as pool:
        pool.reset()
        first = pool.render()
        pool.reset()
        assert (pool.render() != first).any()
        pool.reset(seed=1)
        np.testing.assert_array_equal(pool.render(), first)
        data = pool.save()
        for _ in range(5):
            pool.step(np.ones((1, 2), np.float32))
        assert (pool.render() != first).any()
        pool.load(data)
        np.testing.assert_array_equal(pool.render(), first)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"camera_id": 2}, "camera_id is 2; the model has 1 cameras, numbered from 0, and -1 is"),
        ({"camera_name": "trakc"}, "camera_name is 'trakc'; the model's cameras are track"),
        ({"camera_id": 0, "camera_name": "track"}, "give one of them"),
        ({"camera_id": 0, "render_camera_id": 1}, "camera_id is 0 and render_camera_id is 1"),
        ({"camera_id": -2}, "camera_id is -2; it must be"),
        ({"render_width": 9000}, "render_width is 9000; it must be between 0 and 8192"),
        ({"render_quality": "best"}, "render_quality is 'best'; allowed are 'full'"),
        ({"frame_stack": 0}, "frame_stack is 0; it must be between 1 and 1000"),
        ({"xml_file": "swimmer.xml", "camera_name": "top"}, "cameras are track"),
    ],
)
def test_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"HalfCheetah-v5: {words}|{words}"):
        parallel_pool.make("HalfCheetah-v5", **options)


def test_a_model_whose_cameras_have_no_names() -> None:
    with pytest.raises(ValueError, match="the model's cameras have no names"):
        parallel_pool.make("Pusher-v5", camera_name="track")
