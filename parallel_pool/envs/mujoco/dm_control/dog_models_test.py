"""The dog's models equal dm_control's, though their meshes are in another format."""

import pathlib

import mujoco
import numpy as np
import pytest
from dm_control.suite import dog

import parallel_pool

FOLDER = pathlib.Path(parallel_pool.__file__).parent / "envs/mujoco/models/dm_control"
# The paths of meshes and textures, and sizes that count their characters.
PATHS = {"mesh_pathadr", "nbuffer", "npaths", "paths", "skin_pathadr", "tex_pathadr"}


@pytest.mark.parametrize(
    ("name", "floor_size", "remove_ball"),
    [("walk", 15, True), ("trot", 45, True), ("run", 135, True), ("fetch", 10, False)],
)
def test_equals_dm_controls(name: str, floor_size: int, remove_ball: bool) -> None:
    xml, assets = dog.get_model_and_assets(floor_size, remove_ball)
    wanted = mujoco.MjModel.from_xml_string(xml.decode(), assets)
    found = mujoco.MjModel.from_xml_path(str(FOLDER / f"dog_{name}.xml"))
    names = {
        name
        for name in dir(wanted)
        if not name.startswith("_") and isinstance(getattr(wanted, name), np.ndarray | int | bytes)
    }
    assert {"geom_size", "mesh_vert", "nmesh", "tex_data", "skin_vert", "names"} < names
    assert len(names) > 500
    for field in sorted(names - PATHS):
        assert np.array_equal(getattr(found, field), getattr(wanted, field)), field
    for option in ("timestep", "gravity", "integrator", "noslip_iterations", "iterations"):
        assert np.array_equal(getattr(found.opt, option), getattr(wanted.opt, option)), option
