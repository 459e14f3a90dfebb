"""Worker processes end with their pool and with its program, however that ends."""

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import python_env
from parallel_pool.testing.processes import SECOND, gone, is_alive, worker_pids
from parallel_pool.testing.python_env import FINE, HANG, Trouble


def children_of(pool: Any) -> list[int]:
    """Starts a child in each env; its pid."""
    pool.reset()
    info = pool.step(np.full(pool.num_envs, python_env.CHILD))[4]
    return [int(pid) for pid in info["child"]]


def test_close_ends_the_workers_and_their_children() -> None:
    for _ in range(2):
        pool = parallel_pool.make_python(Trouble, 2, num_workers=2)
        children, pids = children_of(pool), worker_pids(pool)
        assert all(map(is_alive, (*pids, *children)))
        pool.close()
        assert gone([*pids, *children], 1)
        pool.close()
        with pytest.raises(RuntimeError, match="Trouble: the pool is closed"):
            pool.step([0, 0])


def test_a_pool_that_is_forgotten_ends_its_workers() -> None:
    pool = parallel_pool.make_python(Trouble, 2, num_workers=2)
    pids = worker_pids(pool)
    del pool
    assert gone(pids)


def test_close_does_not_wait_for_an_env_that_hangs() -> None:
    pool = parallel_pool.make_python(Trouble, 2, num_workers=2)
    pool.reset()
    pids = worker_pids(pool)
    pool.send([HANG, FINE])
    time.sleep(0.5)  # the worker begins the step
    start = time.monotonic()
    with pytest.warns(
        UserWarning, match="Trouble: envs 0 to 0 were ended in a step of more than 2 s"
    ):
        pool.close()
    assert time.monotonic() - start < 2 + SECOND
    assert not any(map(is_alive, pids))


def test_arrays_outlive_the_pool_and_no_file_is_left_open() -> None:
    def files() -> int:
        return len(os.listdir("/proc/self/fd"))

    with parallel_pool.make_python(Trouble, 2) as pool:
        pool.reset()
    before = files()
    kept = []
    for _ in range(3):
        with parallel_pool.make_python(Trouble, 2, num_workers=2) as pool:
            pool.reset()
            kept.append(pool.step([0, 0])[0])
    assert [obs[:, 1].tolist() for obs in kept] == [[1, 1]] * 3
    assert files() == before


def test_idle_workers_use_no_time() -> None:
    def ticks(pid: int) -> int:  # of 10 ms
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    with parallel_pool.make_python(Trouble, 4, num_workers=4) as pool:
        pool.reset()
        time.sleep(0.3)
        before = [ticks(pid) for pid in worker_pids(pool)]
        time.sleep(1)
        after = [ticks(pid) for pid in worker_pids(pool)]
        # The portable forms of core/platform look at shared memory now and then.
        most = 3 if "PARALLEL_POOL_PORTABLE" in os.environ else 0
        assert all(b - a <= most for a, b in zip(before, after, strict=True)), (before, after)


# Programs.


def run(program: str, *args: str, stdin: str | None = None, **kwargs: Any) -> Any:
    """Runs a program with this package."""
    paths = [str(pathlib.Path(parallel_pool.__file__).parent.parent), *sys.path]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, *(args or ("-c", program))],
        input=stdin,
        capture_output=True,
        text=True,
        env=environ,
        timeout=60,
        check=False,
        **kwargs,
    )


def shown(program: str) -> str:
    return textwrap.dedent(program)


# Without `if __name__ == "__main__"`, with a class that only the program has, also in the infos.
PROGRAM = shown(
    """
    import os, sys
    print("program", file=sys.stderr)
    import gymnasium, numpy as np, parallel_pool
    class Point:
        def __init__(self, x): self.x = x
        def __eq__(self, other): return self.x == other.x
    class Mine(gymnasium.Env):
        observation_space = gymnasium.spaces.Box(0, 99, (1,), np.float32)
        action_space = gymnasium.spaces.Discrete(2)
        def reset(self, *, seed=None, options=None):
            self.at = 0
            return np.zeros(1, np.float32), {}
        def step(self, action):
            self.at += 1
            return np.array([self.at], np.float32), 1.0, False, False, {"point": Point(self.at)}
    method = os.environ.get("METHOD", "forkserver")
    with parallel_pool.make_python(Mine, 3, num_workers=2, start_method=method) as pool:
        pool.reset()
        obs, *_, info = pool.step([0, 1, 0])
        assert list(info["point"]) == [Point(1)] * 3
        print(obs.ravel().tolist(), __name__, "__file__" in globals())
    """
)


