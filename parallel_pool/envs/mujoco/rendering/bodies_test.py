"""The places and shapes of bodies equal MuJoCo's own, by ==."""

import pathlib
from typing import Any

import mujoco
import numpy as np
import pytest
from gymnasium.envs import mujoco as gymnasium_mujoco

import parallel_pool

_ASSETS = pathlib.Path(str(gymnasium_mujoco.__file__)).parent / "assets"
_KINDS = {
    mujoco.mjtGeom.mjGEOM_SPHERE: "sphere",
    mujoco.mjtGeom.mjGEOM_CAPSULE: "capsule",
    mujoco.mjtGeom.mjGEOM_CYLINDER: "cylinder",
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: "ellipsoid",
    mujoco.mjtGeom.mjGEOM_BOX: "box",
    mujoco.mjtGeom.mjGEOM_MESH: "mesh",
}


def bodies(pool: Any, env: int, with_shapes: bool = False) -> list[Any]:
    found: list[Any] = pool._native.core_pool.bodies(np.array([env], np.int32), with_shapes)
    return found


@pytest.mark.parametrize("name", ["ant.xml", "half_cheetah.xml", "humanoid.xml", "pusher.xml"])
def test_places_are_those_of_the_library(name: str) -> None:
    """They are xpos and xquat after mj_step, as pictures have them."""
    path = str(_ASSETS / name)
    pool = parallel_pool.make("MuJoCo-v0", num_envs=3, xml_path=path, seed=1)
    model = mujoco.MjModel.from_xml_path(path)
    names = [model.body(k).name or f"body_{k}" for k in range(model.nbody)]
    worlds = [mujoco.MjData(model) for _ in range(3)]
    for world in worlds:
        mujoco.mj_forward(model, world)
    pool.reset()
    rng = np.random.default_rng(0)
    for _ in range(20):
        for env, world in enumerate(worlds):
            found = bodies(pool, env)
            assert [body for body, _, _ in found] == names
            places = np.array([place for _, place, _ in found])
            assert (places[:, :3] == world.xpos).all()
            assert (places[:, 3:] == world.xquat).all()
            assert not any(shapes for *_, shapes in found)
        low, high = model.actuator_ctrlrange.T
        actions = rng.uniform(low, high, (3, model.nu))
        for world, action in zip(worlds, actions, strict=True):
            world.ctrl[:] = action
            mujoco.mj_step(model, world)
        pool.step(actions)


MESH = """
<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 2 0  0 0 3"/>
    <material name="red" rgba="1 0 0 1"/>
  </asset>
  <worldbody>
    <geom type="plane" size="0 3 1"/>
    <body name="thing" pos="0 0 1">
      <freejoint/>
      <geom type="mesh" mesh="wedge" material="red"/>
      <geom type="box" size="1 2 3" pos="0 1 0" euler="0 30 0" rgba="0 1 0 .5"/>
      <geom type="ellipsoid" size="1 2 3"/>
      <geom type="sphere" size="1" rgba="0 0 0 0"/>
      <geom type="capsule" size="1 2" group="3"/>
      <geom type="cylinder" size="1 2"/>
    </body>
    <body><joint name="hinge"/><geom type="cylinder" size="1 2"/></body>
  </worldbody>
  <actuator><motor joint="hinge" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


def test_shapes_are_the_geoms_that_pictures_show(tmp_path: pathlib.Path) -> None:
    """Planes, invisible ones, and those of group 3, are left out."""
    path = tmp_path / "thing.xml"
    path.write_text(MESH)
    pool = parallel_pool.make("MuJoCo-v0", num_envs=1, xml_path=str(path))
    pool.reset()
    model = mujoco.MjModel.from_xml_path(str(path))
    found = bodies(pool, 0, with_shapes=True)
    shapes = [shape for *_, own in found for shape in own]
    shown = [k for k in range(model.ngeom) if k not in (0, 4, 5)]
    assert [name for name, *_ in found] == ["world", "thing", "body_2"]
    assert [len(own) for *_, own in found] == [0, 4, 1]
    for geom, (kind, place, size, color, vertices, triangles) in zip(shown, shapes, strict=True):
        assert kind == _KINDS[mujoco.mjtGeom(model.geom_type[geom])]
        assert (place == np.r_[model.geom_pos[geom], model.geom_quat[geom]]).all()
        assert (size == model.geom_size[geom]).all()
        wanted = model.geom_rgba[geom] if kind != "mesh" else model.mat_rgba[0]
        assert (color == wanted).all()
        assert (len(vertices), len(triangles)) == ((4, 4) if kind == "mesh" else (0, 0))
    _, _, _, _, vertices, triangles = shapes[0]
    assert (vertices == model.mesh_vert).all()
    assert (triangles == model.mesh_face).all()


def test_a_pool_of_several_tasks() -> None:
    pool = parallel_pool.make(["HalfCheetah-v5", "Hopper-v5"], num_envs=2, separate_spaces=True)
    pool.reset()
    assert [len(bodies(pool, env)) for env in range(2)] == [8, 5]


def test_an_env_that_never_began_is_refused() -> None:
    pool = parallel_pool.make("HalfCheetah-v5", num_envs=2)
    with pytest.raises(ValueError, match="was never reset"):
        bodies(pool, 1)
