"""CleanRL's rollout, and wrappers in NumPy: the code of users whose library has only envs.

`whole_loop` measures it. `training` runs the programs of examples/training over it, so that each
library has the same program.
"""

import contextlib
import functools
import importlib
import pathlib
import runpy
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np

GAMMA = 0.99


class _Vectors:
    """Envs with the options of a pool.

    Attributes:
        returns: of the episodes that the last step has ended.
    """

    def __init__(self, env: Any, num_envs: int, options: dict[str, Any]) -> None:
        self._env, self._options, self.num_envs, self.returns = (
            env,
            options,
            num_envs,
            list[float](),
        )
        self.observation_space = getattr(env, "single_observation_space", env.observation_space)
        self.action_space = getattr(env, "single_action_space", env.action_space)

    def statistics(self) -> None:
        """Those of a pool would be here."""

    def close(self) -> None:
        """Ends the envs."""
        self._env.close()


class Wrapped(_Vectors):
    """Gymnasium's vector env in Gymnasium's wrappers."""

    def __init__(self, env: Any, seed: int, options: dict[str, Any]) -> None:
        wrappers = gymnasium.wrappers.vector
        env = wrappers.RecordEpisodeStatistics(env)
        if options.get("normalize_observation"):
            env = wrappers.NormalizeObservation(env)
        if limit := options.get("clip_observation"):
            env = wrappers.TransformObservation(env, lambda obs: np.clip(obs, -limit, limit))
        if options.get("normalize_reward"):
            env = wrappers.NormalizeReward(env, gamma=options.get("gamma", GAMMA))
        if bound := options.get("clip_reward"):
            env = wrappers.ClipReward(env, -bound, bound)
        if options.get("clip_action"):
            env = wrappers.ClipAction(env)
        super().__init__(env, env.num_envs, options)
        self._seed = seed

    def reset(self) -> Any:
        """The first observations."""
        return self._env.reset(seed=self._seed)[0]

    def step(self, action: Any) -> tuple[Any, ...]:
        """(obs, reward, terminated, truncated)."""
        obs, *others, info = self._env.step(action)
        self.returns = info["episode"]["r"][info["_episode"]].tolist() if "episode" in info else []
        return obs, *others


class Normalized(_Vectors):
    """The same over envs that Gymnasium's wrappers do not take, in NumPy."""

    def __init__(self, env: Any, obs: Any, options: dict[str, Any]) -> None:
        moments = importlib.import_module("gymnasium.wrappers.utils").RunningMeanStd
        super().__init__(env, len(obs), options)
        self._first, self._gamma = obs, options.get("gamma", GAMMA)
        self._obs, self._discounted = moments(shape=obs.shape[1:]), moments(shape=())
        self._sums, self._episodes = np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs)
        self._ended = np.zeros(self.num_envs, bool)

    def reset(self) -> Any:
        """The first observations."""
        return self._normalized(self._first)

    def _normalized(self, obs: Any) -> Any:
        """Observations, which are counted."""
        if self._options.get("normalize_observation"):
            self._obs.update(obs)
            obs = ((obs - self._obs.mean) / np.sqrt(self._obs.var + 1e-8)).astype(np.float32)
        if limit := self._options.get("clip_observation"):
            obs = np.clip(obs, -limit, limit)
        return obs

    def step(self, action: Any) -> tuple[Any, ...]:
        """(obs, reward, terminated, truncated)."""
        if self._options.get("clip_action"):
            action = np.clip(action, self.action_space.low, self.action_space.high)
        obs, reward, terminated, truncated, _ = self._env.step(action)
        active, self._ended = ~self._ended, terminated | truncated
        self._episodes += reward
        self.returns = self._episodes[self._ended].tolist()
        self._episodes[self._ended] = 0
        if self._options.get("normalize_reward"):
            sums = self._sums[active] * self._gamma * (1 - terminated[active])
            self._sums[active] = sums + reward[active]
            if active.any():
                self._discounted.update(self._sums[active])
            reward = reward / np.sqrt(self._discounted.var + 1e-8)
        if limit := self._options.get("clip_reward"):
            reward = np.clip(reward, -limit, limit)
        return self._normalized(obs), reward, terminated, truncated


def _pong() -> Any:
    env = gymnasium.make("PongNoFrameskip-v4")
    env = gymnasium.wrappers.AtariPreprocessing(env, noop_max=30, frame_skip=4, screen_size=84)
    return gymnasium.wrappers.FrameStackObservation(env, 4)


def _makers(task: str, num_envs: int) -> list[Callable[[], Any]]:
    """Gymnasium's envs."""
    if task != "Pong-v5":
        return [functools.partial(gymnasium.make, task)] * num_envs
    gymnasium.register_envs(importlib.import_module("ale_py"))
    return [_pong] * num_envs


