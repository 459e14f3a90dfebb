"""Pictures of render() equal MetaWorld's with the same OpenGL, pixel for pixel."""

import os

os.environ["MUJOCO_GL"] = "egl"

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.mujoco.metaworld import reference
from parallel_pool.envs.mujoco.names import MT50
from parallel_pool.testing.form import by_form

TASKS = by_form(
    ["button-press-v3", "drawer-open-v3", "hammer-v3", "reach-v3"], [f"{name}-v3" for name in MT50]
)
CAMERAS = by_form(["corner"], ["corner", "corner2", "corner3", "topview", "gripperPOV"])


@pytest.mark.parametrize("camera", CAMERAS)
@pytest.mark.parametrize("task", TASKS)
def test_equals_the_reference(task: str, camera: str) -> None:
    theirs = reference.make(task, 7, render_mode="rgb_array", camera_name=camera)
    ours = parallel_pool.make_gymnasium(
        task, num_envs=None, seed=7, render_mode="rgb_array", camera_name=camera
    )
    theirs.reset()
    ours.reset()
    first = ours.render()
    assert first.shape == (480, 480, 3)
    np.testing.assert_array_equal(first, theirs.render())
    random = np.random.default_rng(0)
    for _ in range(5):
        action = random.uniform(-1, 1, 4).astype(np.float32)
        theirs.step(action)
        ours.step(action)
    last = ours.render()
    np.testing.assert_array_equal(last, theirs.render())
    assert (first != last).any(), "nothing has moved"


def test_observes_pixels() -> None:
    with parallel_pool.make("reach-v3", num_envs=2, from_pixels=True, frame_stack=2) as pool:
        obs, _ = pool.reset()
        assert obs.shape == (2, 6, 84, 84) and obs.std() > 10
