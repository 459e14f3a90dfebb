"""Plays one arm of whole_loop.py for some seconds, and prints its steps a second.

An arm is what PPO does between two updates: it steps 64 envs 128 times with a small policy, keeps
the rows, and computes the advantages. Observations and rewards of robots are normalized and
clipped; the rewards of Pong are clipped to -1 .. 1. All arms keep the returns of episodes.

Its argument is an Arm of whole_loop.py in JSON.
"""

import contextlib
import functools
import importlib
import itertools
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

ENVS, STEPS = 64, 128
GAMMA, LAMBDA = 0.99, 0.95
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


def parallel_pool(task: str) -> Callable[[], object]:
    """A Rollout of a pool that normalizes."""
    library = importlib.import_module("parallel_pool")
    is_pong = task == "Pong"
    options: dict[str, Any] = {"clip_reward": 1.0 if is_pong else 10.0}
    if not is_pong:
        options |= {"normalize_observation": True, "clip_observation": 10.0}
        options |= {"normalize_reward": True, "gamma": GAMMA}
    pool = library.make(_IDS[task], num_envs=ENVS, record_episode_statistics=True, **options)
    policy, rollout = Policy(pool.single_action_space), library.Rollout(pool, steps=STEPS)

    def play() -> Any:
        for obs in rollout:
            action, logprob, value = policy(obs)
            rollout.act(action, logprob=logprob, value=value)
        rollout.finish(policy.value(rollout.last_obs), gamma=GAMMA, gae_lambda=LAMBDA)
        return rollout.batch()

    return play


class Buffers:
    """The arrays of a rollout and its advantages, as CleanRL's programs write them, in NumPy."""

    def __init__(self, env: Any, obs: Any, policy: Policy) -> None:
        self._env, self._obs, self._policy = env, obs, policy
        self._rows: dict[str, Any] = {}
        self._done = np.zeros(ENVS, np.float32)

    def _write(self, step: int, **row: Any) -> None:
        for name, value in row.items():
            if name not in self._rows:
                self._rows[name] = np.zeros((STEPS, *np.shape(value)), np.asarray(value).dtype)
            self._rows[name][step] = value

    def play(self) -> Any:
        """A rollout, its advantages, and the rows that are steps, flat."""
        for step in range(STEPS):
            action, logprob, value = self._policy(self._obs)
            obs, reward, terminated, truncated, _ = self._env(action)
            self._write(step, obs=self._obs, action=action, logprob=logprob, value=value)
            self._write(step, reward=reward, terminated=terminated, done=self._done)
            self._obs, self._done = obs, (terminated | truncated).astype(np.float32)
        rows = self._rows
        following, goes_on = self._policy.value(self._obs), 1 - self._done
        advantage, total = np.zeros_like(rows["value"]), np.float32(0)
        for step in reversed(range(STEPS)):
            delta = rows["reward"][step] - rows["value"][step]
            delta = delta + GAMMA * following * (1 - rows["terminated"][step])
            advantage[step] = total = delta + GAMMA * LAMBDA * goes_on * total
            following, goes_on = rows["value"][step], 1 - rows["done"][step]
        rows["advantage"], rows["target"] = advantage, advantage + rows["value"]
        steps = np.flatnonzero(rows["done"].reshape(-1) == 0)
        return {n: a.reshape(-1, *a.shape[2:])[steps] for n, a in rows.items()}


def gymnasium_sync(task: str) -> Callable[[], object]:
    """SyncVectorEnv in Gymnasium's own vector wrappers."""
    wrappers = gymnasium.wrappers
    if task == "Pong":
        gymnasium.register_envs(importlib.import_module("ale_py"))
        env: Any = gymnasium.vector.SyncVectorEnv([_pong] * ENVS)
        env = wrappers.vector.RecordEpisodeStatistics(env)
        env = wrappers.vector.ClipReward(env, -1.0, 1.0)
    else:
        env = gymnasium.make_vec(_IDS[task], num_envs=ENVS, vectorization_mode="sync")
        env = wrappers.vector.RecordEpisodeStatistics(env)
        env = wrappers.vector.NormalizeObservation(env)
        env = wrappers.vector.TransformObservation(env, lambda obs: np.clip(obs, -10, 10))
        env = wrappers.vector.NormalizeReward(env, gamma=GAMMA)
        env = wrappers.vector.ClipReward(env, -10.0, 10.0)
    obs = env.reset(seed=0)[0]
    return Buffers(env.step, obs, Policy(env.single_action_space)).play


