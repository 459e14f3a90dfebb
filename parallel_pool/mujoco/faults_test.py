"""Wrong arguments, simulations that fail, several threads and processes."""

import gc
import multiprocessing
import os
import pathlib
import threading
import warnings
from typing import Any

import numpy as np
import pytest

from parallel_pool.mujoco import Batch, SimulationError, SimulationWarning, rollout

_HINGE = """
<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/>
<geom name="bar" size=".1" pos=".1 0 0"/></body></worldbody>
<actuator><motor name="motor" joint="hinge"/></actuator>
<keyframe><key name="up" qpos="1"/></keyframe></mujoco>
"""
# Ten boxes that touch need more memory than this model has.
_CROWDED = (
    '<mujoco><size memory="30K"/><worldbody><geom type="plane" size="5 5 1"/>'
    + "".join(
        f'<body pos="{i * 0.3} 0 3"><freejoint/><geom type="box" size=".05 .05 .05"/></body>'
        for i in range(10)
    )
    + "</worldbody></mujoco>"
)


_OTHER = _HINGE.replace("<actuator>", '<tendon/><actuator><motor joint="hinge"/>')


def _batch(num_envs: Any = 4, **options: Any) -> Batch:
    return Batch(_HINGE, num_envs, 2, **options)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (3, TypeError, "model must be a path, XML text, .*, not int"),
        ("nowhere.xml", FileNotFoundError, "model is 'nowhere.xml': there is no such file"),
        (
            "<mujoco><worldbod/></mujoco>",
            ValueError,
            "(?s)this text is no MuJoCo model: .*worldbod",
        ),
        ("<mujoco", ValueError, "this text is no MuJoCo model"),
    ],
)
def test_what_is_no_model(model: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Batch(model, 1)


def test_a_file_that_is_no_model(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.xml").write_text("<robots/>")
    (tmp_path / "a.mjb").write_bytes(b"nothing" * 20)
    with pytest.raises(ValueError, match=r"a\.xml is no MuJoCo model"):
        Batch(tmp_path / "a.xml", 1)
    with pytest.raises(ValueError, match=r"these bytes are no model of MuJoCo 3\.17\.0"):
        Batch(tmp_path / "a.mjb", 1)


def test_other_versions() -> None:
    with pytest.raises(
        ValueError, match=r"mujoco_version is '5'; allowed are '3\.17\.0', '4\.0\.1'"
    ):
        _batch(mujoco_version="5")
    assert _batch(mujoco_version="4.0.1").mujoco_version == "4.0.1"
    assert _batch().mujoco_version == "3.17.0"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda b: Batch(_HINGE, 0), ValueError, "num_envs is 0; it must be at least 1"),
        (lambda b: _batch(2.5), TypeError, "num_envs must be an int, not 2.5"),
        (lambda b: b.bind("xposs"), ValueError, "no field 'xposs' of mjData; did you mean xpos"),
        (lambda b: b.bind("body_mass"), ValueError, r"it is one of mjModel, expand\('body_mass'\)"),
        (lambda b: b.bind("gravity"), ValueError, r"expand\('opt.gravity'\)"),
        (lambda b: b.bind("maxuse_con"), ValueError, "maxuse_con cannot be bound"),
        (lambda b: b.expand("xpos"), ValueError, r"it is one of mjData, bind\('xpos'\)"),
        (lambda b: b.expand("mesh_vert"), ValueError, "mesh_vert cannot differ between envs"),
        (lambda b: b.step(nstep=-1), ValueError, "nstep is -1; it must be at least 1"),
        (lambda b: b.step(stage=4), ValueError, "stage is 4; allowed are 0 to 3"),
        (lambda b: b.step([4]), ValueError, "ids has 4; allowed are 0 to 3"),
        (lambda b: b.step([2, 1]), ValueError, "ids must be sorted, each once; 1 follows 2"),
        (lambda b: b.step([0.5]), TypeError, "ids must be integers, not float64"),
        (lambda b: b.step([[0]]), ValueError, r"ids has the shape \(1, 1\)"),
        (lambda b: b.step([True]), ValueError, r"ids is a mask of shape \(1,\)"),
        (lambda b: b.reset(keyframe=1), ValueError, "keyframe has 1; allowed are -1 to 0"),
        (lambda b: b.reset(keyframe=[0, 0]), ValueError, r"keyframe has the shape \(2,\)"),
        (lambda b: b.rollout(2, np.zeros(3)), ValueError, r"it must be \(4, 2, 1\)"),
        (lambda b: b.rollout(2, ["a"]), TypeError, "control must be numbers"),
        (lambda b: b.rollout(2, record=["qpo"]), ValueError, "'qpo', which is no field of mjData"),
        (
            lambda b: b.rollout(2, out={"qpos": np.zeros((4, 2, 1), np.float32)}),
            ValueError,
            r"out\['qpos'\] is float32 of shape \(4, 2, 1\); it must be float64",
        ),
        (
            lambda b: b.rollout(2, out={"qpos": np.zeros((4, 2, 2))[:, :, :1]}),
            ValueError,
            "must be C-contiguous and writable",
        ),
        (lambda b: b.rollout(0), ValueError, "nstep is 0; it must be at least 1"),
        (lambda b: b.rollout(1, 0, 2), ValueError, "control_spec is 2; allowed are bits of"),
        (lambda b: b.rollout(1, record=[1 << 20]), ValueError, "record is 1048576; allowed are"),
        (lambda b: b.get_model(9), ValueError, "env is 9; allowed are 0 to 3"),
        (lambda b: b.joint("hing"), KeyError, "has no joint 'hing'; did you mean hinge"),
        (lambda b: b.joint("hinge").xpos, AttributeError, "a joint has no 'xpos'; did you mean"),
        (lambda b: b.xpo, AttributeError, "no attribute 'xpo'; did you mean xpos"),
        (lambda b: setattr(b, "xpos", 1), ValueError, "xpos is computed by each call"),
        (lambda b: setattr(b.body("arm"), "xpos", 1), ValueError, "xpos is computed by each call"),
        (lambda b: setattr(b, "ctrl", np.zeros(3)), ValueError, "broadcast"),
        (lambda b: b.set_models([]), ValueError, "0 models for 4 envs"),
        (lambda b: b.set_models(_OTHER), ValueError, "mjb_setModels: "),
        (lambda b: b.rollout(2, record=["maxuse_con"]), ValueError, "mjb_rollout: .*maxuse_con"),
        (lambda b: rollout(b, np.zeros((5, 3)), nstep=1), ValueError, "5 initial states, and the"),
        (lambda b: rollout(b, np.zeros((1, 3))), ValueError, "nstep is needed"),
        (lambda b: rollout(b, np.zeros((1, 2)), nstep=1), ValueError, r"it must be \(1, 3\)"),
    ],
)
def test_wrong_calls_change_nothing(call: Any, error: type[Exception], message: str) -> None:
    batch = _batch()
    batch.ctrl = 1
    batch.step(nstep=3)
    before = batch.state.copy()
    with pytest.raises(error, match=message):
        call(batch)
    np.testing.assert_array_equal(batch.state, before)
    batch.step()
    assert (batch.state != before).any()


