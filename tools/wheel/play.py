"""Plays tasks through all three APIs; tests run it where only the wheel is installed.

Its arguments are libraries of envs; it plays their tasks instead of the wheel's. Prints the file
from which parallel_pool was imported.
"""

import sys

import dm_env
import numpy as np

import parallel_pool

ROW = {"CartPole-v1": (4,), "KeepUp-v0": (5,), "Pong-v5": (4, 84, 84)}


def play_gym(task: str) -> None:
    """Plays a sync pool of the gym API."""
    env = parallel_pool.make(task, env_type="gym", num_envs=6)
    obs, _ = env.reset()
    assert obs.shape == (6, *ROW[task])
    for _ in range(20):
        obs, rew, term, _, info = env.step(np.zeros(6, dtype=int))
        assert obs.shape == (6, *ROW[task])
        assert rew.shape == term.shape == (6,)
        assert info["env_id"].tolist() == list(range(6))
    env.close()


def play_gymnasium(task: str) -> None:
    """Plays an async pool of the Gymnasium API."""
    env = parallel_pool.make(task, env_type="gymnasium", num_envs=6, batch_size=2)
    env.async_reset()
    for _ in range(20):
        obs, _, _, _, info = env.recv()
        assert obs.shape == (2, *ROW[task])
        env.send(np.random.randint(env.action_space.n, size=2), info["env_id"])
    env.close()


def play_dm(task: str) -> None:
    """Plays a sync pool of the dm_env API."""
    env = parallel_pool.make(task, env_type="dm", num_envs=6)
    assert (env.reset().step_type == dm_env.StepType.FIRST).all()
    for _ in range(20):
        step = env.step(np.ones(6, dtype=int))
        assert step.observation.obs.shape == (6, *ROW[task])
    env.close()


if __name__ == "__main__":
    loaded = [task for library in sys.argv[1:] for task in parallel_pool.load(library)]
    for task in loaded or ["CartPole-v1", "Pong-v5"]:
        play_gym(task)
        play_gymnasium(task)
        play_dm(task)
    print(parallel_pool.__file__)
