"""Waiting in recv: time limits, Ctrl-C, other threads, forks, the end of the interpreter."""

import contextlib
import functools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.processes import run_program
from parallel_pool.testing.testing_family import FINE, SLEEP


def run(code: str) -> subprocess.CompletedProcess[str]:
    preamble = "import parallel_pool; from parallel_pool.testing.testing_family import *\n"
    return run_program(preamble + code)


def press_ctrl_c_soon() -> None:
    """Sends this process what Ctrl-C sends; os.kill() would end a process of Windows."""
    is_windows = sys.platform == "win32"
    send = signal.raise_signal if is_windows else functools.partial(os.kill, os.getpid())
    threading.Timer(0.1, send, (signal.SIGINT,)).start()


@contextlib.contextmanager
def waiting_for_a_sleeper(sleep_ms: int) -> Iterator[Any]:
    """An async pool with one thread and two envs in flight; the first sleeps in its step."""
    with parallel_pool.make(
        "Trouble-v0", num_envs=2, batch_size=1, num_threads=1, sleep_ms=sleep_ms
    ) as pool:
        pool.async_reset()
        pool.recv(), pool.recv()
        pool.send([SLEEP, FINE])
        yield pool


def test_timeout_loses_nothing() -> None:
    with waiting_for_a_sleeper(300) as pool:
        for timeout in (0, 0.01):
            with pytest.raises(TimeoutError, match=f"Trouble-v0: no batch within {timeout:.6f} s"):
                pool.recv(timeout=timeout)
        assert {pool.recv(timeout=60)[4]["env_id"][0], pool.recv()[4]["env_id"][0]} == {0, 1}


def test_ctrl_c_ends_the_wait_and_loses_nothing() -> None:
    with waiting_for_a_sleeper(2000) as pool:
        press_ctrl_c_soon()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            pool.recv()
        assert time.monotonic() - start < 1.8, "it waited for the env"
        assert {pool.recv()[4]["env_id"][0], pool.recv()[4]["env_id"][0]} == {0, 1}


