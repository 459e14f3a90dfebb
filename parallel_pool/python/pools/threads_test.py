"""Several threads use one pool, or make pools, at the same time: with and without a GIL."""

import random
import sys
import sysconfig
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.specs.registry import registry
from parallel_pool.testing import testing_family  # noqa: F401

_SECONDS = 1.0
# Errors of a call if another thread is in the same part of the pool, or has the env.
_REFUSALS = (
    "another call is sending",
    "another thread is in recv()",
    "is in flight",
    "would wait forever",
)


def run_together(bodies: list[Callable[[], None]], seconds: float = _SECONDS) -> None:
    """Calls each of `bodies` again and again in a thread of its own; raises the first error."""
    errors: list[BaseException] = []
    start = threading.Barrier(len(bodies))

    def loop(body: Callable[[], None]) -> None:
        start.wait()
        end = time.monotonic() + seconds
        try:
            body()
            while time.monotonic() < end and not errors:
                body()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=loop, args=(body,), daemon=True) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a call of the pool hangs"
    if errors:
        raise errors[0]


def unless_refused(call: Callable[[], Any]) -> list[Any]:
    """[the call's result], or [] if another thread was in the way."""
    try:
        return [call()]
    except (RuntimeError, ValueError) as error:
        if not any(text in str(error) for text in _REFUSALS):
            raise
        return []


@pytest.mark.skipif(not hasattr(sys, "_is_gil_enabled"), reason="this Python has a GIL")
def test_the_import_turns_no_gil_on() -> None:
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert sys._is_gil_enabled() == (not free_threaded)  # type: ignore[attr-defined,unused-ignore]


def test_all_calls_of_an_async_pool_at_once() -> None:
    """Each env's time counts its steps one by one: no action is lost, and none is played twice."""
    num_envs = 8
    expected = np.zeros(num_envs, int)  # elapsed_step of each env's next row
    with parallel_pool.make_gymnasium("CartPole-v1", num_envs=num_envs, batch_size=2) as pool:
        pool.async_reset()

        def play() -> None:
            received = unless_refused(lambda: pool.recv(timeout=1))
            if not received:
                return
            _, _, terminated, truncated, info = received[0]
            ids, elapsed = info["env_id"], info["elapsed_step"]
            assert (elapsed == expected[ids]).all()
            expected[ids] = np.where(terminated | truncated, 0, elapsed + 1)
            while not unless_refused(lambda: pool.send(np.zeros(2, int), ids)):
                pass  # another thread is saving

        def save() -> None:
            unless_refused(lambda: pool.save(np.array([random.randrange(num_envs)])))

        run_together([play, save, save])
    assert expected.any()


def test_steps_of_a_sync_pool_from_all_sides() -> None:
    """One step at a time is played, the others are refused, and the envs' time has no gap."""
    num_envs = 4
    with parallel_pool.make_gymnasium("Pendulum-v1", num_envs=num_envs) as pool:
        pool.reset()
        times: list[int] = []

        def step() -> None:
            result = unless_refused(lambda: pool.step(np.zeros((num_envs, 1), np.float32)))
            if result:
                elapsed = result[0][4]["elapsed_step"]
                assert (elapsed == elapsed[0]).all()
                times.append(int(elapsed[0]))

        run_together([step, step, step])
    assert len(times) > 100
    assert set(times) == set(range(min(times), max(times) + 1))


def test_close_during_calls() -> None:
    """A close in the middle of calls ends them with an error, and nothing else."""
    for _ in range(20):
        pool = parallel_pool.make_gymnasium("CartPole-v1", num_envs=8, batch_size=4)
        pool.async_reset()
        closed = threading.Event()

        def play(pool: Any = pool, closed: threading.Event = closed) -> None:
            try:
                received = unless_refused(lambda: pool.recv(timeout=1))
                if received:
                    ids = received[0][4]["env_id"]
                    unless_refused(lambda: pool.send(np.zeros(4, int), ids))
            except RuntimeError as error:
                assert "closed" in str(error), error
                closed.set()

        def close(pool: Any = pool) -> None:
            time.sleep(0.01)
            pool.close()

        run_together([play, play, close], seconds=0.03)
        assert pool.closed


def test_pools_made_at_once() -> None:
    """Tasks are loaded once, and pools of different threads share nothing."""

    def make() -> None:
        with parallel_pool.make_gymnasium("FrozenLake-v1", num_envs=2, seed=1) as pool:
            obs, _ = pool.reset()
            assert obs.tolist() == [0, 0]
            pool.step(np.ones(2, int))

    run_together([make] * 4)
    assert not registry().failures or set(registry().failures) == {"vizdoom"}
