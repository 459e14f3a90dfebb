"""MuJoCo-v0 equals MuJoCo's own Python bindings with the same model."""

import pathlib
import pickle
import shutil
from typing import Any

import gymnasium
import mujoco
import numpy as np
import pytest

import parallel_pool

MODEL = """
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body name="cart" pos="0 0 1">
      <joint name="slide" type="slide" axis="1 0 0"/>
      <geom size="0.2"/>
      <body pos="0 0 -0.3">
        <joint name="hinge" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 -0.6" size="0.05"/>
        <site name="tip" pos="0.3 0 -0.65"/>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="hinge" coef="1"/></fixed></tendon>
  <actuator>
    <motor joint="slide" ctrlrange="-2 2" ctrllimited="true"/>
    <general joint="hinge" dyntype="filter" dynprm="0.1" biastype="affine"
      gainprm="1" biasprm="0 -1"/>
  </actuator>
  <sensor>
    <framepos objtype="site" objname="tip"/><jointvel joint="hinge"/><jointpos joint="slide"/>
    <subtreecom body="cart"/><gyro site="tip"/><accelerometer site="tip"/><force site="tip"/>
    <torque site="tip"/><touch site="tip"/>
  </sensor>
</mujoco>
"""
FIELDS = (
    *("act", "cacc", "cfrc_ext", "cfrc_int", "cinert", "ctrl", "cvel", "geom_xmat", "geom_xpos"),
    *("qacc", "qfrc_actuator", "qfrc_constraint", "qfrc_passive", "qpos", "qvel", "sensordata"),
    *("site_xmat", "site_xpos", "subtree_com", "ten_length", "ten_velocity"),
    *("xipos", "xmat", "xpos", "xquat"),
)


@pytest.fixture
def file(tmp_path: pathlib.Path) -> str:
    path = tmp_path / "model.xml"
    path.write_text(MODEL)
    return str(path)


def shown(model: Any, data: Any) -> np.ndarray[Any, Any]:
    mujoco.mj_rnePostConstraint(model, data)
    return np.concatenate([np.ravel(getattr(data, field)) for field in FIELDS])


@pytest.mark.parametrize("field", FIELDS)
def test_each_field_alone_is_that_of_the_last_step(field: str, file: str) -> None:
    """Some fields are computed in lanes, some only by libmujoco; each is read on its own here."""
    name = "inverted_double_pendulum" if field.startswith("site") else "humanoid"
    folder = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets"
    path = file if field in ("act", "sensordata") else str(folder / f"{name}.xml")
    model = mujoco.MjModel.from_xml_path(path)
    worlds = [mujoco.MjData(model) for _ in range(3)]
    for world in worlds:
        mujoco.mj_forward(model, world)
    random = np.random.default_rng(0)
    with parallel_pool.make("MuJoCo-v0", num_envs=3, xml_path=path, obs=[field]) as pool:
        pool.reset()
        for step in range(30):
            actions = random.uniform(-0.4, 0.4, (3, model.nu)).astype(np.float32)
            obs, *_ = pool.step(actions)
            for world, action, ours in zip(worlds, actions, obs, strict=True):
                world.ctrl[:] = action
                mujoco.mj_step(model, world)
                mujoco.mj_rnePostConstraint(model, world)
                theirs = np.ravel(getattr(world, field))
                np.testing.assert_array_equal(ours, theirs, err_msg=f"step {step}")


def test_all_fields(file: str) -> None:
    model = mujoco.MjModel.from_xml_path(file)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    random = np.random.default_rng(0)
    with parallel_pool.make("MuJoCo-v0", xml_path=file, frame_skip=3, obs=FIELDS) as env:
        assert env.action_space.low.tolist() == [-2, -np.inf]  # the second has no range
        assert env.action_space.high.tolist() == [2, np.inf]
        np.testing.assert_array_equal(env.reset()[0][0], shown(model, data))
        for _ in range(300):
            action = random.uniform(-2, 2, 2)  # float64, which is not rounded
            obs, reward, terminated, truncated, _ = env.step(action[None])
            data.ctrl[:] = action
            mujoco.mj_step(model, data, nstep=3)
            np.testing.assert_array_equal(obs[0], shown(model, data))
            assert reward == 0 and not terminated and not truncated
        assert data.ncon > 0, "there should be a contact"


def model_fields(random: Any, model: Any, num_envs: int) -> dict[str, Any]:
    """Random numbers of the model for each env."""
    names = ("geom_friction", "body_mass", "body_inertia", "dof_damping", "actuator_gainprm")
    numbers = {name: np.array(getattr(model, name)) for name in names}
    numbers["opt.gravity"] = np.array(model.opt.gravity)
    numbers["opt.timestep"] = np.array(model.opt.timestep)
    factors = random.uniform(0.5, 1.5, num_envs)
    return {name: np.multiply.outer(factors, values) for name, values in numbers.items()}


