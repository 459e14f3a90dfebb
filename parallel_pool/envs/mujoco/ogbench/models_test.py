"""The arm's models equal OGBench's, though the build writes them, and meshes in another format."""

import pathlib
from typing import Any

import mujoco
import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.mujoco.ogbench import reference
from parallel_pool.testing.form import some

FOLDER = pathlib.Path(parallel_pool.__file__).parent / "envs/mujoco/models/ogbench/arm"
TASKS = [task for task in reference.arms() if "singletask" not in task]
# Paths of files, and sizes that count their characters and those of our numbers.
PATHS = {"mesh_pathadr", "nbuffer", "npaths", "paths", "tex_pathadr"}
OURS = {"names", "names_map", "nnames", "nnames_map", "nnumeric", "nnumericdata"}
# Envs change these in each episode.
CHANGING = {"dof_damping", "geom_rgba", "mat_rgba", "site_pos"}


@pytest.mark.parametrize("task", some(TASKS, 4))
def test_equals_ogbenchs(task: str) -> None:
    env: Any = reference.make(task).unwrapped
    env.reset(seed=0)
    wanted = env.model
    found = mujoco.MjModel.from_xml_path(str(FOLDER / f"{task.removesuffix('-v0')}.xml"))
    fields = {
        name
        for name in dir(wanted)
        if not name.startswith("_") and isinstance(getattr(wanted, name), np.ndarray | int | bytes)
    }
    assert {"geom_size", "mesh_vert", "mesh_normal", "actuator_biasprm"} < fields
    for field in sorted(fields - PATHS - OURS - CHANGING):
        if not field.startswith(("numeric_", "name_")):
            assert np.array_equal(getattr(found, field), getattr(wanted, field)), field
    for field in CHANGING:
        assert getattr(found, field).shape == getattr(wanted, field).shape, field
    for option in ("timestep", "integrator", "cone", "impratio", "iterations", "tolerance"):
        assert getattr(found.opt, option) == getattr(wanted.opt, option), option
