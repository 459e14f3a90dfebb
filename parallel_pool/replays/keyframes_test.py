"""Replays begin at keyframes: a run's middle, its steps and one env alone."""

import pathlib

import pytest

import parallel_pool
from parallel_pool.python.recordings import file
from parallel_pool.testing.recorded_run import Run
from parallel_pool.testing.results import same


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


def test_a_keyframe_has_the_options_that_were_queued_before(tmp_path: pathlib.Path) -> None:
    per_env = {"is_slippery": [True] * 2}
    with parallel_pool.make("FrozenLake-v1", num_envs=2, seed=1, per_env=per_env) as pool:
        pool.record(tmp_path / "run.ppr")
        pool.reset()
        pool.queue([0], options={"per_env": {"is_slippery": [False]}})
        pool.reset()
        for step in range(300):
            pool.step([step % 4, 1])
            if step == 100:
                core = pool._native.core_pool
                assert core is not None
                core.request_keyframe()
    with parallel_pool.replay(tmp_path / "run.ppr") as run:
        run.seek(250)
        assert (len(list(run)), run.verified) == (52, 2)
