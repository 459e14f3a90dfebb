"""A file for Rerun holds what a pool has returned, by ==."""

import contextlib
import io
import pathlib
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from PIL import Image
from readback import arrays, play, plot, read, states

import parallel_pool
from parallel_pool.integrations.rerun import live, runs, to_rerun


def show(tmp_path: pathlib.Path, task: str, steps: int, **options: Any) -> tuple[Any, Any, Any]:
    """The pool, what it returned, and what the file of its run holds."""
    pool = parallel_pool.make(task, num_envs=2, seed=5, **options)
    with pool.record(tmp_path / "run.ppr") as recording:
        played = play(pool, steps)
    recording.to_rerun(tmp_path / "run.rrd", pictures=0)
    return pool, played, read(tmp_path / "run.rrd")


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_all_arrays_and_episodes(tmp_path: pathlib.Path, mode: str) -> None:
    """Each row is there; a row that begins an episode has no action."""
    _, played, content = show(tmp_path, "CartPole-v1", 120, autoreset_mode=mode)
    for env in range(2):
        begins = True  # the next row begins an episode
        total, length, number = 0.0, 0, 0
        for step, (action, result) in enumerate(played):
            obs, *rest, info = result
            root = f"env_{env}"
            assert (plot(content, f"{root}/observation")[step] == obs[env]).all()
            assert plot(content, f"{root}/info/elapsed_step")[step] == info["elapsed_step"][env]
            acts = action is not None and not (begins and mode == "next_step")
            assert (step in plot(content, f"{root}/action")) == acts
            if begins:
                assert (step, f"episode {number}") in states(content, f"{root}/episode")
            begins = False
            if not acts:
                continue
            reward, terminated, truncated = (array[env] for array in rest)
            assert plot(content, f"{root}/action")[step] == action[env]
            assert plot(content, f"{root}/reward")[step] == reward
            assert plot(content, f"{root}/terminated")[step] == terminated
            total, length = total + float(reward), length + 1
            if terminated or truncated:
                assert plot(content, f"{root}/episode/return")[step] == total
                assert plot(content, f"{root}/episode/length")[step] == length
                total, length, number, begins = 0.0, 0, number + 1, True
        assert number > 2
        assert len(plot(content, f"{root}/episode/return")) == number


def test_each_array_has_its_dtype_and_shape(tmp_path: pathlib.Path) -> None:
    """Screens are tensors, long vectors bars."""
    _, played, content = show(tmp_path, "Pong-v5", 20)
    for step, (_, result) in enumerate(played):
        obs, info = result[0], result[-1]
        assert (arrays(content, "env_1/observation")[step] == obs[1]).all()
        assert (arrays(content, "env_1/info/ram")[step] == info["ram"][1]).all()
        assert plot(content, "env_1/info/lives")[step] == info["lives"][1]


def test_observations_in_dicts_keep_their_names(tmp_path: pathlib.Path) -> None:
    _, played, content = show(tmp_path, "WalkerWalk-v1", 10)
    for step, (_, (obs, *_)) in enumerate(played):
        for name, array in obs.items():
            assert (plot(content, f"env_0/observation/{name}")[step] == array[0]).all()


def test_players_have_a_row_each(tmp_path: pathlib.Path) -> None:
    _, played, content = show(tmp_path, "SimpleSpread-v3", 30)
    for step, (_, result) in enumerate(played):
        obs, info = result[0], result[-1]
        mine = info["players"]["env_id"] == 1
        assert (arrays(content, "env_1/observation")[step] == obs[mine]).all()
        if step and "env_1/reward" in content and step in plot(content, "env_1/action"):
            assert (plot(content, "env_1/reward")[step] == result[1][mine]).all()
    assert len(plot(content, "env_1/episode/return")) == 1


def test_texts_are_texts(tmp_path: pathlib.Path) -> None:
    _, played, content = show(tmp_path, "MiniGrid-Fetch-5x5-N2-v0", 5)
    found = content["env_0/observation/mission"]["TextLog:text"]
    wanted = [parallel_pool.decode_text(result[0]["mission"][0]) for _, result in played]
    assert [text for _, (text,) in found] == wanted


