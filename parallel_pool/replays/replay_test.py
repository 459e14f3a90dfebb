"""Recorded runs are played again with equal results, from each of their steps."""

import errno
import functools
import gc
import os
import pathlib
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.recordings import file
from parallel_pool.replays.difference import difference
from parallel_pool.testing import testing_family
from parallel_pool.testing.results import same

NUM_ENVS = 6


def caught(call: Callable[[], Any]) -> Any:
    """The result of a call, also if an env threw."""
    try:
        return call()
    except parallel_pool.EnvError as error:
        return error.result


class Run:
    """A pool that is recorded, and its results as recv() has them; None where a reset was."""

    def __init__(self, path: pathlib.Path, task: Any, **options: Any) -> None:
        self.path = path / "run.ppr"
        self.pool = parallel_pool.make(task, **{"num_envs": NUM_ENVS, "num_threads": 2} | options)
        self.pool.record(self.path)
        self.results: list[Any] = []

    def steps(self, count: int) -> None:
        """Steps all envs, or those of each batch, with random actions."""
        for _ in range(count):
            if self.pool.is_async:
                self.results.append(self.pool.recv())
                info = self.results[-1][4]
                self.pool.send(self.pool.sample_actions(info), info["env_id"])
            else:
                info = self.results[-1][-1] if self.pool.spec.players else None
                actions = self.pool.sample_actions(info)
                self.results.append(caught(functools.partial(self.pool.step, actions)))

    def reset(self, *args: Any, **kwargs: Any) -> None:
        """Resets envs."""
        self.results.append(self.pool.reset(*args, **kwargs))

    def check(self, **options: Any) -> None:
        """Ends the run, and compares it with its replay from the start and from other steps."""
        self.pool.close()
        count = len(self.results)
        with parallel_pool.replay(self.path, **options) as replay:
            assert replay.results == count
            assert replay.damage == ""
            for begin in (0, count // 2, count - 1, 1):
                if begin:
                    replay.seek(begin)
                for k in range(begin, count if begin == 0 else min(begin + 3, count)):
                    again = caught(lambda: next(replay))
                    assert replay.step == k
                    self.compare(k, again)
            replay.seek(count - 1)
            next(replay)
            assert next(replay, None) is None

    def compare(self, k: int, again: Any) -> None:
        """Result k of the run, and that of a replay."""
        mine = self.results[k]
        same(mine, (again[0], again[4]) if len(mine) == 2 else again, f"result {k}")


@pytest.mark.parametrize("batch_size", [NUM_ENVS, 2])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"autoreset_mode": "same_step", "record_episode_statistics": True},
        {"normalize_observation": True, "normalize_reward": True, "clip_observation": 2.0},
        {"stack_num": 2, "time_aware": False, "action_repeat": 2, "reward_dtype": "float64"},
        {"per_env": {"max_episode_steps": [5, 6, 7, 8, 9, 10]}},
    ],
)
def test_runs_of_cart_pole(tmp_path: pathlib.Path, batch_size: int, options: Any) -> None:
    run = Run(tmp_path, "CartPole-v1", batch_size=batch_size, **options)
    if run.pool.is_async:
        run.pool.async_reset()
    else:
        run.reset(seed=3)
    run.steps(150)
    run.check(num_threads=1)


@pytest.mark.parametrize("task", ["Echo-v0", "Words-v0", "Crowd-v0", "Turns-v0"])
def test_other_arrays_and_players(tmp_path: pathlib.Path, task: str) -> None:
    run = Run(tmp_path, task)
    run.reset()
    run.steps(60)
    run.check()


