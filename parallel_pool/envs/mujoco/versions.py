"""The versions of MuJoCo that this family's tasks can be stepped with."""

from parallel_pool.python.specs.versions import Versions

VERSIONS = Versions(
    option="mujoco_version",
    variable="PARALLEL_POOL_MUJOCO",
    libraries={"3.17.0": "_family.so", "4.0.1": "_family_4.so"},
    packages=("mujoco-core", "mujoco"),
    # They differ where the edge of a cylinder touches.
    equal={"4.0.0": "4.0.1"},
)
