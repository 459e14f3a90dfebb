"""A fault in a worker process is an EnvError, the other envs go on, and nothing is left."""

import functools
import os
import pathlib
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import python_env
from parallel_pool.testing.python_env import FINE, HANG, KILL, THROW, Trouble

SECOND = 5.0  # faults are found within 20 ms; a loaded machine may take longer


def step(pool: Any, *actions: int) -> tuple[Any, list[int], str]:
    """One step: the batch, the envs that failed, and the message."""
    try:
        return pool.step(np.array(actions)), [], ""
    except parallel_pool.EnvError as error:
        return error.result, error.env_ids, str(error)


def worker_pids(pool: Any) -> list[int]:
    return [own.process.pid for own in pool._native._group.workers]


def is_alive(pid: int) -> bool:
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def gone(pids: list[int], seconds: float = SECOND) -> bool:
    """Whether all processes end within some seconds."""
    end = time.monotonic() + seconds
    while any(map(is_alive, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


FAULTS = [
    (
        "THROW",
        r"ValueError: thrown by the env\nTraceback .*\n  File .*python_env.py\", line \d+, in step",
    ),
    ("KILL", r"its worker process \d+ has ended by signal Killed"),
    ("EXIT", r"its worker process \d+ has ended with exit code 3"),
    ("SYSTEM_EXIT", r"SystemExit: good bye"),
    ("WRONG_SHAPE", r"its obs has shape \(1,\); its space has \(3,\)"),
    ("WRONG_DTYPE", r"its obs has dtype complex128; its space has float32"),
    ("FOUR_VALUES", r"step\(\) returned a tuple of 4; Gymnasium's API has 5: observation"),
    ("NO_INFO", r"its info is of type NoneType, not a dict"),
    ("LOCK_INFO", r"TypeError: its info cannot be pickled: cannot pickle"),
    (
        "LARGE_INFO",
        r"its info takes \d+ bytes; there is room for 4092: give make_python\(\) a larg",
    ),
    ("BAD_REWARD", r"its reward is 'much'; it must be a number"),
]


@pytest.mark.parametrize(("name", "message"), FAULTS)
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_fault_is_an_error_of_its_env_and_the_others_go_on(
    name: str, message: str, workers: int
) -> None:
    with parallel_pool.make_python(
        Trouble, 4, num_workers=workers, env_kwargs={"length": 99}
    ) as pool:
        pool.reset()
        start = time.monotonic()
        batch, failed, text = step(pool, FINE, FINE, FINE, getattr(python_env, name))
        assert time.monotonic() - start < SECOND
        assert re.search(message, text), text
        assert text.startswith("Trouble env ")
        obs, reward, terminated, truncated, info = batch
        if name in ("KILL", "EXIT"):  # all envs of the worker that had not answered
            assert failed in ([3], *([list(range(first, 4)) for first in range(4)]))
            assert set(failed) <= set(range(4 - 4 // workers, 4))
        else:
            assert failed == [3]
        for env in range(4):
            if env in failed:
                assert not obs[env].any()
                assert truncated[env] and not terminated[env] and reward[env] == 0
            else:
                assert obs[env, 1] == 1
        assert info["env_id"].tolist() == [0, 1, 2, 3]
        # All go on: the failed one by a reset. A dead worker has taken the other envs that it had
        # with it, and their next step says so.
        died = name in ("KILL", "EXIT")
        lost = [env for env in range(4 - 4 // workers, 4) if died and env not in failed]
        batch, failed_next, text = step(pool, *[FINE] * 4)
        assert failed_next == lost
        assert not lost or "its episode was lost: its worker has ended" in text
        others = [env for env in range(4) if env not in (*failed, *lost)]
        assert (batch[0][others, 1] == 2).all()
        assert (batch[0][failed, 1] == 0).all()
        for count in range(3, 5):
            obs = pool.step(np.zeros(4, int))[0]
            assert (obs[others, 1] == count).all()
            assert (obs[lost, 1] == count - 3).all()


class Deadly:
    """An observation that kills the process when it is written to the batch."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class KilledLate(Trouble):
    """Its fourth step is over when its worker dies."""

    def step(self, action: Any) -> Any:
        obs, *rest = super().step(action)
        return (Deadly() if self.steps == 4 else obs, *rest)


def test_a_step_counts_once_if_the_worker_dies_before_its_row() -> None:
    with parallel_pool.make_python(KilledLate, 1, env_kwargs={"length": 99}) as pool:
        pool.reset()
        for _ in range(3):
            pool.step(np.array([FINE]))
        (_, _, _, truncated, info), failed, text = step(pool, FINE)
        assert failed == [0]
        assert "has ended by signal Killed" in text
        assert (info["elapsed_step"][0], truncated[0]) == (4, True)
        assert pool.step(np.array([FINE]))[4]["elapsed_step"][0] == 0


def test_a_hang_ends_by_step_timeout() -> None:
    with parallel_pool.make_python(Trouble, 3, num_workers=3, step_timeout=0.3) as pool:
        pool.reset()
        start = time.monotonic()
        _, failed, text = step(pool, FINE, HANG, FINE)
        assert 0.3 <= time.monotonic() - start < SECOND
        assert failed == [1]
        assert "it did not answer within step_timeout = 0.3 s" in text
        assert step(pool, 0, 0, 0)[1] == []


def test_a_hang_in_an_async_pool_is_found_while_others_go_on() -> None:
    with parallel_pool.make_python(
        Trouble, 4, 2, num_workers=4, step_timeout=0.3, env_kwargs={"length": 10**6}
    ) as pool:
        pool.async_reset()
        failed: list[int] = []
        end = time.monotonic() + SECOND
        hung = False
        while not failed and time.monotonic() < end:
            try:
                ids = pool.recv()[4]["env_id"]
            except parallel_pool.EnvError as error:
                failed, ids = error.env_ids, error.result[4]["env_id"]
            pool.send([HANG if env == 3 and not hung else FINE for env in ids], ids)
            hung |= 3 in ids
        assert failed == [3]


def test_without_a_limit_recv_can_be_left_by_its_timeout() -> None:
    with parallel_pool.make_python(Trouble, 2, num_workers=2) as pool:
        pool.reset()
        pool.send([FINE, HANG])
        with pytest.raises(TimeoutError, match=r"Trouble: no batch within 0\.1"):
            pool.recv(timeout=0.1)


def test_a_restarted_env_has_other_random_numbers_which_are_always_the_same() -> None:
    def numbers() -> list[list[float]]:
        with parallel_pool.make_python(Trouble, 2, num_workers=2) as pool:
            rows = [pool.reset()[0][:, 0].tolist()]
            assert step(pool, FINE, KILL)[1] == [1]
            rows.append(step(pool, FINE, FINE)[0][0][:, 0].tolist())
            return rows

    first = numbers()
    assert first == numbers()
    assert first[0][0] == first[1][0]  # its episode goes on
    assert first[0][1] != first[1][1]


def test_a_worker_that_ends_too_often_closes_the_pool_with_the_reason() -> None:
    pool = parallel_pool.make_python(Trouble, 2, num_workers=2)
    pool.reset()
    for _ in range(3):
        assert step(pool, FINE, KILL)[1] == [1]
        assert step(pool, FINE, FINE)[1] == []
    pids = worker_pids(pool)
    assert step(pool, FINE, KILL)[1] == [1]
    why = (
        "Trouble: the pool was closed: 4 workers have ended within a minute; the last: its worker "
        r"process \d+ has ended by signal Killed"
    )
    ask = functools.partial(pool.get_attr, "steps")
    for call in (lambda: pool.step([0, 0]), pool.recv, pool.reset, pool.save, ask):
        with pytest.raises(RuntimeError, match=f"^{why}"):
            call()
    assert gone(pids)
    pool.close()


def test_without_restart_a_death_closes_the_pool() -> None:
    pool = parallel_pool.make_python(Trouble, 2, num_workers=2, restart=False)
    pool.reset()
    assert step(pool, KILL, FINE)[1] == [0]
    with pytest.raises(RuntimeError, match=r"restart is False; the last: .* by signal Killed"):
        pool.reset()


def test_a_worker_may_be_killed_while_it_is_idle() -> None:
    with parallel_pool.make_python(Trouble, 2, num_workers=2) as pool:
        pool.reset()
        os.kill(worker_pids(pool)[0], signal.SIGKILL)
        assert gone(worker_pids(pool)[:1])
        assert step(pool, FINE, FINE)[1] == [0]
        assert step(pool, FINE, FINE)[1] == []


def test_a_child_that_an_env_forks_does_not_disturb_the_worker() -> None:
    with parallel_pool.make_python(Trouble, 2, num_workers=1, env_kwargs={"length": 99}) as pool:
        pool.reset()
        for count in range(1, 10):
            batch, failed, _ = step(pool, python_env.FORK, FINE)
            assert failed == []
            assert batch[0][:, 1].tolist() == [count, count]


def test_faults_in_reset_are_errors_too() -> None:
    with parallel_pool.make_python(Trouble, 2) as pool:
        with pytest.raises(parallel_pool.EnvError, match="ValueError: options say so") as raised:
            pool.reset(options={"throw": True})
        assert raised.value.env_ids == [0, 1]
        assert pool.reset()[0][:, 1].tolist() == [0, 0]


def test_actions_are_checked_before_they_are_sent() -> None:
    with parallel_pool.make_python(Trouble, 2) as pool:
        pool.reset()
        with pytest.raises(
            ValueError, match=r"Trouble: action\[1\] is 16; allowed are the integers 0 to 15"
        ):
            pool.step([0, 16])
        assert pool.step([0, 0])[0][:, 1].tolist() == [1, 1]


# The end of a pool.


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
    def ticks(pid: int) -> int:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    with parallel_pool.make_python(Trouble, 4, num_workers=4) as pool:
        pool.reset()
        time.sleep(0.3)
        before = [ticks(pid) for pid in worker_pids(pool)]
        time.sleep(1)
        assert [ticks(pid) for pid in worker_pids(pool)] == before


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


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: 1 / 0, r"env 0: ZeroDivisionError: division by zero"),
        (lambda: os._exit(7), r"has ended with exit code 7 while it built its envs"),
        (lambda: object(), r"the env is a builtins\.object; it has no 'reset'"),
        (lambda: gymnasium.make_vec("CartPole-v1", 2), r"many envs in one: give what makes one"),
    ],
)
def test_envs_that_cannot_be_built(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parallel_pool.make_python(make, 2, num_workers=2)


def test_a_restart_that_cannot_build_its_envs_says_why(tmp_path: pathlib.Path) -> None:
    marker = tmp_path / "built"

    def make() -> Any:
        if marker.exists():
            raise ValueError("only once")
        return Trouble()

    pool = parallel_pool.make_python(make, 1)
    pool.reset()
    marker.touch()
    assert step(pool, KILL)[1] == [0]
    text = ""
    while not text:
        _, failed, message = step(pool, FINE)
        assert failed == [0]
        text = message if "only once" in message else ""
    assert "with exit code 1: env 0: ValueError: only once" in text
    pool.close()


def test_threads_of_an_env_run_while_its_worker_waits() -> None:
    class Counting(Trouble):
        def reset(self, **kwargs: Any) -> Any:
            self.count = 0

            def work() -> None:
                while True:
                    self.count += 1
                    time.sleep(0.001)

            threading.Thread(target=work, daemon=True).start()
            return super().reset(**kwargs)

    with parallel_pool.make_python(Counting) as pool:
        pool.reset()
        before = pool.get_attr("count")[0]
        time.sleep(0.3)
        assert pool.get_attr("count")[0] > before + 20


def test_throw_names_the_env_and_the_step() -> None:
    with parallel_pool.make_python(Trouble, 3, num_workers=2) as pool:
        pool.reset()
        pool.step([0, 0, 0])
        _, failed, text = step(pool, THROW, FINE, THROW)
        assert failed == [0, 2]
        assert text.startswith(
            "Trouble env 0 step 2: ValueError: thrown by the env\nTraceback (most recent call last)"
        )
        assert text.endswith("(and 1 more envs of this batch)")