def test_all_that_a_pool_can_be_asked(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "CartPole-v1", normalize_observation=True)
    run.reset(seed=[5, 4, 3, 2, 1, 0])
    run.steps(20)
    saved, statistics = run.pool.save(), run.pool.statistics()
    run.reset([4, 1], seed=9, options={"low": -0.01, "high": 0.01})
    run.steps(20)
    run.pool.load(saved)
    run.steps(20)
    run.pool.load_statistics(statistics)
    mask = np.array([True, False, False, True, False, False])
    run.reset(options={"reset_mask": mask, "per_env": {"max_episode_steps": [3] * NUM_ENVS}})
    run.steps(20)
    run.results.append(run.pool.step(np.array([1, 0]), [3, 5]))
    run.steps(5)
    run.check()


def test_several_tasks(tmp_path: pathlib.Path) -> None:
    tasks: list[Any] = [("CartPole-v1", {}), ("Acrobot-v1", {})]
    run = Run(*(tmp_path, tasks), batch_size=4, observation_padding=True, action_padding=True)
    run.pool.async_reset()
    run.steps(100)
    run.check()


def test_a_run_that_was_recorded_from_its_middle_on(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "CartPole-v1", normalize_reward=True, autoreset_mode="same_step")
    run.reset()
    run.steps(33)
    run.pool.stop_recording()
    run.results.clear()
    run.pool.record(run.path)
    run.steps(40)
    run.check()


def test_keyframes(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parallel_pool.python.recordings.recording._COST", 1e9)
    monkeypatch.setattr("parallel_pool.python.recordings.recording._LEAST_RESULTS", 1)
    monkeypatch.setattr("parallel_pool.python.recordings.recording._SECONDS", 0.002)
    run = Run(tmp_path, "CartPole-v1", batch_size=2, normalize_observation=True)
    run.pool.async_reset()
    run.steps(20000)
    run.pool.close()
    with parallel_pool.replay(run.path) as replay:
        starts = [first for _, first in replay._run._reader.find(file.KEYFRAME)]
        assert len(starts) > 4
        for step in [15001, 3000, *starts[-3:], *(first + 2 for first in starts[2:5]), 0, 19999]:
            if step < len(run.results):
                replay.seek(step)
                run.compare(step, next(replay))


def test_one_env_alone(tmp_path: pathlib.Path) -> None:
    for options in ({}, {"normalize_observation": True}):
        run = Run(tmp_path, "CartPole-v1", batch_size=4, **options)
        run.pool.async_reset()
        run.steps(80)
        run.pool.close()
        with parallel_pool.replay(run.path, env_id=3) as replay:
            for again in replay:
                result = run.results[replay.step]
                row = result[4]["env_id"].tolist().index(3)
                same(tuple(part[row] for part in result[:4]), tuple(part[0] for part in again[:4]))
                assert again[4]["env_id"].tolist() == [3]
        assert sum(3 in result[4]["env_id"] for result in run.results) > 10


def test_actions(tmp_path: pathlib.Path) -> None:
    with parallel_pool.make("Pendulum-v1", num_envs=2) as pool:
        with pool.record(tmp_path / "run.ppr"):
            pool.reset()
            sent = [pool.sample_actions() for _ in range(9)]
            for action in sent:
                pool.step(action)
        pool.step(sent[0])  # not recorded
    with parallel_pool.replay(tmp_path / "run.ppr") as replay:
        next(replay)
        assert replay.was_reset.tolist() == [True, True]
        for action in sent:
            next(replay)
            np.testing.assert_array_equal(replay.action, action)
            assert replay.was_reset.tolist() == [False, False]
        assert next(replay, None) is None


@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "dm"])
@pytest.mark.parametrize("num_envs", [None, 2])
def test_apis(tmp_path: pathlib.Path, env_type: Any, num_envs: int | None) -> None:
    env = parallel_pool.make("Acrobot-v1", env_type, num_envs=num_envs)
    env.record(tmp_path / "run.ppr")
    results = [env.reset()]
    results += [env.step(1 if num_envs is None else np.ones(2, int)) for _ in range(20)]
    env.close()
    with parallel_pool.replay(tmp_path / "run.ppr") as replay:
        first = next(replay)
        assert (first if env_type == "dm" else first[0]) is not None
        for mine in results[1:]:
            same(tuple(mine), tuple(next(replay)))


