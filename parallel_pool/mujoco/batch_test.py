"""Batch equals mujoco.batch: states, fields and records, for models in lanes and others."""

import os
import pathlib
import warnings
from typing import Any

import mujoco
import numpy as np
import pytest
from mujoco import batch as mujoco_batch

import parallel_pool
from parallel_pool.mujoco import Batch, rollout

_MODELS = pathlib.Path(parallel_pool.__file__).parent / "envs" / "mujoco" / "models"
_VERSION = mujoco.__version__
_ENVS = 6
# Models, and whether they are stepped in lanes while these fields are bound.
_FIELDS = (
    *("xpos", "xquat", "xmat", "qacc", "cvel", "qfrc_bias", "actuator_force", "site_xpos"),
    *("geom_xmat", "subtree_com", "cam_xpos", "qfrc_constraint", "xaxis", "qfrc_actuator"),
)
_ROBOTS: tuple[str, ...] = (
    *("gym/half_cheetah", "gym/ant", "gym/walker2d", "gym/humanoid", "gym/pusher", "gym/reacher"),
    *("dm_control/cheetah", "dm_control/humanoid_CMU", "dm_control/dog_run", "dm_control/fish"),
    *("dm_control/quadruped_fetch", "dm_control/stack_2", "dm_control/point_mass"),
    *("robotics/adroit_hand/adroit_door", "robotics/hand/manipulate_block", "robotics/fetch/push"),
)
_OTHERS = ("dm_control/quadruped_escape",)
if os.environ.get("LONG"):
    _ROBOTS = tuple(
        str(path.relative_to(_MODELS).with_suffix(""))
        for path in sorted(_MODELS.rglob("*.xml"))
        if "<actuator" in path.read_text()
    )

_ARM = """
<mujoco><option timestep="0.004"/><worldbody><geom type="plane" size="5 5 1"/>
<body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping=".1"/>
<geom name="bar" type="capsule" fromto="0 0 0 .3 0 0" size=".05"/>
<body name="lower" pos=".3 0 0"><joint name="elbow" axis="0 1 0" range="-1 1" limited="true"/>
<geom type="capsule" fromto="0 0 0 .3 0 -.5" size=".05"/><site name="tip" pos=".3 0 -.5"/></body>
</body><body name="ball" pos="1 0 .2"><joint name="free" type="free"/><geom size=".1"/></body>
<body name="target" mocap="true" pos="0 1 0"/></worldbody>
<tendon><fixed name="both"><joint joint="elbow" coef="1"/></fixed></tendon>
<equality><joint name="tied" joint1="elbow" joint2="shoulder" active="false"/></equality>
<actuator><motor name="push" joint="shoulder" ctrlrange="-2 2" ctrllimited="true"/>
<general name="pull" joint="elbow" dyntype="filter" dynprm=".1" gainprm="1"/></actuator>
<sensor><jointpos name="angle" joint="elbow"/><framepos name="place" objtype="site" objname="tip"/>
</sensor>
<keyframe><key name="up" qpos=".5 -.5 1 0 .3 1 0 0 0"/><key name="down" qpos="0 .5 1 0 .2 1 0 0 0"/>
</keyframe></mujoco>
"""


