"""Models of other packages, many times: Batch equals mujoco.batch, mujoco.rollout and mj_step."""

import importlib.metadata
import pathlib
from typing import Any

import mujoco
import numpy as np
import pytest
from mujoco import batch as mujoco_batch
from mujoco import rollout as mujoco_rollout

from parallel_pool.mujoco import Batch, rollout

_PACKAGES = ("myo_sim", "robosuite")
_FIELDS = ("xpos", "xquat", "qacc", "sensordata", "qfrc_bias", "actuator_force")
_STEPS = 20
_FULL = mujoco.mjtState.mjSTATE_FULLPHYSICS


def _models() -> dict[str, mujoco.MjModel]:
    """The models with actuators, by file: other files are parts, and are not models alone."""
    found = {}
    for package in _PACKAGES:
        for file in sorted(importlib.metadata.files(package) or ()):
            if file.suffix != ".xml":
                continue
            try:
                model = mujoco.MjModel.from_xml_path(str(file.locate()))
            except ValueError:
                continue
            if model.nv and model.nu:
                found[str(file)] = model
    return found


_MODELS = _models()


@pytest.fixture(autouse=True)
def _no_log(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file there


def _controls(model: mujoco.MjModel, num_envs: int) -> Any:
    """Random controls within the ranges: (num_envs, _STEPS, nu)."""
    low, high = np.clip(model.actuator_ctrlrange.T, -1, 1)
    limited = model.actuator_ctrllimited.astype(bool)
    low, high = np.where(limited, low, -1), np.where(limited, high, 1)
    return np.random.default_rng(1).uniform(low, high, (num_envs, _STEPS, model.nu))


@pytest.mark.filterwarnings("ignore::parallel_pool.mujoco.SimulationWarning")
@pytest.mark.parametrize(("num_envs", "num_threads"), [(1, 1), (7, 1), (64, 2)])
@pytest.mark.parametrize("name", _MODELS)
def test_equals_mujoco(name: str, num_envs: int, num_threads: int) -> None:
    model = _MODELS[name]
    theirs = mujoco_batch.Batch(model, num_envs, num_threads)
    ours = Batch(model, num_envs, num_threads)
    controls = _controls(model, num_envs)
    for field in _FIELDS:
        theirs.bind(field)
        ours.bind(field)
    first = ours.state.copy()
    for i in range(_STEPS):
        for batch in (theirs, ours):
            batch.ctrl = controls[:, i]
            batch.step()
        for field in ("state", "warning", "status"):
            np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field), field)
        for field in _FIELDS:
            np.testing.assert_array_equal(ours.bind(field), theirs.bind(field), field)

    data = mujoco.MjData(model)
    for i in range(_STEPS):
        data.ctrl = controls[-1, i]
        mujoco.mj_step(model, data)
    np.testing.assert_array_equal(ours.qpos[-1], data.qpos)
    np.testing.assert_array_equal(ours.qvel[-1], data.qvel)

    ours.reset()
    np.testing.assert_array_equal(ours.state, first)
    begin = np.zeros(mujoco.mj_stateSize(model, _FULL))
    mujoco.mj_getState(model, mujoco.MjData(model), begin, _FULL)
    begins = np.tile(begin, (num_envs, 1))
    for mine, other in zip(
        rollout(ours, begins, controls),
        mujoco_rollout.rollout(model, mujoco.MjData(model), begins, controls),
        strict=True,
    ):
        np.testing.assert_array_equal(mine, other)


def test_robots_are_stepped_in_lanes_and_muscles_are_not() -> None:
    remarks = {name: Batch(model, 4).remark for name, model in _MODELS.items()}
    for package, lanes in (("robosuite", True), ("myo_sim", False)):
        found = [remark for name, remark in remarks.items() if name.startswith(package)]
        assert len(found) >= 8
        assert any(remark.startswith("in lanes") for remark in found) == lanes, found
        assert all(": " in remark for remark in found if not remark.startswith("in lanes"))