def with_fields(model: Any, fields: dict[str, Any], env: int) -> Any:
    """The model of one env, made by MuJoCo's own bindings."""
    for name, numbers in fields.items():
        owner, name = (model.opt, name[4:]) if name.startswith("opt.") else (model, name)
        if numbers.ndim == 1:
            setattr(owner, name, numbers[env])
        else:
            getattr(owner, name)[:] = numbers[env]
    return model


def test_each_env_has_its_own_model_fields(file: str) -> None:
    random = np.random.default_rng(0)
    fields = model_fields(random, mujoco.MjModel.from_xml_path(file), 4)
    models = [with_fields(mujoco.MjModel.from_xml_path(file), fields, i) for i in range(4)]
    worlds = [mujoco.MjData(model) for model in models]
    options: dict[str, Any] = {"xml_path": file, "obs": FIELDS, "model_fields": fields}
    with parallel_pool.make("MuJoCo-v0", num_envs=4, **options) as env:
        assert env.config["model_fields"]["opt.gravity"].tolist() == fields["opt.gravity"].tolist()
        assert "'opt.gravity': array of shape (4, 3)" in str(env.spec)
        env.reset()
        for _ in range(300):
            actions = random.uniform(-2, 2, (4, 2)).astype(np.float32)
            obs = env.step(actions)[0]
            for model, data, action, row in zip(models, worlds, actions, obs, strict=True):
                data.ctrl[:] = action
                mujoco.mj_step(model, data)
                np.testing.assert_array_equal(row, shown(model, data))
        assert len({row.tobytes() for row in obs}) == 4
        state, after = env.save(), env.step(actions)[0]
        env.load(state)
        np.testing.assert_array_equal(env.step(actions)[0], after)
    other = {**fields, "opt.gravity": fields["opt.gravity"][::-1]}
    with parallel_pool.make("MuJoCo-v0", num_envs=4, **{**options, "model_fields": other}) as env:
        env.load(state)  # with the numbers of the envs that were saved
        shown_now = env.config["model_fields"]
        assert shown_now["opt.gravity"].tolist() == fields["opt.gravity"].tolist()
        np.testing.assert_array_equal(env.step(actions)[0], after)


def test_reset_changes_model_fields(file: str) -> None:
    random = np.random.default_rng(0)
    fields = model_fields(random, mujoco.MjModel.from_xml_path(file), 3)
    new = {"opt.gravity": np.array([[0.0, 0, -1], [1, 0, -5]])}
    with parallel_pool.make(
        "MuJoCo-v0", num_envs=3, xml_path=file, obs=FIELDS, model_fields=fields
    ) as env:
        env.reset()
        env.reset([0, 2], options={"per_env": {"model_fields": new}})
        fields["opt.gravity"][[0, 2]] = new["opt.gravity"]
        for name, numbers in env.config["model_fields"].items():
            np.testing.assert_array_equal(numbers, fields[name])
        models = [with_fields(mujoco.MjModel.from_xml_path(file), fields, i) for i in range(3)]
        worlds = [mujoco.MjData(model) for model in models]
        env.reset()
        for _ in range(50):
            actions = random.uniform(-2, 2, (3, 2)).astype(np.float32)
            obs = env.step(actions)[0]
            for model, data, action, row in zip(models, worlds, actions, obs, strict=True):
                data.ctrl[:] = action
                mujoco.mj_step(model, data)
                np.testing.assert_array_equal(row, shown(model, data))
        with pytest.raises(
            ValueError, match=r"has 'geom_size', which make\(\) did not name: reset"
        ):
            env.reset(options={"per_env": {"model_fields": {"geom_size": np.ones((3, 9, 3))}}})
        with pytest.raises(ValueError, match="first axis must be the 1 envs"):
            env.reset(1, options={"per_env": {"model_fields": new}})


# A box that falls asleep on the floor, and another that a motor wakes up again and again.
SLEEPY = """
<mujoco>
  <option timestep="0.005" sleep_tolerance="0.01"><flag sleep="enable"/></option>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body pos="1 0 0.2"><joint name="slide" type="slide" axis="0 0 1"/><geom size="0.1"/></body>
  </worldbody>
  <actuator><motor joint="slide" gear="5" ctrlrange="0 1"/></actuator>
</mujoco>
"""


def test_a_model_that_sleeps_is_saved_and_loaded(tmp_path: pathlib.Path) -> None:
    (tmp_path / "model.xml").write_text(SLEEPY)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    data, slept = mujoco.MjData(model), set()
    with parallel_pool.make("MuJoCo-v0", xml_path=str(tmp_path / "model.xml")) as env:
        env.reset()
        for step in range(1500):
            state = env.save()
            if step % 7 == 0:
                env.step([[step % 2]])  # what load() takes back
                env.load(state)
            data.ctrl[:] = step % 300 > 250
            mujoco.mj_step(model, data)
            obs = env.step([[float(data.ctrl[0])]])[0]
            np.testing.assert_array_equal(obs[0], np.concatenate([data.qpos, data.qvel]))
            slept.add(int(data.nbody_awake))
    assert len(slept) > 1, "a body must have fallen asleep"


