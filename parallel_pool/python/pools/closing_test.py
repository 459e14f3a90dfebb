"""The end of a pool: close() from other threads and handlers, forks, the end of the program."""

import functools
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.processes import run_program
from parallel_pool.testing.testing_family import FINE, SLEEP


def run(code: str) -> subprocess.CompletedProcess[str]:
    preamble = "import parallel_pool; from parallel_pool.testing.testing_family import *\n"
    return run_program(preamble + code)


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
