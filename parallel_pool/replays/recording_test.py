"""Recordings that end early: by an error, a signal, a fork or another thread."""

import errno
import gc
import os
import pathlib
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family
from parallel_pool.testing.recorded_run import NUM_ENVS, Run


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
