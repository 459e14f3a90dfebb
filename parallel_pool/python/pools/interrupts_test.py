"""Waiting in recv: time limits, Ctrl-C, and one receiver at a time."""

import contextlib
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import parallel_pool
from parallel_pool.testing.testing_family import FINE, SLEEP


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