@pytest.mark.parametrize("method", ["forkserver", "spawn", "fork"])
@pytest.mark.parametrize("how", ["file", "command", "stdin", "module"])
def test_programs_need_no_guard(
    method: str, how: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("METHOD", method)
    (tmp_path / "program.py").write_text(PROGRAM)
    done = {
        "file": lambda: run("", str(tmp_path / "program.py")),
        "command": lambda: run(PROGRAM),
        "stdin": lambda: run("", "-", stdin=PROGRAM),
        "module": lambda: run("", "-m", "program", cwd=tmp_path),
    }[how]()
    assert done.returncode == 0, done.stderr
    has_file = how != "command"
    assert done.stdout == f"[1.0, 1.0, 1.0] __main__ {has_file}\n"
    assert done.stderr.count("program") == 1, done.stderr


def test_nothing_is_left_when_the_program_is_killed() -> None:
    program = shown(
        """
        import os, signal, numpy as np, parallel_pool
        from parallel_pool.testing.python_env import CHILD, HANG, Trouble
        pool = parallel_pool.make_python(Trouble, 4, num_workers=4)
        pool.reset()
        info = pool.step(np.full(4, CHILD))[4]
        print(*info["child"], *(own.process.pid for own in pool._native._group.workers), flush=True)
        pool.send(np.full(4, HANG))
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    done = run(program)
    assert done.returncode == -signal.SIGKILL, done.stderr
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 8
    assert gone(pids, 1)


@pytest.mark.parametrize("end", ["pass", "raise SystemExit(3)", "raise ValueError('x')"])
def test_a_program_may_end_without_close(end: str) -> None:
    program = shown(
        """
        import numpy as np, parallel_pool
        from parallel_pool.testing.python_env import Trouble
        pool = parallel_pool.make_python(Trouble, 2, num_workers=2)
        pool.reset()
        print(*(own.process.pid for own in pool._native._group.workers), flush=True)
        pool.send(np.zeros(2, int))
        """
    )
    start = time.monotonic()
    done = run(program + end)
    assert time.monotonic() - start < 30
    assert done.returncode == {"p": 0, "S": 3, "V": 1}[end[0] if end == "pass" else end[6]]
    assert ("Traceback" in done.stderr) == ("ValueError" in end), done.stderr
    assert gone([int(pid) for pid in done.stdout.split()])


def test_ctrl_c_ends_a_wait_and_the_pool_goes_on() -> None:
    program = shown(
        """
        import os, signal, threading, time, numpy as np, parallel_pool
        from parallel_pool.testing.python_env import FINE, HANG, Trouble
        with parallel_pool.make_python(Trouble, 2, num_workers=2, step_timeout=3) as pool:
            pool.reset()
            pool.send([FINE, HANG])
            # to all of the terminal's processes
            threading.Timer(0.3, lambda: os.killpg(0, signal.SIGINT)).start()
            try:
                pool.recv()
            except KeyboardInterrupt:
                print("interrupted")
            try:
                pool.recv()
            except parallel_pool.EnvError as error:
                print(error.env_ids)
            print(pool.step([0, 0])[0][:, 1].tolist())
        """
    )
    done = run(program, start_new_session=True)
    assert done.stdout == "interrupted\n[1]\n[2.0, 0.0]\n", done.stderr


def test_a_forked_child_gets_an_error_and_leaves_the_workers_alone() -> None:
    with parallel_pool.make_python(Trouble, 2, num_workers=2) as pool:
        pool.reset()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                pool.step([0, 0])
            except RuntimeError as error:
                code = 0 if "made before a fork()" in str(error) else 2
            try:
                pool.get_attr("steps")
                code = 3
            except RuntimeError as error:
                code = code if "made before a fork()" in str(error) else 4
            pool.close()
            os._exit(code)
        assert os.waitpid(pid, 0)[1] == 0
        assert pool.step([0, 0])[0][:, 1].tolist() == [1, 1]


def test_threads_may_use_several_pools() -> None:
    pools = [parallel_pool.make_python("CartPole-v1", 2, num_workers=2) for _ in range(2)]

    def work(pool: Any) -> None:
        pool.reset()
        for _ in range(200):
            pool.step([0, 1])

    threads = [threading.Thread(target=work, args=(pool,)) for pool in pools]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    for pool in pools:
        pool.close()
