"""Plays one arm of `whole_loop` for some seconds, and prints its steps a second.

An arm is what PPO does between two updates: it steps 64 envs 128 times with a small policy, keeps
the rows, and computes the advantages. Observations and rewards of robots are normalized and
clipped; the rewards of Pong are clipped to -1 .. 1. All arms keep the returns of episodes.

Its argument is an Arm of questions/whole_loop.py in JSON.
"""

import functools
import importlib
import itertools
import json
import multiprocessing
import sys
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from benchmark.peers import clean_rl
from benchmark.peers.clean_rl import GAMMA

ENVS, STEPS, LAMBDA = 64, 128, 0.95
_HIDDEN = 64
_IDS = {"Pong": "Pong-v5", "CartPole": "CartPole-v1", "HalfCheetah": "HalfCheetah-v5"}


class Policy:
    """A fixed network of two layers: actions, their log-probabilities, values."""

    def __init__(self, single_action_space: Any) -> None:
        self._random = np.random.default_rng(0)
        self._is_discrete = isinstance(single_action_space, gymnasium.spaces.Discrete)
        self._outputs = (
            int(single_action_space.n) if self._is_discrete else single_action_space.shape[0]
        )
        self._layers: list[Any] = []

    def _out(self, obs: Any) -> Any:
        x = obs.reshape(len(obs), -1)
        if x.dtype == np.uint8:
            x = x[:, ::64] / np.float32(255)  # some of the pixels
        x = x.astype(np.float32, copy=False)
        if not self._layers:
            sizes = [x.shape[1], _HIDDEN, _HIDDEN, self._outputs + 1]
            self._layers = [
                self._random.normal(0, 0.1, size).astype(np.float32)
                for size in itertools.pairwise(sizes)
            ]
        for layer in self._layers[:-1]:
            x = np.tanh(x @ layer)
        return x @ self._layers[-1]

    def value(self, obs: Any) -> Any:
        """The values of observations."""
        return self._out(obs)[:, -1]

    def __call__(self, obs: Any) -> tuple[Any, Any, Any]:
        """(action, logprob, value)."""
        out = self._out(obs)
        if self._is_discrete:
            logits = out[:, :-1] - out[:, :-1].max(1, keepdims=True)
            logits -= np.log(np.exp(logits).sum(1, keepdims=True))
            noise = -np.log(-np.log(self._random.random(logits.shape)))
            action = (logits + noise).argmax(1)
            return action, logits[np.arange(len(out)), action], out[:, -1]
        noise = self._random.standard_normal(out[:, :-1].shape, np.float32)
        return out[:, :-1] + noise, -0.5 * (noise * noise).sum(1), out[:, -1]


def _options(task: str) -> dict[str, Any]:
    """Those of a pool."""
    if task == "Pong":
        return {"clip_reward": 1.0}
    options = {"normalize_observation": True, "clip_observation": 10.0}
    return options | {"normalize_reward": True, "clip_reward": 10.0, "gamma": GAMMA}


def _play(rollout: Any, policy: Policy) -> Callable[[], object]:
    """A call is a rollout with its advantages."""

    def play() -> Any:
        for obs in rollout:
            action, logprob, value = policy(obs)
            rollout.act(action, logprob=logprob, value=value)
        rollout.finish(policy.value(rollout.last_obs), gamma=GAMMA, gae_lambda=LAMBDA)
        return rollout.batch()

    return play


def parallel_pool(task: str) -> Callable[[], object]:
    """A Rollout of a pool that normalizes."""
    library, options = importlib.import_module("parallel_pool"), _options(task)
    pool = library.make(_IDS[task], num_envs=ENVS, record_episode_statistics=True, **options)
    return _play(library.Rollout(pool, steps=STEPS), Policy(pool.single_action_space))


def clean(library: str, task: str) -> Callable[[], object]:
    """CleanRL's loop over a library."""
    envs = clean_rl.make(library, _IDS[task], ENVS, **_options(task))
    return _play(clean_rl.Rollout(envs, STEPS), Policy(envs.action_space))


def _sb3(task: str, env: Any) -> Callable[[], object]:
    """PPO's collection of Stable-Baselines3: its policy in torch, on one thread."""
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    ppo = importlib.import_module("stable_baselines3").PPO
    callbacks = importlib.import_module("stable_baselines3.common.callbacks")
    model = ppo("MlpPolicy", env, n_steps=STEPS, device="cpu")
    _, callback = model._setup_learn(10**9, callbacks.ConvertCallback(None))
    return lambda: model.collect_rollouts(model.env, callback, model.rollout_buffer, STEPS)


def sb3(task: str) -> Callable[[], object]:
    """Its DummyVecEnv and VecNormalize."""
    common = importlib.import_module("stable_baselines3.common.vec_env")
    make = importlib.import_module("stable_baselines3.common.env_util").make_vec_env
    return _sb3(task, common.VecNormalize(make(_IDS[task], ENVS), gamma=GAMMA))


def sb3_parallel_pool(task: str) -> Callable[[], object]:
    """The same with a pool that normalizes."""
    adapter = importlib.import_module("parallel_pool.integrations.sb3").VecEnv
    return _sb3(task, adapter(_IDS[task], num_envs=ENVS, **_options(task)))


ARMS: dict[str, Callable[[str], Callable[[], object]]] = {
    "parallel_pool": parallel_pool,
    "gymnasium_sync": functools.partial(clean, "gymnasium"),
    "envpool": functools.partial(clean, "envpool"),
    "pufferlib": functools.partial(clean, "pufferlib"),
    "sb3": sb3,
    "sb3_parallel_pool": sb3_parallel_pool,
}


def main() -> None:
    """Plays whole rollouts until the time has passed, after one for a warm-up."""
    arm = json.loads(sys.argv[1])
    play = ARMS[arm["play"]](arm["task"])
    play()
    rollouts, start = 0, time.perf_counter()
    while time.perf_counter() - start < arm["seconds"]:
        play()
        rollouts += 1
    rate = rollouts * STEPS * ENVS / (time.perf_counter() - start)
    print(json.dumps({"rate": rate}, allow_nan=False))
    for child in multiprocessing.active_children():  # PufferLib's workers do not end by themselves
        child.kill()