def test_a_rollout_is_recorded(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "CartPole-v1")
    rollout = parallel_pool.Rollout(run.pool, 16)
    for _ in rollout:
        rollout.act(run.pool.sample_actions())
    run.pool.close()
    with parallel_pool.replay(run.path) as replay:
        rewards = [result[1] for result in replay][1:]
    np.testing.assert_array_equal(rewards, rollout.reward)


class Walk(gymnasium.Env):
    """An env in Python."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,))
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self, noise: float = 1.0) -> None:
        self._noise = noise

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self._place = self.np_random.normal(size=2).astype(np.float32)
        return self._place, {"text": f"at {self._place}"}

    def step(self, action: int) -> Any:
        noise = self._noise * self.np_random.normal(size=2).astype(np.float32)
        self._place = self._place + action - 1 + noise
        return self._place, float(action), bool(self._place[0] > 3), False, {"n": int(action)}


def test_envs_in_python(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "run.ppr"
    pool = parallel_pool.make_python(Walk, 5, 2, 0 if sys.platform == "win32" else 2)
    pool.record(path)
    pool.async_reset()
    results = []
    for _ in range(200):
        results.append(pool.recv())
        ids = results[-1][4]["env_id"]
        pool.send(pool.sample_actions(results[-1][4]), ids)
    pool.close()
    with pytest.raises(ValueError, match="give its envs"):
        parallel_pool.replay(path)
    with parallel_pool.replay(path, env=Walk) as replay:
        for k, again in enumerate(replay):
            same(results[k], again, f"result {k}")
        assert replay.verified == 3
    with (
        parallel_pool.replay(path, env=lambda: Walk(noise=1.1)) as replay,
        pytest.raises(parallel_pool.ReplayError, match="result 63, or one"),
    ):
        list(replay)


def played_of_damaged(run: Run) -> int:
    """The number of results of a damaged file, all equal to the run's."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            replay = parallel_pool.replay(run.path)
        except ValueError as error:
            assert "no recording" in str(error)  # not even the header can be read
            return 0
        with replay:
            for k, again in enumerate(replay):
                run.compare(k, again)
    texts = " ".join(str(warning.message) for warning in warned)
    assert "cut off" in texts or "damaged" in texts or "no end" in texts
    return replay.step + 1


def test_a_cut_or_damaged_file_is_played_up_to_there(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "CartPole-v1")
    run.reset()
    for _ in range(5):
        run.steps(30)
        assert run.pool._recording is not None
        run.pool._recording._write()  # a record each
    run.pool.close()
    data = run.path.read_bytes()
    lengths = set()
    for size in range(0, len(data), 7):
        run.path.write_bytes(data[:size])
        lengths.add(played_of_damaged(run))
    assert {31, 61, 91, 121, 151} <= lengths
    for place in range(len(file.MAGIC), len(data), 13):
        run.path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        played_of_damaged(run)


def test_another_version_is_checked_by_digests(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, "CartPole-v1")
    run.reset()
    run.steps(100)
    run.pool.close()
    monkeypatch.setattr("parallel_pool.replays.run.VERSION", "9.9")
    with pytest.warns(UserWarning, match=r"this is 9\.9: digests show"):
        replay = parallel_pool.replay(run.path)
    replay.digests[63] += 1
    with pytest.raises(parallel_pool.ReplayError, match="result 63"):
        list(replay)
    replay.close()


def test_a_task_that_has_other_arrays_is_refused(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, "CartPole-v1")
    run.pool.close()
    monkeypatch.setattr("parallel_pool.replays.run.describe", lambda setup: "others")
    with pytest.raises(ValueError, match="CartPole-v1 has other arrays"):
        parallel_pool.replay(run.path)


