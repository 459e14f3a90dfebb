"""Gymnasium-Robotics as a reference, on the MuJoCo that is installed."""

import tempfile
import types
import warnings
from typing import Any

import gymnasium
import mujoco

with warnings.catch_warnings():  # about the rewards of its version 1.2.0
    warnings.simplefilter("ignore")
    gymnasium.logger.min_level = gymnasium.logger.ERROR
    import gymnasium_robotics
    from gymnasium_robotics.utils import mujoco_utils


# MuJoCo with the types of joints as plain integers. The reference asks whether a NumPy integer is
# in a tuple of mjtJoint; with newer versions of MuJoCo the answer is always no, and its
# constructors fail.
_TYPES = {"mjJNT_FREE": 0, "mjJNT_BALL": 1, "mjJNT_SLIDE": 2, "mjJNT_HINGE": 3}
mujoco_utils.mujoco = types.SimpleNamespace(
    **vars(mujoco) | {"mjtJoint": types.SimpleNamespace(**_TYPES)}
)
gymnasium.register_envs(gymnasium_robotics)

# AntMaze-v3 writes its model to one file of this folder, whatever the process.
_FOLDER = tempfile.TemporaryDirectory()
tempfile.tempdir = _FOLDER.name


def make(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """An env of Gymnasium-Robotics, with its time limit."""
    return gymnasium.make(task_id, disable_env_checker=True, **options)


def ids() -> list[str]:
    """The tasks that it has and that can be made: those without mujoco-py."""
    return sorted(
        task_id
        for task_id, spec in gymnasium.registry.items()
        if "gymnasium_robotics" in str(spec.entry_point)
        and "MujocoPy" not in str(spec.entry_point)
        and ".envs.mujoco." not in str(spec.entry_point)
    )
