"""Processes that envs start end with the pool; those of the program, and its choices, stay."""

import os
import pathlib
import subprocess
import sys
import time

import pytest

import parallel_pool
from parallel_pool.testing.processes import output_of

# An env that starts a process in one of several ways, and writes its number.
STARTS = """
import multiprocessing, os, pathlib, subprocess, sys, time
import gymnasium, numpy as np
from gymnasium import spaces

def grandparent(file):
    child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    pathlib.Path(file).write_text(f"{os.getpid()} {child.pid}")
    time.sleep(1000)

class Starts(gymnasium.Env):
    observation_space = spaces.Box(0, 1, (2,), np.float64)
    action_space = spaces.Discrete(2)

    def __init__(self, file, way):
        if way == "Popen":
            self.child = subprocess.Popen(["sleep", "1000"])
            pathlib.Path(file).write_text(str(self.child.pid))
        else:
            self.child = multiprocessing.get_context(way).Process(target=grandparent, args=(file,))
            self.child.start()
        while not os.path.exists(file) or not os.path.getsize(file):
            time.sleep(0.01)

    def reset(self, *, seed=None, options=None):
        return np.zeros(2), {}

    def step(self, action):
        if action == 1:
            os._exit(3)
        return np.zeros(2), 0.0, False, False, {}
"""
RUN = """
import sys, warnings
sys.path.insert(0, {folder!r})
import starts
import parallel_pool
if __name__ == "__main__":
    pool = parallel_pool.make_python(
        starts.Starts, 2, num_workers=2, child_timeout=0.2, start_method={method!r},
        env_kwargs=[dict(file={folder!r} + f"/{{i}}", way={way!r}) for i in range(2)])
    pool.reset()
    pool.step([0, 0])
    {end}
"""


def is_running(pid: int) -> bool:
    """Whether a process lives; a zombie does not."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rsplit(")", 1)[1].split()[0] != "Z"


def have_ended(pids: list[int]) -> bool:
    """Whether the processes end: one that was killed may live for a moment on a busy machine."""
    limit = time.monotonic() + 10
    while any(map(is_running, pids)) and time.monotonic() < limit:
        time.sleep(0.01)
    return not any(map(is_running, pids))


def started(folder: pathlib.Path) -> list[int]:
    return [int(pid) for i in range(2) for pid in (folder / str(i)).read_text().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("way", "method", "end"),
    [
        *((way, "forkserver", "pool.close()") for way in ("fork", "spawn", "forkserver", "Popen")),
        *(("fork", method, "pool.close()") for method in ("fork", "spawn")),
        ("fork", "forkserver", "del pool"),
        ("fork", "forkserver", ""),
        ("fork", "forkserver", "raise KeyboardInterrupt"),
    ],
)
def test_processes_of_envs_end_with_the_pool(
    tmp_path: pathlib.Path, way: str, method: str, end: str
) -> None:
    (tmp_path / "starts.py").write_text(STARTS)
    program = tmp_path / "program.py"
    program.write_text(RUN.format(folder=str(tmp_path), method=method, way=way, end=end))
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": ":".join(p for p in sys.path if p)},
    )
    pids = started(tmp_path)
    assert len(pids) == (2 if way == "Popen" else 4)
    assert have_ended(pids)
    assert "which were ended after 0.2 s (child_timeout)" in done.stderr
    assert str(pids[0]) in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_processes_of_an_env_end_with_a_worker_that_is_replaced(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "starts.py").write_text(STARTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    import starts  # type: ignore[import-not-found]

    own = subprocess.Popen(["sleep", "1000"])
    kwargs = [{"file": str(tmp_path / str(i)), "way": "Popen"} for i in range(2)]
    with (
        pytest.warns(UserWarning, match="child_timeout"),
        parallel_pool.make_python(
            starts.Starts, 2, num_workers=2, env_kwargs=kwargs, child_timeout=0
        ) as pool,
    ):
        pool.reset()
        first = started(tmp_path)
        with pytest.raises(parallel_pool.EnvError):
            pool.step([1, 0])
        assert have_ended(first[:1])
        assert is_running(first[1])
    assert have_ended(started(tmp_path))
    assert own.poll() is None, "a process of the program itself"
    own.kill()
    own.wait()


@pytest.mark.parametrize("method", ["forkserver", "fork", "spawn"])
def test_the_program_may_still_choose_its_start_method(method: str) -> None:
    program = f"""
import multiprocessing
import parallel_pool
with parallel_pool.make_python("CartPole-v1", 2, num_workers=1, start_method="{method}") as pool:
    pool.reset()
    assert multiprocessing.get_start_method(allow_none=True) is None
multiprocessing.set_start_method("spawn")
with parallel_pool.make_python("CartPole-v1", 2, num_workers=1, start_method="{method}") as pool:
    pool.reset()
assert multiprocessing.get_start_method(allow_none=True) == "spawn"
"""
    output_of(program)
