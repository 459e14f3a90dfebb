"""Gymnasium-Robotics as a reference, on the MuJoCo that is installed."""

import pathlib
import shutil
import tempfile
import types
import warnings
from typing import Any

import gymnasium
import mujoco
import numpy as np

with warnings.catch_warnings():  # about the rewards of its version 1.2.0
    warnings.simplefilter("ignore")
    gymnasium.logger.min_level = gymnasium.logger.ERROR
    import gymnasium_robotics
    from gymnasium_robotics.envs.multiagent_mujoco import (
        coupled_half_cheetah,
        mamujoco_v1,
        mujoco_multi,
    )
    from gymnasium_robotics.utils import mujoco_utils


# MuJoCo with the types of joints as plain integers. The reference asks whether a NumPy integer is
# in a tuple of mjtJoint; with newer versions of MuJoCo the answer is always no, and its
# constructors fail.
_TYPES = {"mjJNT_FREE": 0, "mjJNT_BALL": 1, "mjJNT_SLIDE": 2, "mjJNT_HINGE": 3}
mujoco_utils.mujoco = types.SimpleNamespace(
    **vars(mujoco) | {"mjtJoint": types.SimpleNamespace(**_TYPES)}
)
gymnasium.register_envs(gymnasium_robotics)

# AntMaze-v3 writes its model to one file of the first folder, whatever the process; mamujoco_v1 to
# one of the package's.
_FOLDER = tempfile.TemporaryDirectory()
tempfile.tempdir = _FOLDER.name
_package = pathlib.Path(mujoco_multi.__file__).parent / "assets"
shutil.copytree(_package, pathlib.Path(_FOLDER.name, "assets"))
mujoco_multi.__file__ = str(pathlib.Path(_FOLDER.name, "mujoco_multi.py"))


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


class _Dense:
    """The data of a world whose matrix ten_J is dense, as it was before MuJoCo 3.5."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._data, name)

    @property
    def ten_J(self) -> Any:  # noqa: N802
        model = self._data.model
        dense = np.zeros((model.ntendon, model.nv))
        mujoco.mju_sparse2dense(
            dense, self._data.ten_J, model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind
        )
        return dense


_get_obs, _build_obs = coupled_half_cheetah.CoupledHalfCheetahEnv._get_obs, mujoco_multi.build_obs
coupled_half_cheetah.CoupledHalfCheetahEnv._get_obs = lambda env: _get_obs(
    types.SimpleNamespace(data=_Dense(env.data))
)
mujoco_multi.build_obs = lambda data, *rest: _build_obs(_Dense(data), *rest)


def multi_agent(robot: str, agent_conf: str | None, **options: Any) -> Any:
    """An env of mamujoco_v1. Parts with the same label are in the order of their motors.

    There, the order of such parts depends on the addresses of objects.
    """
    if robot != "CoupledHalfCheetah":
        options["disable_env_checker"] = True
    env = mamujoco_v1.parallel_env(robot, agent_conf, **options)
    for parts in env.k_dicts if agent_conf else ():
        for near in parts.values():
            near.sort(key=lambda part: (part.label, part.act_ids))
    return env
