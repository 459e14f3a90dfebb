"""Envs that are written in Python, and what runs many of them: ParallelPool and its peers."""

import contextlib
import importlib
import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np


class _Still(gymnasium.Env[Any, Any]):
    """An env that does nothing: it shows what everything around an env costs."""

    observation_space: Any = gymnasium.spaces.Box(0, 1, (4,), np.float32)
    action_space: Any = gymnasium.spaces.Discrete(2)

    def __init__(self) -> None:
        self._obs = np.zeros(self.observation_space.shape, self.observation_space.dtype)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Begins an episode."""
        return self._obs, {}

    def step(self, action: Any) -> Any:
        """The same observation again."""
        return self._obs, 0.0, False, False, {}


class _Image(_Still):
    """The same with a stack of frames."""

    observation_space = gymnasium.spaces.Box(0, 255, (84, 84, 4), np.uint8)


class _Busy(_Still):
    """A step takes 1 ms of a core."""

    def step(self, action: Any) -> Any:
        """Computes for 1 ms."""
        end = time.perf_counter() + 1e-3
        while time.perf_counter() < end:
            pass
        return super().step(action)


class _Waits(_Still):
    """A step waits for 1 ms, as for a server."""

    def step(self, action: Any) -> Any:
        """Sleeps for 1 ms."""
        time.sleep(1e-3)
        return super().step(action)


# All have Discrete(2) actions.
TASKS: dict[str, Callable[[], Any]] = {
    "PythonCartPole": lambda: gymnasium.make("CartPole-v1"),
    "PythonImage": _Image,
    "PythonBusy": _Busy,
    "PythonWaits": _Waits,
}


class Loop:
    """A plain loop in one process, without batches."""

    def __init__(self, make: Callable[[], Any], num_envs: int) -> None:
        """Builds the envs."""
        self._envs = [make() for _ in range(num_envs)]

    def reset(self) -> None:
        """Resets all envs."""
        for seed, env in enumerate(self._envs):
            env.reset(seed=seed)

    def step(self, actions: Any) -> None:
        """Steps all envs; those whose episode has ended are reset at once."""
        for env, action in zip(self._envs, actions, strict=True):
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()


class Batches(Loop):
    """A loop in one process that stacks its rows, as a learner needs them."""

    def step(self, actions: Any) -> None:
        """Steps all envs; those whose episode has ended are reset at once."""
        rows = []
        for env, action in zip(self._envs, actions, strict=True):
            obs, reward, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                obs, _ = env.reset()
            rows.append((obs, reward, terminated, truncated))
        obs, *others = zip(*rows, strict=True)
        np.stack(obs)
        for column in others:
            np.array(column)


def parallel_pool(make: Callable[[], Any], num_envs: int, num_workers: int) -> Any:
    """This project."""
    import parallel_pool as library

    return library.make_python(make, num_envs, num_workers=num_workers)


def gymnasium_async(make: Callable[[], Any], num_envs: int, _: int) -> Any:
    """Gymnasium's AsyncVectorEnv: a process for each env."""
    return gymnasium.vector.AsyncVectorEnv([make] * num_envs)


def sb3_subproc(make: Callable[[], Any], num_envs: int, _: int) -> Any:
    """Stable-Baselines3's SubprocVecEnv: a process for each env."""
    from stable_baselines3.common.vec_env import SubprocVecEnv

    return SubprocVecEnv([make] * num_envs, start_method="fork")


def tianshou_shmem(make: Callable[[], Any], num_envs: int, _: int) -> Any:
    """Tianshou's ShmemVectorEnv: a process for each env, observations in shared memory."""
    from tianshou.env import ShmemVectorEnv

    envs = ShmemVectorEnv([make] * num_envs)
    step = envs.step

    def step_and_reset(actions: Any) -> None:
        _, _, terminated, truncated, _ = step(actions)
        ended = np.flatnonzero(terminated | truncated)
        if len(ended):
            envs.reset(ended)

    envs.step = step_and_reset
    return envs


def pufferlib(make: Callable[[], Any], num_envs: int, num_workers: int) -> Any:
    """PufferLib's Multiprocessing: its workers and its receiver wait without sleeping."""
    # At its import it puts a link to its resources into the working folder.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        library = importlib.import_module("pufferlib")
        importlib.import_module("pufferlib.emulation")
        vector = importlib.import_module("pufferlib.vector")
    return vector.make(
        lambda **kwargs: library.emulation.GymnasiumPufferEnv(env_creator=make, **kwargs),
        backend=vector.Multiprocessing,
        num_envs=num_envs,
        num_workers=num_workers,
        overwork=num_workers > (os.cpu_count() or 1) // 2,
    )


PEERS: dict[str, Callable[[Callable[[], Any], int, int], Any]] = {
    "parallel_pool": parallel_pool,
    "python_loop": lambda make, num_envs, _: Loop(make, num_envs),
    "python_batches": lambda make, num_envs, _: Batches(make, num_envs),
    "gymnasium_async": gymnasium_async,
    "sb3_subproc": sb3_subproc,
    "tianshou_shmem": tianshou_shmem,
    "pufferlib": pufferlib,
}
