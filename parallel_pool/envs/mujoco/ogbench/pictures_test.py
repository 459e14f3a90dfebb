"""Pictures of render() equal OGBench's with the same OpenGL, pixel for pixel."""

import os

os.environ["MUJOCO_GL"] = "egl"

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.mujoco.ogbench import reference

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("antsoccer-medium-v0", {}),
    ("antmaze-giant-v0", {"width": 64, "height": 48, "camera_name": "back"}),
    ("humanoidmaze-large-singletask-v0", {}),
    ("pointmaze-teleport-v0", {}),
    ("cube-double-v0", {}),
    ("puzzle-4x4-v0", {"width": 320, "height": 240}),
    ("scene-singletask-v0", {}),
]


@pytest.mark.parametrize(("task", "size"), OPTIONS)
def test_equals_the_reference(task: str, size: dict[str, Any]) -> None:
    ours_size = {"render_" + name: size[name] for name in ("width", "height") if name in size}
    if "camera_name" in size:
        ours_size["camera_name"] = size["camera_name"]
    theirs = reference.make(task, **size)
    ours = parallel_pool.make_gymnasium(task, num_envs=None, render_mode="rgb_array", **ours_size)
    theirs.reset(seed=7)
    ours.reset(seed=7)
    np.testing.assert_array_equal(ours.render(), theirs.render())
    random = np.random.default_rng(0)
    for _ in range(4):
        action = random.uniform(-1, 1, theirs.action_space.shape).astype(np.float32)
        theirs.step(action)
        ours.step(action)
    np.testing.assert_array_equal(ours.render(), theirs.render())
    ours.close()
    theirs.close()