def test_of_dm_env_and_of_single_envs(tmp_path: pathlib.Path) -> None:
    pool = parallel_pool.make("CartPole-v1", env_type="dm", num_envs=2, seed=1)
    with pool.record(tmp_path / "dm.ppr"):
        steps = [pool.reset(), *(pool.step(np.zeros(2, np.int32)) for _ in range(30))]
    to_rerun(tmp_path / "dm.ppr", tmp_path / "dm.rrd", pictures=0)
    content = read(tmp_path / "dm.rrd")
    for step, time_step in enumerate(steps):
        assert (plot(content, "env_1/observation/obs")[step] == time_step.observation.obs[1]).all()
        assert plot(content, "env_1/step_type")[step] == time_step.step_type[1]
    ends = [step for step, time_step in enumerate(steps) if time_step.step_type[1] == 2]
    assert list(plot(content, "env_1/episode/return")) == ends

    env = parallel_pool.make("CartPole-v1", num_envs=None, seed=1)
    with env.record(tmp_path / "one.ppr"):
        rows: list[tuple[Any, ...]] = [env.reset()]
        while len(rows) < 2 or not rows[-1][2]:
            rows.append(env.step(0))
    to_rerun(tmp_path / "one.ppr", tmp_path / "one.rrd", pictures=0)
    content = read(tmp_path / "one.rrd")
    assert all((plot(content, "env_0/observation")[k] == r[0]).all() for k, r in enumerate(rows))
    assert plot(content, "env_0/episode/return") == {len(rows) - 1: len(rows) - 1}


