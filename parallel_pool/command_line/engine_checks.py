"""Checks of the engine for `selftest`: threads, processes, errors, states, OpenGL."""

import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

import parallel_pool
from parallel_pool.python.check.random_player import random_actions

_TASK = "Pong-v5"  # a step is long enough to be worth a thread
_ENVS, _THREADS, _STEPS = 16, 4, 30


class SkippedError(Exception):
    """A check that cannot run here; the text says what it needs."""


def _play(pool: Any, steps: int = _STEPS) -> list[Any]:
    """The observations and rewards of random actions, without a reset."""
    random = np.random.default_rng(1)
    return [pool.step(random_actions(pool.spec, random, pool.num_envs))[:2] for _ in range(steps)]


def _make(**options: Any) -> Any:
    return parallel_pool.make(_TASK, num_envs=_ENVS, seed=7, **options)


def threads() -> None:
    """A pool with several threads equals one with one thread."""
    with _make(num_threads=1) as one, _make(num_threads=_THREADS) as several:
        one.reset()
        several.reset()
        for step, (a, b) in enumerate(zip(_play(one), _play(several), strict=True)):
            same = all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
            assert same, f"{_THREADS} threads and 1 thread have other results at step {step}"


def async_mode() -> None:
    """An async pool returns every env as often as it was sent."""
    sent, received = np.ones(_ENVS, int), np.zeros(_ENVS, int)
    with _make(num_threads=_THREADS, batch_size=_ENVS // 4) as pool:
        pool.async_reset()
        for batch in range(4 + _STEPS):
            ids = pool.recv()[-1]["env_id"]
            received[ids] += 1
            if batch < _STEPS:
                pool.send(np.zeros(len(ids), int), ids)
                sent[ids] += 1
    assert (sent == received).all(), f"sent {sent.tolist()} times, received {received.tolist()}"


def _python_env(num_workers: int) -> None:
    """A pool of Gymnasium's CartPole-v1 equals that env."""
    env = gymnasium.make("CartPole-v1")
    with parallel_pool.make_python("CartPole-v1", 1, num_workers=num_workers) as pool:
        wanted = [env.reset(seed=3)[0]]
        found = [pool.reset(seed=3)[0][0]]
        for step in range(5):
            wanted.append(env.step(step % 2)[0])
            found.append(pool.step(np.array([step % 2]))[0][0])
    env.close()
    assert np.array_equal(wanted, found), "the pool's observations are not those of the env"


def python_env_here() -> None:
    """An env in Python, in this process."""
    _python_env(0)


def python_env_in_a_worker() -> None:
    """An env in Python, in a worker process."""
    if sys.platform == "win32":
        raise SkippedError("worker processes need Linux or macOS")
    _python_env(1)


def wrong_action() -> None:
    """A wrong action raises ValueError, which names it; the pool goes on."""
    with parallel_pool.make("CartPole-v1", num_envs=2, seed=7) as pool:
        pool.reset()
        try:
            pool.step(np.array([0, 5]))
        except ValueError as error:
            assert "5" in str(error), f"the error does not name the action: {error}"
        else:
            raise AssertionError("no error for the action 5 of CartPole-v1")
        pool.step(np.array([0, 1]))


def saved_pool() -> None:
    """A pool that was loaded goes on as the one that was saved."""
    with _make() as pool, _make() as other:
        pool.reset()
        _play(pool)
        other.load(pool.save())
        for a, b in zip(_play(pool), _play(other), strict=True):
            same = all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
            assert same, "the pool that was loaded has other results"


def opengl() -> None:
    """Pictures of a task that OpenGL draws."""
    options: dict[str, Any] = {"render_mode": "rgb_array", "seed": 7}
    with parallel_pool.make("InvertedPendulum-v5", num_envs=1, **options) as pool:
        pool.reset()
        try:
            picture = pool.render()[0]
        except RuntimeError as error:
            if "need OpenGL" not in str(error):
                raise
            raise SkippedError(str(error)) from None
    assert picture.min() < picture.max(), "the picture has one color only"


# By the names that the report shows.
CHECKS: dict[str, Callable[[], None]] = {
    "threads": threads,
    "async mode": async_mode,
    "Python env here": python_env_here,
    "Python env in worker": python_env_in_a_worker,
    "wrong action": wrong_action,
    "save and load": saved_pool,
    "OpenGL": opengl,
}