def test_a_program_that_is_killed_leaves_its_run(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "run.ppr"
    program = (
        "import parallel_pool, numpy as np, sys, time\n"
        "pool = parallel_pool.make('CartPole-v1', num_envs=4)\n"
        f"pool.record({str(path)!r})\n"
        "pool.reset()\n"
        "for _ in range(1000): pool.step(np.ones(4, int))\n"
        "time.sleep(1); print('ready', flush=True); time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().split() == [b"ready"]
    process.kill()
    process.wait()
    process.stdout.close()
    with pytest.warns(UserWarning, match="no end: the program was killed"):
        replay = parallel_pool.replay(path)
    assert len(list(replay)) == 1001
    replay.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork()")
def test_a_forked_child_leaves_the_file_alone(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "CartPole-v1")
    run.reset()
    pid = os.fork()
    if pid == 0:
        try:
            run.pool.stop_recording()
            run.pool.close()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    run.steps(20)
    run.check()


def test_a_pool_that_is_dropped_ends_its_file(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "CartPole-v1")
    run.reset()
    del run.pool
    gc.collect()
    assert not any("recording" in thread.name for thread in threading.enumerate())
    with parallel_pool.replay(run.path) as replay:
        assert replay.damage == ""
        assert len(list(replay)) == 1


def test_bad_calls(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "run.ppr"
    with parallel_pool.make("CartPole-v1", num_envs=4, batch_size=2) as pool:
        with pytest.raises(OSError, match="No such file"):
            pool.record(tmp_path / "none" / "run.ppr")
        with pytest.raises(RuntimeError, match="it does not record"):
            pool.stop_recording()
        with pytest.raises(OSError, match="No space left"):
            pool.record("/dev/full")
        pool.async_reset()
        path.write_text("other")
        with pytest.raises(ValueError, match="in flight"):
            pool.record(path)
        assert path.read_text() == "other"
        pool.recv()
        pool.recv()
        recording = pool.record(path)
        with pytest.raises(RuntimeError, match="already"):
            pool.record(path)
        recording.stop()
        recording.stop()
    with pytest.raises(RuntimeError, match="closed"):
        pool.record(path)
    with parallel_pool.make("CartPole-v1", num_envs=4) as pool:
        pool.record(path)
        pool.reset()
    with parallel_pool.replay(path) as replay:
        with pytest.raises(ValueError, match="step is 1; the results of the run are 0 to 0"):
            replay.seek(1)
        with pytest.raises(RuntimeError, match="render_mode"):
            replay.render()
    with pytest.raises(ValueError, match="env_id is 4; the run has the envs 0 to 3"):
        parallel_pool.replay(path, env_id=4)


def test_a_full_disk_ends_the_recording_only(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, "CartPole-v1")
    run.reset()
    run.steps(20)
    assert run.pool._recording is not None
    run.pool._recording._write()

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("parallel_pool.python.recordings.file.write", full)
        run.pool.step(np.zeros(NUM_ENVS, int))
        with pytest.warns(RuntimeWarning, match="ends at result 22: .*No space left"):
            run.pool._recording._write()
    run.pool.step(np.zeros(NUM_ENVS, int))
    with pytest.raises(OSError, match="the recording ends at result 22"):
        run.pool.stop_recording()
    run.pool.step(np.zeros(NUM_ENVS, int))
    with pytest.warns(UserWarning, match="no end"):
        replay = parallel_pool.replay(run.path)
    assert len(list(replay)) == 21
    replay.close()


def test_a_task_that_cannot_save_is_recorded_from_its_beginning(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "Bytes-v0")
    run.reset()
    run.steps(30)
    run.check()
    with parallel_pool.make("Bytes-v0", num_envs=2) as pool:
        pool.reset()
        with pytest.raises(ValueError, match=r"record\(\) must come before the first reset"):
            pool.record(run.path)


def test_env_errors_come_again(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "Trouble-v0", num_envs=3)
    run.reset()
    with pytest.raises(parallel_pool.EnvError) as kept:
        run.pool.step(np.array([testing_family.FINE, testing_family.THROW, testing_family.FINE]))
    run.results += [kept.value.result]
    run.results += [run.pool.step(np.zeros(3, int))]
    run.pool.close()
    with parallel_pool.replay(run.path) as replay:
        next(replay)
        with pytest.raises(parallel_pool.EnvError) as again:
            next(replay)
        assert (str(again.value), again.value.env_ids) == (str(kept.value), [1])
        run.compare(1, again.value.result)
        run.compare(2, next(replay))


def test_difference(tmp_path: pathlib.Path) -> None:
    def play(name: str, change: int | None = None, **options: Any) -> pathlib.Path:
        path = tmp_path / name
        with parallel_pool.make("CartPole-v1", num_envs=8, **options) as pool:
            pool.record(path)
            pool.reset()
            random = np.random.default_rng(0)
            for step in range(1, 1000):
                action = random.integers(0, 2, 8)
                if step == change:
                    action[5] = 1 - action[5]
                pool.step(action)
        return path

    first = play("a")
    assert difference(first, play("b", num_threads=1)) is None
    found = difference(first, play("c", change=695))
    assert found is not None
    assert (found.step, found.env_id, found.array) == (695, 5, "action")
    assert sum(found.values) == 1
    assert "result 695, env 5: action is" in str(found)
    assert "seed is 42 and 3" in str(difference(first, play("d", seed=3)))


def test_frames(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("pygame")
    with parallel_pool.make("CartPole-v1", num_envs=2, render_mode="rgb_array") as pool:
        pool.record(tmp_path / "run.ppr")
        pool.reset()
        shown = [pool.render()]
        for _ in range(3):
            pool.step(np.ones(2, int))
            shown.append(pool.render())
    with parallel_pool.replay(tmp_path / "run.ppr", render_mode="rgb_array") as replay:
        np.testing.assert_array_equal(list(replay.frames()), shown)
    with parallel_pool.replay(tmp_path / "run.ppr", env_id=1, render_mode="rgb_array") as replay:
        np.testing.assert_array_equal(list(replay.frames()), [both[1:] for both in shown])


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_a_film_has_a_picture_of_each_result(tmp_path: pathlib.Path, mode: Any) -> None:
    """Also of resets, of a part of the envs, of what did not move, and where an env threw."""
    fine, end, throw = testing_family.FINE, testing_family.END, testing_family.THROW
    with parallel_pool.make("Trouble-v0", num_envs=2, lives=3, autoreset_mode=mode) as pool:
        pool.record(tmp_path / "run.ppr")
        pool.reset()
        for action in (fine, fine, end, fine):
            pool.step([action, fine])
        pool.step([end], [1])
        with pytest.raises(parallel_pool.EnvError):
            pool.step([throw, fine])
        pool.step([fine, fine])
        pool.reset([0])
    with parallel_pool.replay(tmp_path / "run.ppr", render_mode="rgb_array") as replay:
        assert len(list(replay.frames())) == replay.results == 9
        replay.seek(6)
        assert len(list(replay.frames())) == 3


def test_a_pool_that_another_thread_closes(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "Trouble-v0", num_envs=2, batch_size=1, sleep_ms=400)
    run.pool.async_reset()
    run.results += [run.pool.recv(), run.pool.recv()]
    run.pool.send(np.array([testing_family.SLEEP] * 2), np.arange(2))
    timer = threading.Timer(0.1, run.pool.close)
    timer.start()
    with pytest.raises(RuntimeError, match="closed during"):
        run.pool.recv()
    timer.join()
    with parallel_pool.replay(run.path) as replay:
        assert replay.damage == ""
        for k, again in enumerate(replay):
            run.compare(k, again)
        assert replay.step == 1
