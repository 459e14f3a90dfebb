"""Refused options of the MuJoCo tasks, models of users, and worlds that diverge."""

import pathlib
import warnings
from typing import Any

import gymnasium
import mujoco
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.specs.registry import registry
from parallel_pool.testing import golden
from parallel_pool.testing.gymnasium_parity import compare


@pytest.mark.parametrize(
    ("task", "options", "words"),
    [
        (
            "HalfCheetah",
            {"xml_file": "cheetah.xml"},
            "'cheetah.xml': there is no such file; allowed are ant.xml, half_",
        ),
        ("HalfCheetah", {"xml_file": "/no/such.xml"}, "there is no file /no/such.xml"),
        ("HalfCheetah", {"frame_skip": 0}, "frame_skip is 0; it must be at least 1"),
        ("HalfCheetah", {"reset_noise_scale": -0.1}, "reset_noise_scale is -0.1"),
        ("InvertedPendulum", {"xml_file": "reacher.xml"}, "4 positions; this task needs 2"),
        ("Reacher", {"xml_file": "swimmer.xml"}, "5 positions; this task needs 4"),
        ("Pusher", {"xml_file": "humanoid.xml"}, "lwaist, .*; this task needs one called tips_arm"),
        ("Ant", {"main_body": 14}, "main_body is 14; the model's bodies are 0 to 13"),
        ("Ant", {"main_body": -1}, "main_body is -1; the model's bodies are 0 to 13"),
        ("Ant", {"main_body": "trunk"}, "main_body is 'trunk'; the model's bodies are torso, "),
        ("Ant", {"healthy_z_range": (1, 0)}, "low must not exceed high"),
    ],
)
def test_refused(task: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"{task}-v5: .*{words}"):
        parallel_pool.make(f"{task}-v5", **options)


def test_mujoco_says_what_is_wrong_with_a_file(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "model.xml"
    file.write_text("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")
    with pytest.raises(ValueError, match="mass and inertia of moving bodies must be larger"):
        parallel_pool.make("HalfCheetah-v5", xml_file=str(file))


def test_a_file_of_the_user(tmp_path: pathlib.Path) -> None:
    models = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets"
    text = (models / "swimmer.xml").read_text().replace("0.01", "0.02")  # the timestep
    file = tmp_path / "slow.xml"
    file.write_text(text)
    compare(
        "Swimmer-v5",
        lambda: gymnasium.make("Swimmer-v5", xml_file=str(file)),
        0,
        steps=50,
        num_envs=2,
        infos=(
            *("x_position", "y_position", "distance_from_origin", "x_velocity", "y_velocity"),
            *("reward_forward", "reward_ctrl"),
        ),
        xml_file=str(file),
    )


def test_a_world_that_diverges_goes_on_as_gymnasiums() -> None:
    options: dict[str, Any] = {"reset_noise_scale": 1e9}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = gymnasium.make("Swimmer-v5", **options)
        simulation: Any = theirs.unwrapped
        theirs.reset(seed=5)
        theirs.step(np.zeros(2, np.float32))
    bad = mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC
    assert sum(simulation.data.warning[kind].number for kind in bad), "it does not diverge"
    with parallel_pool.make("Swimmer-v5", seed=5, **options) as ours:
        _, info = ours.reset()
        assert info["reward_forward"] == info["x_velocity"] == 0
        obs = ours.step(np.zeros((1, 2), np.float32))[0]
        np.testing.assert_array_equal(obs[0], simulation._get_obs())


def test_controls_that_are_not_finite_are_refused() -> None:
    with parallel_pool.make("Ant-v5") as pool:
        pool.reset()
        with pytest.raises(ValueError, match="nan"):
            pool.step(np.full((1, 8), np.nan, np.float32))


def test_the_readme_names_all_tasks_and_options() -> None:
    folder = pathlib.Path("parallel_pool/envs/mujoco")
    pages = [folder / "README.md", *folder.glob("*/README.md")]
    text = "".join(page.read_text() for page in pages)
    assert len(pages) == 5
    tasks = golden.tasks("mujoco")
    assert len(tasks) > 10
    for task in tasks:
        options = {option.name for option in registry().find(task).options}
        for option in options:
            assert f"`{option}`" in text, (task, option)
        # The tables of the other suites are made from the registry (tools/docs).
        assert f"`{task}`" in text or registry().suite(task) not in ("gymnasium", "mujoco")


@pytest.mark.parametrize("task_id", ["Swimmer-v5", "HalfCheetah-v4", "Pusher-v5"])
def test_each_env_has_its_own_model_fields(task_id: str) -> None:
    random = np.random.default_rng(0)
    theirs = [gymnasium.make(task_id).unwrapped for _ in range(3)]
    models = [env.model for env in theirs]  # type: ignore[attr-defined]
    factors = random.uniform(0.5, 1.5, 3)
    names = ("body_mass", "dof_damping", "geom_friction")
    fields = {name: np.multiply.outer(factors, getattr(models[0], name)) for name in names}
    for i, model in enumerate(models):
        for name in names:
            getattr(model, name)[:] = fields[name][i]
    with parallel_pool.make(
        task_id, num_envs=3, model_fields=fields, reward_dtype="float64"
    ) as ours:
        obs = ours.reset(seed=5)[0]
        np.testing.assert_array_equal(
            obs, [env.reset(seed=5 + i)[0] for i, env in enumerate(theirs)]
        )
        for _ in range(60):
            actions = np.stack([ours.action_space.sample() for _ in theirs])
            obs, reward, *_ = ours.step(actions)
            wanted = [env.step(action) for env, action in zip(theirs, actions, strict=True)]
            np.testing.assert_array_equal(obs, [row[0] for row in wanted])
            np.testing.assert_array_equal(reward, [row[1] for row in wanted])