@pytest.mark.parametrize("batch_size", [2, 1])
def test_reset_after_ctrl_c_takes_back_what_is_in_flight(batch_size: int) -> None:
    with parallel_pool.make(
        "Trouble-v0", num_envs=2, batch_size=batch_size, num_threads=2, sleep_ms=500
    ) as pool:

        def begin() -> None:
            if batch_size == 2:
                pool.reset()
            else:
                pool.async_reset()
                assert {int(pool.recv()[4]["env_id"][0]) for _ in range(2)} == {0, 1}

        begin()
        for _ in range(2):
            press_ctrl_c_soon()
            pool.send([SLEEP, SLEEP])
            with pytest.raises(KeyboardInterrupt):
                pool.recv()
            with pytest.raises(ValueError, match="is in flight"):
                pool.reset([0])  # only a reset of all envs takes back
            begin()
            pool.send([FINE, FINE])
            for _ in range(2 // batch_size):
                assert (pool.recv()[4]["elapsed_step"] == 1).all()
        pool.send([FINE, FINE])
        if batch_size == 2:  # not without a Ctrl-C: that would hide a mistake
            with pytest.raises(ValueError, match="is in flight"):
                pool.reset()


@contextlib.contextmanager
def waiting_for_a_sync_sleeper(sleep_ms: int, num_threads: int, steps: int) -> Iterator[Any]:
    """A sync pool in whose step both envs sleep, after `steps` such steps."""
    with parallel_pool.make(
        "Trouble-v0", num_envs=2, num_threads=num_threads, sleep_ms=sleep_ms
    ) as pool:
        pool.reset()
        for _ in range(steps):
            pool.step([SLEEP, SLEEP])
        pool.send([SLEEP, SLEEP])
        yield pool


@pytest.mark.parametrize("num_threads", [1, 2, 3])
@pytest.mark.parametrize("steps", [0, 1])  # the cost of a step is not known, or long
def test_timeout_of_a_sync_pool_loses_nothing(num_threads: int, steps: int) -> None:
    with waiting_for_a_sync_sleeper(500, num_threads, steps) as pool:
        start = time.monotonic()
        for timeout in (0, 0.05):
            with pytest.raises(TimeoutError, match=f"Trouble-v0: no batch within {timeout:.6f} s"):
                pool.recv(timeout=timeout)
        assert time.monotonic() - start < 0.4, "it waited for the envs"
        obs, *_, info = pool.recv(timeout=60)
        assert obs[:, 0].tolist() == [steps + 1] * 2
        assert info["env_id"].tolist() == [0, 1]
        assert pool.step([FINE, FINE])[0][:, 0].tolist() == [steps + 2] * 2


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("call", ["recv", "step"])
def test_ctrl_c_ends_the_wait_of_a_sync_pool(num_threads: int, call: str) -> None:
    with waiting_for_a_sync_sleeper(600, num_threads, 0) as pool:
        if call == "step":
            pool.recv()
        press_ctrl_c_soon()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            pool.recv() if call == "recv" else pool.step([SLEEP, SLEEP])
        assert time.monotonic() - start < 0.5, "it waited for the envs"
        assert pool.recv()[4]["env_id"].tolist() == [0, 1]


def test_close_after_a_timeout_of_a_sync_pool() -> None:
    with waiting_for_a_sync_sleeper(300, 1, 0) as pool:
        with pytest.raises(TimeoutError):
            pool.recv(timeout=0.01)
        start = time.monotonic()
        pool.close()
        assert time.monotonic() - start < 0.5, "it waited for the second env"


CLOSED_IN_A_HANDLER = """
import os, signal, threading, time, gymnasium, numpy

class Slow(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (2,), numpy.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return numpy.zeros(2, numpy.float32), {}

    def step(self, action):
        time.sleep(0.6)
        return numpy.zeros(2, numpy.float32), 0.0, False, False, {}

if __name__ == "__main__":
    pool = %s
    pool.async_reset()
    for _ in range(2 // pool.config["batch_size"]):
        pool.recv()
    signal.signal(signal.SIGINT, lambda *_: pool.close())
    threading.Timer(0.2, %s).start()
    try:
        pool.send([SLEEP, SLEEP] if "Trouble" in repr(pool) else [0, 0])
        pool.recv()
    except (RuntimeError, parallel_pool.EnvError) as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("parallel_pool.make('Trouble-v0', num_envs=2, sleep_ms=600)", "closed during recv"),
        ("parallel_pool.make('Trouble-v0', num_envs=2, batch_size=1, sleep_ms=600)", "closed dur"),
        ("parallel_pool.make_python(Slow, 2, num_workers=2)", "closed during recv"),
        ("parallel_pool.make_python(Slow, 2, num_workers=2, batch_size=1)", "closed during recv"),
        ("parallel_pool.make_python(Slow, 2, num_workers=0)", "close() in the middle of a step"),
    ],
)
def test_close_in_a_signal_handler_of_the_receiver_ends(made: str, told: str) -> None:
    is_windows = sys.platform == "win32"
    send = "signal.raise_signal, (2,)" if is_windows else "os.kill, (os.getpid(), 2)"
    ended = run(CLOSED_IN_A_HANDLER % (made, send))
    assert told in ended.stdout, ended
    assert ended.returncode == 0, ended.stderr


def test_one_receiver_at_a_time() -> None:
    with parallel_pool.make(
        "Trouble-v0", num_envs=2, batch_size=1, num_threads=1, sleep_ms=300
    ) as pool:
        pool.async_reset()
        pool.recv(), pool.recv()
        pool.send([SLEEP, SLEEP])
        other = threading.Thread(target=pool.recv)
        other.start()
        time.sleep(0.1)
        with pytest.raises(RuntimeError, match=r"another thread is in recv\(\)"):
            pool.recv()
        other.join()
        pool.recv()


class Acts:
    """An action that calls the pool when it is converted to an array."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.call = call

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.call()
        return np.array([FINE, FINE])


@pytest.mark.parametrize(
    "call",
    [
        lambda pool, data: pool.send([FINE, FINE]),
        lambda pool, data: pool.step([FINE], [0]),
        lambda pool, data: pool.reset(),
        lambda pool, data: pool.async_reset(),
        lambda pool, data: pool.save(),
        lambda pool, data: pool.load(data),
    ],
)
def test_one_sender_at_a_time(call: Callable[[Any, bytes], object]) -> None:
    with parallel_pool.make("Trouble-v0", num_envs=2) as pool:
        pool.reset()
        acts = Acts(functools.partial(call, pool, pool.save()))
        for arguments in ((acts,), ([FINE, FINE], acts)):
            with pytest.raises(ValueError, match="another call is sending to this pool"):
                pool.send(*arguments)
        assert pool.step([FINE, FINE])[0][:, 0].tolist() == [1, 1]


@pytest.mark.parametrize(
    "send", [lambda pool, acts: pool.step(acts), lambda pool, acts: pool.reset(acts)]
)
def test_closing_while_an_argument_is_read(send: Callable[[Any, Acts], object]) -> None:
    pool = parallel_pool.make("Trouble-v0", num_envs=2)
    pool.reset()
    with pytest.raises(RuntimeError, match="the pool is closed"):
        send(pool, Acts(pool.close))


def test_close_wakes_a_receiver() -> None:
    pool = parallel_pool.make("Trouble-v0", num_envs=2, batch_size=1, num_threads=1, sleep_ms=500)
    pool.async_reset()
    pool.recv(), pool.recv()
    pool.send([SLEEP, SLEEP])
    errors = []

    def receive() -> None:
        try:
            pool.recv()
        except RuntimeError as error:
            errors.append(str(error))

    receiver = threading.Thread(target=receive)
    receiver.start()
    time.sleep(0.1)
    pool.close()
    receiver.join()
    assert errors == ["Trouble-v0: the pool was closed during recv()"]


# The first step has an unknown cost, so another thread than the receiver runs it; the receiver runs
# the second itself.
@pytest.mark.parametrize(("num_envs", "sleep_ms", "steps"), [(1, 300, 0), (64, 5, 1)])
def test_close_waits_for_an_env_that_runs(num_envs: int, sleep_ms: int, steps: int) -> None:
    pool = parallel_pool.make("Trouble-v0", num_envs=num_envs, num_threads=1, sleep_ms=sleep_ms)
    pool.reset()
    for _ in range(steps):
        pool.step([SLEEP] * num_envs)
    errors = []

    def step() -> None:
        try:
            pool.step([SLEEP] * num_envs)
        except RuntimeError as error:
            errors.append(str(error))

    receiver = threading.Thread(target=step)
    receiver.start()
    time.sleep(0.06)
    pool.close()
    receiver.join()
    assert errors == ["Trouble-v0: the pool was closed during recv()"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork()")
def test_a_forked_child_gets_an_error() -> None:
    done = run("""
import os
pool = parallel_pool.make("CartPole-v1", num_envs=4, batch_size=2, num_threads=2)
pool.async_reset()
pool.recv()
child = os.fork()
if child == 0:
    try:
        pool.step([0, 0], [0, 1])
    except RuntimeError as error:
        assert "fork()" in str(error), error
        with parallel_pool.make("CartPole-v1", num_envs=4) as own:
            own.reset()
        raise SystemExit(7)
_, status = os.waitpid(child, 0)
pool.recv()
print(os.waitstatus_to_exitcode(status))
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "7\n", "")


@pytest.mark.parametrize("keep", ["sys.modules['keep'] = pool", "del parallel_pool", "os._exit(0)"])
def test_the_interpreter_ends_with_live_pools_in_silence(keep: str) -> None:
    done = run(f"""
import os, sys
pool = parallel_pool.make("Trouble-v0", num_envs=64, batch_size=8, num_threads=4, sleep_ms=5)
pool.async_reset()
pool.recv()
pool.send([SLEEP] * 8, pool.recv()[4]["env_id"])
{keep}
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("loop", ["pool.step([SLEEP])", "pool.recv()", "pool.reset()"])
def test_daemon_threads_end_in_silence(loop: str) -> None:
    done = run(f"""
import threading, time
if "recv" in {loop!r}:
    pool = parallel_pool.make("Trouble-v0", num_envs=2, batch_size=1, sleep_ms=500)
    pool.async_reset()
    pool.recv(), pool.recv()
    pool.send([SLEEP] * 2)
else:
    pool = parallel_pool.make("Trouble-v0", num_envs=1, sleep_ms=20)
    pool.reset()
def work():
    while True:
        {loop}
threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_unhandled_error_ends_the_process() -> None:
    done = run("""
pool = parallel_pool.make("CartPole-v1", num_envs=64, batch_size=8, num_threads=4)
pool.async_reset()
raise SystemExit(3)
""")
    assert done.returncode == 3


STUCK = """
pool = parallel_pool.make("Trouble-v0", num_envs=2, num_threads=2, batch_size=1, sleep_ms=10**9)
pool.async_reset()
pool.recv(), pool.recv()
pool.send([SLEEP, FINE])
pool.recv()
"""


def test_a_program_ends_while_an_env_never_comes_back() -> None:
    done = run(STUCK + "print('the last line')")
    assert done.returncode == 0
    assert done.stdout == "the last line\n"
    assert "Trouble-v0: an env is still in a step; the program ends without it" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize("ends_by", ["pool.close()", "del pool"])
def test_ctrl_c_ends_a_close_that_waits_for_an_env(ends_by: str) -> None:
    done = run(
        STUCK
        + f"""
import os, signal, threading
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {ends_by}
except KeyboardInterrupt:
    print("interrupted")
print("the last line")
"""
    )
    assert done.returncode == 0
    assert done.stdout.endswith("the last line\n")
    assert ("interrupted" in done.stdout) == (ends_by == "pool.close()")


def test_several_threads_may_close_a_pool() -> None:
    done = run(
        """
import threading
for _ in range(5):
    pool = parallel_pool.make("Trouble-v0", num_envs=2, num_threads=2, batch_size=1, sleep_ms=200)
    pool.async_reset()
    pool.recv(), pool.recv()
    pool.send([SLEEP, SLEEP])
    threads = [threading.Thread(target=pool.close) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("the last line")
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "the last line\n", "")