@pytest.fixture(autouse=True)
def _no_log(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file there
    warnings.simplefilter("ignore", parallel_pool.mujoco.SimulationWarning)


def _both(model: Any, num_threads: int = 2, num_envs: int = _ENVS) -> tuple[Any, Batch]:
    own = model if isinstance(model, mujoco.MjModel) else _compiled(model)
    return (
        mujoco_batch.Batch(own, num_envs, num_threads),
        Batch(model, num_envs, num_threads, mujoco_version=_VERSION),
    )


def _compiled(model: str | pathlib.Path) -> mujoco.MjModel:
    if isinstance(model, str):
        return mujoco.MjModel.from_xml_string(model)
    return mujoco.MjModel.from_xml_path(str(model))


def _assert_equal(theirs: Any, ours: Batch, fields: tuple[str, ...] = (), ids: Any = None) -> None:
    np.testing.assert_array_equal(ours.state, theirs.state)
    np.testing.assert_array_equal(ours.warning, theirs.warning)
    np.testing.assert_array_equal(ours.status, theirs.status)
    chosen = slice(None) if ids is None else ids
    for name in fields:
        np.testing.assert_array_equal(
            ours.bind(name)[chosen], theirs.bind(name)[chosen], err_msg=name
        )


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("name", [*_ROBOTS, *_OTHERS])
def test_steps_equal(name: str, num_threads: int) -> None:
    theirs, ours = _both(_MODELS / f"{name}.xml", num_threads)
    for field in _FIELDS:
        theirs.bind(field)
        ours.bind(field)
    assert ours.in_lanes == (name not in _OTHERS) or os.environ.get("LONG"), ours.remark
    rng = np.random.default_rng(1)
    for step in range(12):
        if step % 6 == 0:
            velocities = rng.normal(size=(_ENVS, theirs.model.nv)) * 0.3
            for batch in (theirs, ours):
                batch.reset()
                batch.qvel = velocities
        control = rng.uniform(-1, 1, (_ENVS, theirs.model.nu))
        ids = None if step % 3 else np.array([0, 2, 5])
        for batch in (theirs, ours):
            batch.ctrl = control
            batch.xfrc_applied[1] = 0.5 if step % 4 == 1 else 0
            batch.step(ids, 1 + step % 3)
        _assert_equal(theirs, ours, _FIELDS, ids)


@pytest.mark.parametrize("num_envs", [1, 64])
@pytest.mark.parametrize(
    "name", ["gym/half_cheetah", "gym/ant", "robotics/adroit_hand/adroit_door"]
)
def test_numbers_of_envs(name: str, num_envs: int) -> None:
    theirs, ours = _both(_MODELS / f"{name}.xml", 2, num_envs)
    rng = np.random.default_rng(6)
    for _ in range(6):
        control = rng.uniform(-1, 1, (num_envs, theirs.model.nu))
        for batch in (theirs, ours):
            batch.ctrl = control
            batch.step(nstep=3)
        _assert_equal(theirs, ours)
    assert ours.in_lanes


def test_one_bit_is_seen() -> None:
    theirs, ours = _both(_MODELS / "gym/half_cheetah.xml")
    for batch in (theirs, ours):
        batch.qvel = 0.1
    ours.qvel[3, 2] = np.nextafter(0.1, 1)
    for batch in (theirs, ours):
        batch.step()
    with pytest.raises(AssertionError, match="Mismatched elements"):
        _assert_equal(theirs, ours)


@pytest.mark.parametrize("model", [_ARM, _MODELS / "gym/half_cheetah.xml"], ids=["arm", "cheetah"])
def test_all_calls_equal(model: Any) -> None:
    theirs, ours = _both(model)
    fields = ("xpos", "qacc", "sensordata")
    rng = np.random.default_rng(2)
    for batch in (theirs, ours):
        for field in fields:
            batch.bind(field)
        batch.reset(np.array([1, 3]))
    for stage in range(4):
        velocities = rng.normal(size=(_ENVS, theirs.model.nv))
        for batch in (theirs, ours):
            batch.qvel = velocities
            batch.forward(stage=stage)
            batch.forward()
            batch.step(nstep=2, stage=stage)
        _assert_equal(theirs, ours, fields if stage in (0, 3) else ())
    for batch in (theirs, ours):
        batch.ctrl[2] = np.nan
        batch.qpos[4] = np.inf
        batch.qvel[5] = 1e12
        batch.step(nstep=3)
    _assert_equal(theirs, ours, fields)
    assert ours.warning[[2, 4, 5], :, 1].any(axis=1).all()


def test_resets_and_other_parts_of_the_state() -> None:
    theirs, ours = _both(_ARM)
    for batch in (theirs, ours):
        batch.reset(keyframe=np.array([0, 1, -1, 0, 1, -1]))
        batch.mocap_pos[:, 0, 2] = np.arange(_ENVS)
        batch.eq_active[2] = 1
        batch.qfrc_applied[3] = 0.1
        batch.time[4] = 7
        batch.act[5] = 0.3
        batch.step(nstep=4)
    _assert_equal(theirs, ours)
    assert ours.bind("mocap_pos").shape == (_ENVS, 1, 3)
    for field in mujoco_batch.DATA_FIELDS - {"plugin", "plugin_data"}:
        assert ours.bind(field).shape == theirs.bind(field).shape, field
        assert ours.bind(field).dtype == theirs.bind(field).dtype, field


@pytest.mark.parametrize("name", ["gym/half_cheetah", "gym/ant", "dm_control/quadruped_escape"])
def test_rollouts_equal(name: str) -> None:
    theirs, ours = _both(_MODELS / f"{name}.xml")
    rng = np.random.default_rng(3)
    control = rng.uniform(-1, 1, (_ENVS, 5, theirs.model.nu))
    control[1, 2] = np.nan  # MuJoCo warns of it, so this env stops there
    record = ("qpos", "xpos", "sensordata", int(mujoco.mjtState.mjSTATE_FULLPHYSICS))
    found = [batch.rollout(5, control, record=record) for batch in (theirs, ours)]
    for item in record:
        np.testing.assert_array_equal(found[1][item], found[0][item])
    _assert_equal(theirs, ours)
    for batch in (theirs, ours):
        some: dict[str | int, Any] = {"qpos": np.zeros((2, 3, theirs.model.nq))}
        found[0] = batch.rollout(3, control[0, :3], ids=np.array([0, 4]), out=some)
        assert found[0]["qpos"] is some["qpos"]
        assert some["qpos"].any()
    _assert_equal(theirs, ours)


def test_the_function_rollout_equals_mujocos() -> None:
    from mujoco import rollout as mujoco_rollout

    model = _compiled(_ARM)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(4)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    first = np.zeros(size)
    mujoco.mj_getState(model, data, first, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states = np.stack([first] * 5)
    states[:, 1:3] += rng.normal(size=(5, 2)) * 0.1
    control = rng.uniform(-1, 1, (5, 7, model.nu))
    state, sensordata = mujoco_rollout.rollout(model, data, states, control)
    batch = Batch(_ARM, _ENVS, mujoco_version=_VERSION)
    batch.qfrc_applied = 3  # a rollout begins without
    for _ in range(2):
        found = rollout(batch, states, control)
        np.testing.assert_array_equal(found[0], state)
        np.testing.assert_array_equal(found[1], sensordata)
    out = np.zeros_like(state)
    assert rollout(batch, states, control, state=out)[0] is out


def test_fields_of_the_model_may_differ() -> None:
    theirs, ours = _both(_ARM)
    for batch in (theirs, ours):
        batch.expand("body_mass")[:, 1] = 1 + np.arange(_ENVS)
        batch.expand("opt.gravity")[2] = 0, 0, -1
        batch.body("ball").mass = 3
        batch.set_const()
        batch.step(nstep=5)
    _assert_equal(theirs, ours)
    assert not ours.in_lanes
    assert "body_mass differs between envs" in ours.remark
    np.testing.assert_array_equal(
        ours.expanded("body_subtreemass"),
        [theirs.get_model(env).body_subtreemass for env in range(_ENVS)],
    )
    assert ours.expanded("geom_size") is None
    model = ours.get_model(3)
    assert model.body_mass[1] == 4
    data = ours.get_data(3)
    np.testing.assert_array_equal(data.qpos, ours.qpos[3])


def test_envs_may_have_models_of_their_own() -> None:
    models = []
    for mass in range(_ENVS):
        spec = mujoco.MjSpec.from_string(_ARM)
        spec.geom("bar").mass = 1 + mass
        models.append(spec.compile())
    theirs, ours = _both(_compiled(_ARM))
    for batch in (theirs, ours):
        batch.set_models(models)
        batch.step(nstep=3)
    _assert_equal(theirs, ours)
    np.testing.assert_array_equal(ours.body("upper").mass, theirs.body("upper").mass)
    assert ours.remark == "by libmujoco; not in lanes: each env has a model of its own"
    ours.set_models(None)
    theirs.set_models(None)
    assert ours.in_lanes
    for batch in (theirs, ours):
        batch.step(nstep=3)
    _assert_equal(theirs, ours)


def test_views_of_elements() -> None:
    theirs, ours = _both(_ARM)
    for batch in (theirs, ours):
        batch.joint("elbow").qpos = 0.25
        batch.actuator("push").ctrl = 1.0
        batch.sensor("angle")
        batch.step(nstep=2)
    compared = 0
    for kind, key in (
        *(("joint", "shoulder"), ("joint", "free"), ("body", "lower"), ("geom", "bar")),
        *(("site", "tip"), ("actuator", "push"), ("actuator", "pull"), ("sensor", "place")),
        *(("tendon", "both"), ("equality", "tied"), ("keyframe", "down"), ("joint", 1)),
    ):
        their_view, view = getattr(theirs, kind)(key), getattr(ours, kind)(key)
        assert (view.id, view.name) == (their_view.id, their_view.name)
        for name in dir(view):
            try:
                expected = getattr(their_view, name)
            except AttributeError:
                continue
            if not isinstance(expected, np.ndarray):
                continue
            found = getattr(view, name)
            compared += 1
            # Outputs hold other envs' numbers in theirs, where a call does not compute them.
            if name in ("xpos", "xmat", "qpos", "qvel", "ctrl", "data", "range", "mass", "gear"):
                np.testing.assert_array_equal(found, expected, err_msg=f"{kind} {name}")
            assert found.shape == expected.shape, (kind, name)
    assert compared > 150


@pytest.mark.parametrize("kind", ["path", "xml", "model", "spec", "mjb"])
def test_takes_models_of_each_form(kind: str, tmp_path: pathlib.Path) -> None:
    model = _compiled(_ARM)
    (tmp_path / "arm.xml").write_text(_ARM)
    mujoco.mj_saveModel(model, str(tmp_path / "arm.mjb"), None)
    batch = Batch(
        {
            "path": tmp_path / "arm.xml",
            "xml": _ARM,
            "model": model,
            "spec": mujoco.MjSpec.from_string(_ARM),
            "mjb": tmp_path / "arm.mjb",
        }[kind],
        2,
        mujoco_version=None if kind in ("model", "spec") else _VERSION,
    )
    assert batch.mujoco_version == _VERSION
    batch.step(nstep=10)
    data = mujoco.MjData(model)
    for _ in range(10):
        mujoco.mj_step(model, data)
    np.testing.assert_array_equal(batch.qpos, [data.qpos] * 2)