def make(
    library: str, task: str, num_envs: int, seed: int = 0, make_pool: Any = None, **options: Any
) -> Any:
    """The envs of a library, with the options of a pool; `make_pool` makes ParallelPool's."""
    if library == "gymnasium":
        env: Any = gymnasium.vector.SyncVectorEnv(_makers(task, num_envs))
        return Wrapped(env, seed, options)
    if library == "pufferlib":
        env = _pufferlib(_makers(task, num_envs))
        return Normalized(env, env.reset(seed=seed)[0], options)
    if library == "parallel_pool":
        env = make_pool(task, num_envs=num_envs, seed=seed, reward_dtype="float64")
    else:
        envpool = importlib.import_module("envpool")
        env = envpool.make(task, env_type="gymnasium", num_envs=num_envs, seed=seed)
    return Normalized(env, env.reset()[0], options)


def _pufferlib(makers: list[Callable[[], Any]]) -> Any:
    """PufferLib's Multiprocessing over Gymnasium's envs."""
    # At its import it puts a link to its resources into the working folder.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        library = importlib.import_module("pufferlib")
        importlib.import_module("pufferlib.emulation")
        vector = importlib.import_module("pufferlib.vector")
    return vector.make(
        lambda **kwargs: library.emulation.GymnasiumPufferEnv(env_creator=makers[0], **kwargs),
        backend=vector.Multiprocessing,
        num_envs=len(makers),
        num_workers=2,
        overwork=True,
    )


class Rollout:
    """The arrays of a rollout, as CleanRL's programs write them, with the calls of a pool's."""

    def __init__(self, envs: Any, steps: int, torch: bool = False) -> None:
        self._envs, self._steps, self._step, self._obs = envs, steps, 0, None
        self._shown = importlib.import_module("torch").from_numpy if torch else np.asarray
        self._rows: dict[str, Any] = {}
        self._ended = np.zeros(envs.num_envs, bool)
        self.episode_returns: list[float] = []

    def __iter__(self) -> Iterator[Any]:
        """The observations of each step."""
        if self._obs is None:
            self._obs = self._envs.reset()
        self.episode_returns = []
        for step in range(self._steps):
            self._step = step
            yield self.last_obs

    def _write(self, **row: Any) -> None:
        for name, value in row.items():
            if name not in self._rows:
                shape = (self._steps, *np.shape(value))
                self._rows[name] = np.zeros(shape, np.asarray(value).dtype)
            self._rows[name][self._step] = value

    def act(self, action: Any, **extras: Any) -> None:
        """Steps all envs, and keeps the row."""
        numbers = np.asarray(action)
        obs, reward, terminated, truncated = self._envs.step(numbers)
        self._write(obs=self._obs, action=numbers, **extras)
        self._write(reward=reward, terminated=terminated, truncated=truncated)
        self._write(is_transition=~self._ended)
        self._obs, self._ended = obs, terminated | truncated
        self.episode_returns += self._envs.returns

    @property
    def last_obs(self) -> Any:
        """The newest observations."""
        return self._shown(self._obs)

    def finish(self, last_value: Any, *, gamma: float, gae_lambda: float) -> None:
        """Adds the advantages and the targets: generalized advantage estimation."""
        rows, value, following = self._rows, self._rows["value"], np.asarray(last_value)
        ended, reward = rows["terminated"] | rows["truncated"], rows["reward"].astype(value.dtype)
        advantage, total = np.zeros_like(value), np.zeros_like(following)
        for t in reversed(range(self._steps)):
            delta = reward[t] + gamma * (following * ~rows["terminated"][t]) - value[t]
            advantage[t] = total = delta + gamma * gae_lambda * (total * ~ended[t])
            following = value[t]
        rows["advantage"], rows["target"] = advantage, advantage + value

    def batch(self) -> dict[str, Any]:
        """The rows that are steps, flat."""
        steps = np.flatnonzero(self._rows["is_transition"])
        flat = {name: rows.reshape(-1, *rows.shape[2:]) for name, rows in self._rows.items()}
        return {name: self._shown(rows[steps]) for name, rows in flat.items()}


def _vec_env(task: str, num_envs: int, seed: int, **options: Any) -> Any:
    """Gymnasium's envs in Stable-Baselines3's DummyVecEnv."""
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    single: Any = gymnasium.make
    if task.startswith(("Fetch", "PointMaze")):
        root = pathlib.Path(__file__).resolve().parents[2]
        single = runpy.run_path(str(root / "parallel_pool/testing/robotics.py"))["make"]
    env = DummyVecEnv([lambda: Monitor(single(task, **options))] * num_envs)
    env.seed(seed)
    return env


def run() -> None:
    """Runs a program of examples/training on another library: LIBRARY PROGRAM [option ...].

    The program finds the names of this file where it looks for those of ParallelPool. Its
    evaluation at the end is left out.
    """
    library, *sys.argv = sys.argv[1:]
    pool: Any = importlib.import_module("parallel_pool")
    if library == "gymnasium":
        with contextlib.suppress(ImportError):
            adapter: Any = importlib.import_module("parallel_pool.integrations.sb3")
            adapter.VecEnv = _vec_env
    pool.make = functools.partial(make, library, make_pool=pool.make)
    pool.Rollout, pool.evaluate = Rollout, lambda *_, **__: "no evaluation"
    runpy.run_path(sys.argv[0], run_name="__main__")