def test_pictures_are_those_of_render(run: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Without loss, after each third result."""
    to_rerun(run, tmp_path / "run.rrd", envs=[2], steps=(10, 20), pictures=3)
    content = read(tmp_path / "run.rrd")
    stored = {
        step: np.asarray(Image.open(io.BytesIO(bytes(blob))))
        for step, (blob,) in content["env_2/picture"]["EncodedImage:blob"]
    }
    assert list(stored) == [10, 13, 16, 19]
    with parallel_pool.replay(run, render_mode="rgb_array") as played:
        for _ in played:
            if played.step in stored:
                assert (stored[played.step] == played.render()[2]).all()
    assert sorted(plot(content, "env_2/reward")) == list(range(10, 20))


def test_the_choice_of_episodes(run: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Best, median and worst of all envs; a number of each env; and numbers inside a window."""
    to_rerun(run, tmp_path / "all.rrd", pictures=0)
    content = read(tmp_path / "all.rrd")
    ends = {
        (env, number): (step, float(total[0]))
        for env in range(4)
        for number, (step, total) in enumerate(plot(content, f"env_{env}/episode/return").items())
    }
    ranked = sorted(total for _, total in ends.values())
    for word, wanted in (("best", ranked[-1]), ("worst", ranked[0])):
        to_rerun(run, tmp_path / f"{word}.rrd", episode=word, pictures=0)
        one = read(tmp_path / f"{word}.rrd")
        (env,) = {entity.partition("/")[0] for entity in one if entity.startswith("env_")}
        assert [float(v[0]) for v in plot(one, f"{env}/episode/return").values()] == [wanted]
        ((_, state),) = states(one, f"{env}/episode")
        end = ends[int(env[4:]), int(state.split()[1])]
        assert end == (max(plot(one, f"{env}/reward")), wanted)
    to_rerun(run, tmp_path / "number.rrd", envs=[1, 3], episode=2, pictures=0)
    numbered = read(tmp_path / "number.rrd")
    for env in (1, 3):
        rewards = plot(numbered, f"env_{env}/reward")
        assert (min(rewards), max(rewards)) == (ends[env, 1][0] + 1, ends[env, 2][0])
        assert min(rewards) not in plot(numbered, f"env_{env}/action")  # the row of the reset
    middle = ends[0, 3][0]
    to_rerun(run, tmp_path / "window.rrd", envs=[0], steps=(middle + 1, middle + 9), pictures=0)
    window = read(tmp_path / "window.rrd")
    assert states(window, "env_0/episode") == [(middle + 1, "episode 4")]


def test_bodies_are_where_mujoco_has_them(tmp_path: pathlib.Path) -> None:
    """The places are float32 in the file; each shape is there once."""
    pool = parallel_pool.make("Ant-v5", num_envs=2, seed=1)
    core: Any = pool._native.core_pool
    wanted = []
    with pool.record(tmp_path / "run.ppr") as recording:
        pool.reset()
        for step in range(20):
            wanted.append(core.bodies(np.array([1], np.int32), step == 0))
            pool.step(pool.sample_actions())
    recording.to_rerun(tmp_path / "run.rrd", envs=[1], pictures=0)
    content = read(tmp_path / "run.rrd")
    for number, (name, _, shapes) in enumerate(wanted[0]):
        found = content[f"env_1/bodies/{name}"]
        positions, rotations = (
            found[f"Transform3D:{part}"] for part in ("translation", "quaternion")
        )
        for step, bodies in enumerate(wanted):
            place = bodies[number][1].astype(np.float32)
            assert (np.array(positions[step][1][0]) == place[:3]).all()
            assert (np.array(rotations[step][1][0]) == place[[4, 5, 6, 3]]).all()
        for k in range(len(shapes)):
            assert content[f"env_1/bodies/{name}/shape_{k}"]
    assert sum(len(shapes) for *_, shapes in wanted[0]) == 13


def test_the_page(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, snippet: Callable[..., str]
) -> None:
    monkeypatch.chdir(tmp_path)
    snippet("In Python", "view.md", "py")
    assert len(plot(read("run.rrd"), "env_3/reward")) == 201
    assert (tmp_path / "worst.rrd").exists()
    assert states(read("both.rrd"), "parting") == [(0, "equal")]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"envs": "x"}, TypeError, "envs"),
        ({"envs": [0, 4]}, ValueError, "env is 4; .* has the envs 0 to 3"),
        ({"episode": 1.5}, ValueError, "episode is 1.5; allowed are best, median, worst, and num"),
        ({"steps": 5}, ValueError, r"steps is 5; it must be \(first, end\)"),
        ({"pictures": -1}, ValueError, "pictures is -1; it must not be negative"),
    ],
)
def test_wrong_arguments(
    run: pathlib.Path, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        to_rerun(run, run.with_suffix(".rrd"), **arguments)
    assert list(run.parent.iterdir()) == [run]


def test_three_runs_are_refused(run: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="there are 3 runs; a view shows one run, or two"):
        to_rerun([run, run, run])


def test_a_single_env_is_followed(tmp_path: pathlib.Path) -> None:
    """Its pictures have no axis of envs."""
    env = parallel_pool.make("CartPole-v1", num_envs=None, seed=1)
    with env.record(tmp_path / "one.ppr"):
        env.reset()
        for _ in range(5):
            env.step(0)
    stream = runs.new_stream(tmp_path / "one.ppr")
    stream.save(tmp_path / "one.rrd")
    live.follow(stream, str(tmp_path / "one.ppr"), lambda seconds: True)
    stream.disconnect()
    content = read(tmp_path / "one.rrd")
    assert len(plot(content, "env_0/reward")) == 6
    assert len(content["env_0/picture"]["EncodedImage:blob"]) == 1


class Faulty(gymnasium.Env[Any, Any]):
    """Its second step raises."""

    observation_space = gymnasium.spaces.Box(-1, 1, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.steps = 0
        return np.zeros(2, np.float32), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        if self.steps == 2:
            raise RuntimeError("it broke")
        return np.zeros(2, np.float32), 0.0, False, False, {}


def test_errors_of_envs_are_told(tmp_path: pathlib.Path) -> None:
    pool = parallel_pool.make_python(Faulty, num_envs=2, num_workers=0)
    with pool.record(tmp_path / "run.ppr") as recording:
        pool.reset()
        for _ in range(3):
            with contextlib.suppress(parallel_pool.EnvError):
                pool.step(np.zeros(2, np.int64))
    recording.to_rerun(tmp_path / "run.rrd", env=Faulty)
    ((step, (text,)),) = read(tmp_path / "run.rrd")["env_0/error"]["TextLog:text"]
    assert step == 2
    assert "it broke" in text