def test_models_and_fields_exclude_each_other() -> None:
    """MuJoCo's own refusals; the batch goes on after each."""
    batch = _batch()
    batch.expand("body_mass")
    with pytest.raises(ValueError, match="per-simulation model fields"):
        batch.set_models(_HINGE)
    batch.step()
    batch = _batch()
    batch.set_models(_HINGE)
    for call in (lambda: batch.expand("body_mass"), batch.set_const):
        with pytest.raises(ValueError, match="caller models"):
            call()
    batch.step()
    assert batch.status.tolist() == [0, 0, 0, 0]


def test_too_many_envs() -> None:
    with pytest.raises(MemoryError, match="there is not enough memory"):
        _batch(2**30)


def test_outputs_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        _batch().xpos[0] = 1


def test_an_env_that_fails_keeps_its_state() -> None:
    batch = Batch(_CROWDED, 3, 2)
    batch.bind("xpos")
    before = batch.qpos.copy()
    batch.qpos[1, 2::7] = 0.04  # all boxes on the ground
    batch.step()
    crowded = batch.qpos[1].copy()
    batch.qpos[1, 0::7] = 0  # and in one another
    with pytest.raises(SimulationError, match=r"1 of 3 envs failed \(1\); env 1: .*memory") as info:
        batch.step(nstep=2)
    assert info.value.ids.tolist() == [1]
    assert batch.status.tolist() == [0, 1, 0]
    assert "memory" in batch.error(1)
    assert batch.error(0) == ""
    np.testing.assert_array_equal(batch.time, [3 * 0.002, 0.002, 3 * 0.002])
    assert (batch.qpos[0] != before[0]).any()
    batch.qpos[1] = crowded
    batch.step()
    assert batch.status.tolist() == [0, 0, 0]