def test_a_model_with_a_plugin_is_refused_in_words(tmp_path: pathlib.Path) -> None:
    (tmp_path / "model.xml").write_text(
        '<mujoco><extension><plugin plugin="mujoco.pid"><instance name="pid"/></plugin></extension>'
        "</mujoco>"
    )
    with pytest.raises(ValueError, match=r"needs a plugin of MuJoCo's engine.*make_python.*pid"):
        parallel_pool.make("MuJoCo-v0", xml_path=str(tmp_path / "model.xml"))


def test_conforms(file: str) -> None:
    parallel_pool.check("MuJoCo-v0", xml_path=file, obs=FIELDS)


def test_a_file_in_the_working_directory(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pathlib.Path(file).parent)
    assert parallel_pool.make_spec("MuJoCo-v0", xml_path="model.xml").observation_space.shape == (
        4,
    )
    assert parallel_pool.make_spec("MuJoCo-v0").observation_space.shape == (18,)  # half_cheetah.xml


@pytest.mark.parametrize("name", ["modèle", "模型"])
@pytest.mark.parametrize("task_id", ["MuJoCo-v0", "Swimmer-v5"])
def test_a_folder_whose_name_is_beyond_ascii(
    task_id: str, name: str, tmp_path: pathlib.Path
) -> None:
    """MuJoCo's own bindings open none on Windows."""
    folder = tmp_path / name
    folder.mkdir()
    own = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets/swimmer.xml"
    option = "xml_path" if task_id == "MuJoCo-v0" else "xml_file"
    options: Any = {option: str(shutil.copy(own, folder))}
    with parallel_pool.make(task_id, **options) as pool:
        assert pool.action_space.shape == (2,)
        assert pool.config[option] == options[option]


@pytest.mark.parametrize("given", ["model.xml", "./model.xml", "../{folder}/model.xml"])
def test_a_relative_path_is_remembered_as_absolute(
    file: str, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pathlib.Path(file)
    monkeypatch.chdir(path.parent)
    name = given.format(folder=path.parent.name)
    with parallel_pool.make("MuJoCo-v0", xml_path=name) as pool:
        assert pool.config["xml_path"] == file
        monkeypatch.chdir("/")
        with pickle.loads(pickle.dumps(pool)) as other:
            assert other.config == pool.config
    assert parallel_pool.make_spec("MuJoCo-v0").config["xml_path"] == "half_cheetah.xml"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"obs": ["qpos", "qpoz"]}, "obs has 'qpoz'; allowed are act, cacc, .*, qpos, qvel"),
        ({"obs": []}, "obs is empty; allowed are act"),
        ({"xml_path": "such.xml"}, "'such.xml': there is no such file; allowed are ant.xml"),
        ({"frame_skip": 0}, "frame_skip is 0"),
        (
            {"model_fields": {"geom_frictoin": np.ones((2, 9, 3))}},
            "model_fields has 'geom_frictoin'; allowed are geom_aabb, .*geom_friction, ",
        ),
        (
            {"model_fields": {"friction": np.ones((2, 9, 3))}},
            "allowed are the arrays of numbers of mjModel, actuator_..., .*, geom_..., .*opt",
        ),
        (
            {"model_fields": {"geom_type": np.ones((2, 9))}},
            "has 'geom_type'",
        ),
        (
            {"model_fields": {"geom_friction": np.ones((2, 8, 3))}},
            r"\['geom_friction'\] has the shape \(num_envs, 8, 3\); "
            r"this model needs \(num_envs, 9, 3\)",
        ),
        (
            {"model_fields": {"geom_friction": np.ones((9, 3))}},
            r"\['geom_friction'\] has the shape \(9, 3\); its first axis must be the 2 envs",
        ),
        ({"model_fields": {"geom_friction": 1.0}}, "is one number; it must have a row for each"),
        ({"model_fields": {"geom_friction": [[np.nan], [1]]}}, "has NaNs"),
    ],
)
def test_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parallel_pool.make("MuJoCo-v0", num_envs=2, **options)


@pytest.mark.parametrize("value", [3, "geom_friction", {"geom_friction": "much"}, {1: [2.0]}])
def test_model_fields_of_other_types(value: Any) -> None:
    with pytest.raises(TypeError, match=r"model_fields.* must be"):
        parallel_pool.make("MuJoCo-v0", num_envs=2, model_fields=value)


def test_a_model_without_controls_is_refused(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "still.xml"
    file.write_text("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    with pytest.raises(ValueError, match="a model with 0 controls; this task needs at least 1"):
        parallel_pool.make("MuJoCo-v0", xml_path=str(file))