def _pong() -> Any:
    env = gymnasium.make("PongNoFrameskip-v4")
    env = gymnasium.wrappers.AtariPreprocessing(env, noop_max=30, frame_skip=4, screen_size=84)
    return gymnasium.wrappers.FrameStackObservation(env, 4)


class Normalized:
    """step() of a pool with what Gymnasium's vector wrappers do, for envs that they do not take."""

    def __init__(self, step: Callable[[Any], Any], task: str, shape: tuple[int, ...]) -> None:
        moments = importlib.import_module("gymnasium.wrappers.utils").RunningMeanStd
        self._step, self._normalizes = step, task != "Pong"
        self._limit = 10.0 if self._normalizes else 1.0
        self._obs, self._returns = moments(shape=shape), moments(shape=())
        self._sums, self._episodes, self.ended = np.zeros(ENVS), np.zeros(ENVS), np.zeros(ENVS)

    def normalized(self, obs: Any) -> Any:
        """Observations, which are counted."""
        if not self._normalizes:
            return obs
        self._obs.update(obs)
        scaled = (obs - self._obs.mean) / np.sqrt(self._obs.var + 1e-8)
        return np.clip(scaled, -10, 10).astype(np.float32)

    def __call__(self, action: Any) -> tuple[Any, ...]:
        """As of a pool."""
        obs, reward, terminated, truncated, info = self._step(action)
        done = terminated | truncated
        self._episodes += reward
        self.ended[done] = self._episodes[done]
        self._episodes[done] = 0
        if self._normalizes:
            self._sums = self._sums * GAMMA * (1 - terminated) + reward
            self._returns.update(self._sums)
            reward = reward / np.sqrt(self._returns.var + 1e-8)
        reward = np.clip(reward, -self._limit, self._limit)
        return self.normalized(obs), reward, terminated, truncated, info


def envpool(task: str) -> Callable[[], object]:
    """EnvPool with CleanRL's loop."""
    library = importlib.import_module("envpool")
    pool = library.make(_IDS[task], env_type="gymnasium", num_envs=ENVS, seed=0)
    obs = pool.reset()[0]
    step = Normalized(pool.step, task, obs.shape[1:])
    return Buffers(step, step.normalized(obs), Policy(pool.action_space)).play


def pufferlib(task: str) -> Callable[[], object]:
    """PufferLib's Multiprocessing over Gymnasium's envs, with CleanRL's loop."""
    # At its import it puts a link to its resources into the working folder.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        library = importlib.import_module("pufferlib")
        importlib.import_module("pufferlib.emulation")
        vector = importlib.import_module("pufferlib.vector")
    if task == "Pong":
        gymnasium.register_envs(importlib.import_module("ale_py"))
    make = _pong if task == "Pong" else functools.partial(gymnasium.make, _IDS[task])
    env = vector.make(
        lambda **kwargs: library.emulation.GymnasiumPufferEnv(env_creator=make, **kwargs),
        backend=vector.Multiprocessing,
        num_envs=ENVS,
        num_workers=2,
        overwork=True,
    )
    obs = env.reset(seed=0)[0]
    step = Normalized(env.step, task, obs.shape[1:])
    return Buffers(step, step.normalized(obs), Policy(env.single_action_space)).play


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
    options = {"normalize_observation": True, "clip_observation": 10.0, "gamma": GAMMA}
    options |= {"normalize_reward": True, "clip_reward": 10.0}
    return _sb3(task, adapter(_IDS[task], num_envs=ENVS, **options))


ARMS = {
    f.__name__: f
    for f in (parallel_pool, gymnasium_sync, envpool, pufferlib, sb3, sb3_parallel_pool)
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


if __name__ == "__main__":
    main()