def test_a_diverging_env_is_named_with_its_step() -> None:
    batch = _batch()
    batch.qvel[2] = np.nan
    with pytest.warns(SimulationWarning, match="env 2: qvel had NaN .*, in step 1 of 5"):
        batch.step(nstep=5)
    batch.ctrl[1] = np.nan
    with pytest.warns(SimulationWarning, match="env 1: ctrl had NaN or a huge number"):
        batch.step()
    batch.ctrl[1] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch.step(nstep=5)
    assert np.isfinite(batch.qpos).all()


def test_threads_of_python_may_call_at_once() -> None:
    batch, alone = _batch(64), _batch(64)
    batch.ctrl = alone.ctrl = 0.5
    half = np.arange(0, 64, 2)

    def play(ids: np.ndarray[Any, Any]) -> None:
        for _ in range(50):
            batch.step(ids)

    threads = [threading.Thread(target=play, args=(ids,)) for ids in (half, half + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone.step(nstep=50)
    np.testing.assert_array_equal(batch.qpos, alone.qpos)


def test_random_calls_never_break_a_batch() -> None:
    rng = np.random.default_rng(5)
    batch = _batch(8)
    values: list[Any] = [
        None,
        -1,
        0,
        1,
        7,
        8,
        2.5,
        "qpos",
        [0, 1],
        [1, 0],
        np.zeros(8, bool),
        np.zeros((2, 2)),
    ]
    names = ("step", "forward", "reset", "set_const", "rollout", "bind", "expand", "joint", "error")
    refused = 0
    warnings.simplefilter("ignore", SimulationWarning)
    for _ in range(2000):
        call = getattr(batch, names[rng.integers(len(names))])
        arguments = [values[rng.integers(len(values))] for _ in range(rng.integers(3))]
        try:
            call(*arguments)
        except (TypeError, ValueError, KeyError):
            refused += 1
    assert refused > 500
    batch.reset()
    batch.ctrl = 1
    batch.step(nstep=10)
    assert (batch.qpos > 0).all()


def test_arrays_outlive_their_batch() -> None:
    batch = _batch()
    qpos, xpos, mass = batch.qpos, batch.bind("xpos"), batch.expand("body_mass")
    del batch
    gc.collect()
    assert (qpos == 0).all()
    assert xpos.shape == (4, 2, 3)
    assert (mass[:, 1] > 0).all()


def _child(queue: Any, batch: Batch) -> None:
    try:
        batch.step()
    except RuntimeError as error:
        queue.put(str(error))
    else:
        queue.put("no error")
    own = _batch()
    own.step()
    queue.put(own.status.tolist())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_makes_its_own_batch() -> None:
    batch = _batch()
    batch.step()
    context = multiprocessing.get_context("fork")
    queue: Any = context.SimpleQueue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = context.Process(target=_child, args=(queue, batch))
        child.start()
    assert "was made before a fork" in queue.get()
    assert queue.get() == [0, 0, 0, 0]
    child.join()
    batch.step()
