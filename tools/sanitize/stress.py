"""The program of stress_test.py: pools that two threads use at once, closed at random times.

Usage: stress.py [LIBRARY FUNCTION]   calls a function of a shared library instead
"""

import contextlib
import ctypes
import random
import sys
import threading
from typing import Any

import numpy as np

import parallel_pool
from parallel_pool.testing.testing_family import END, FINE, THROW, THROW_IN_OBSERVE

ROUNDS = 25


def send_for_a_while(pool: Any, idle: list[int], wanted: threading.Event) -> None:
    """Sends the envs that the receiver has received, until `wanted` is set or the pool closes."""
    choose = random.Random(len(idle))
    while not wanted.is_set():
        ids = [idle.pop() for _ in range(min(len(idle), choose.randint(0, 20)))]
        actions = choose.choices([FINE, END, THROW, THROW_IN_OBSERVE], [94, 4, 1, 1], k=len(ids))
        try:
            if ids:
                pool.send(np.array(actions), ids)
        except RuntimeError:  # closed
            return


def receive(pool: Any) -> Any:
    """Receives one batch, also if an env threw."""
    try:
        return pool.recv(timeout=60)
    except parallel_pool.EnvError as error:
        return error.result


def use(number: int) -> None:
    """Uses a pool: another thread sends, this thread receives."""
    batch_size = [8, 32, 5][number % 3]
    pool = parallel_pool.make(
        "Trouble-v0", num_envs=32, batch_size=batch_size, num_threads=2, max_episode_steps=9
    )
    pool.async_reset()
    idle: list[int] = []
    enough = threading.Event()
    sender = threading.Thread(target=send_for_a_while, args=(pool, idle, enough))
    sender.start()
    kept: list[tuple[Any, Any]] = []
    for _ in range(40):
        try:
            obs, *_, info = receive(pool)
        except RuntimeError:  # too few envs are in flight at the moment
            continue
        kept = [*kept[-2:], (obs, obs.copy())]
        idle.extend(info["env_id"].tolist())
        for array, copy in kept:
            assert (array == copy).all(), "a received batch has changed"
    closer = threading.Thread(target=pool.close)
    closer.start()
    with contextlib.suppress(RuntimeError):  # closed, or too few in flight
        receive(pool)
    enough.set()
    closer.join()
    sender.join()


def main() -> None:
    """Uses pools, three at a time."""
    for start in range(ROUNDS):
        users = [threading.Thread(target=use, args=(start + i,)) for i in range(3)]
        for user in users:
            user.start()
        for user in users:
            user.join()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ctypes.CDLL(sys.argv[1])[sys.argv[2]]()
    else:
        main()
