"""The envs that compare() plays, all by the same two calls: reset with a seed, and step."""

import abc
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import dm_env
import gymnasium
import numpy as np

from parallel_pool.python.apis.make import make_dm, make_gym, make_gymnasium
from parallel_pool.python.arrays.trees import flatten, take_rows

# The arrays that an env has returned, by name: "obs", "obs.left" of a dict, "reward", "terminated",
# "truncated", "info.x".
Row = dict[str, Any]


class Side(abc.ABC):
    """One env.

    Attributes:
        name: of the env, for people.
        action_space: Gymnasium's space of its actions, or None.
    """

    name: str
    action_space: Any = None

    @abc.abstractmethod
    def reset(self, seed: int) -> Row:
        """Begins the first episode of a seed."""

    @abc.abstractmethod
    def step(self, action: Any) -> Row:
        """Makes a step."""

    @abc.abstractmethod
    def begin(self, action: Any) -> Row:
        """Begins the next episode, without a seed; `action` is for envs that do so in a step."""


class _Single(Side):
    """An env of Gymnasium or gym 0.26, without a batch axis."""

    def __init__(self, env: Any) -> None:
        self._env, self.action_space = env, env.action_space
        self.name = str(env)

    def reset(self, seed: int) -> Row:
        return _row(*self._env.reset(seed=seed))

    def step(self, action: Any) -> Row:
        obs, reward, terminated, truncated, info = self._env.step(action)
        return _row(obs, info, reward, terminated, truncated)

    def begin(self, action: Any) -> Row:
        return _row(*self._env.reset())


class _Vector(Side):
    """A pool or another vector env, of one env."""

    def __init__(self, env: Any) -> None:
        if env.num_envs != 1:
            raise ValueError(f"compare: {env} has {env.num_envs} envs; it must have one")
        self._env, self.name = env, str(env)
        self.action_space = getattr(env, "single_action_space", env.action_space)
        mode = getattr(env, "config", env.metadata).get("autoreset_mode")
        self._is_same_step = str(getattr(mode, "name", mode)).lower() == "same_step"
        self._next: Row = {}  # the row that begins the next episode, in "same_step"

    def reset(self, seed: int) -> Row:
        obs, info = self._env.reset(seed=seed)
        return _row(take_rows(obs, 0), _first_info(info))

    def step(self, action: Any) -> Row:
        obs, reward, terminated, truncated, info = self._env.step(np.asarray(action)[None])
        row = _row(take_rows(obs, 0), _first_info(info), reward[0], terminated[0], truncated[0])
        if self._is_same_step and (row["terminated"] or row["truncated"]):
            self._next = _row(take_rows(obs, 0), _first_info(info))
            final = _row(info["final_obs"][0], _first_info(info.get("final_info", {})))
            row = final | {n: row[n] for n in ("reward", "terminated", "truncated")}
        return row

    def begin(self, action: Any) -> Row:
        return self._next if self._is_same_step else self.step(action)


class _Dm(Side):
    """An env of dm_env, made again for each seed."""

    def __init__(self, make: Callable[[int], dm_env.Environment]) -> None:
        self._make, self._env = make, make(0)
        self.name = str(self._env)
        spec: Any = self._env.action_spec()
        if hasattr(spec, "num_values"):
            self.action_space = gymnasium.spaces.Discrete(spec.num_values)
        elif hasattr(spec, "minimum"):
            low, high = (np.broadcast_to(x, spec.shape) for x in (spec.minimum, spec.maximum))
            self.action_space = gymnasium.spaces.Box(low, high, dtype=spec.dtype)

    def reset(self, seed: int) -> Row:
        self._env = self._make(seed)
        return self._of(self._env.reset())

    def step(self, action: Any) -> Row:
        return self._of(self._env.step(action))

    def begin(self, action: Any) -> Row:
        return self._of(self._env.reset())

    @staticmethod
    def _of(step: dm_env.TimeStep) -> Row:
        if step.first():
            return _row(step.observation, {})
        ends, is_terminal = step.last(), step.last() and step.discount == 0
        return _row(step.observation, {}, step.reward, is_terminal, ends and not is_terminal)


class _Made(Side):
    """Envs of Gymnasium that a function makes for each seed."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        self._make, self._side = make, side(make(0))
        self.name, self.action_space = self._side.name, self._side.action_space

    def reset(self, seed: int) -> Row:
        self._side = side(self._make(seed))
        return self._side.reset(seed)

    def step(self, action: Any) -> Row:
        return self._side.step(action)

    def begin(self, action: Any) -> Row:
        return self._side.begin(action)


def side(env: Any) -> Side:
    """A Side of compare()'s argument; TypeError if it is none."""
    if isinstance(env, str):
        return _Single(make_gymnasium(env, num_envs=None))
    if isinstance(env, type):
        return side(env())
    if isinstance(env, dm_env.Environment):
        return _Dm(lambda seed: env)
    if isinstance(env, gymnasium.vector.VectorEnv):
        return _Vector(env)
    if hasattr(env, "reset") and hasattr(env, "step") and hasattr(env, "action_space"):
        return _Vector(env) if hasattr(env, "num_envs") else _Single(env)
    if callable(env):
        if not inspect.signature(env).parameters:
            return side(env())
        made = env(0)
        return _Dm(env) if isinstance(made, dm_env.Environment) else _Made(env)
    raise TypeError(
        "compare takes a task id, an env, a pool of one env, or a function that makes one of them, "
        f"without an argument or from a seed; not {env!r}"
    )


def sides(env: Any) -> dict[str, Side]:
    """The Sides of compare()'s first argument, by API: all of a task id, or one without a name."""
    if not isinstance(env, str):
        return {"": side(env)}
    options: dict[str, Any] = {"num_envs": 1, "reward_dtype": "float64"}
    return {
        "env": side(env),
        "pool": _Vector(make_gymnasium(env, **options)),
        "gym pool": _Vector(make_gym(env, **options)),
        "dm_env": _Dm(lambda seed: make_dm(env, num_envs=None, seed=seed)),
    }


def _row(
    obs: Any,
    info: Mapping[str, Any],
    reward: Any = 0,
    terminated: Any = False,
    truncated: Any = False,
) -> Row:
    flags = {"terminated": bool(terminated), "truncated": bool(truncated)}
    return {**_named("obs", obs), "reward": float(reward or 0), **flags, **_named("info", info)}


def _named(name: str, tree: Any) -> Row:
    """Copies of the arrays, by names with dots."""
    return {part: np.array(leaf) for part, leaf in flatten(tree, name).items()}


def _first_info(info: Mapping[str, Any]) -> dict[str, Any]:
    """The infos of the first env, without those that say which envs have one."""
    found = {}
    for name, part in info.items():
        if name.startswith("_") or name in ("final_obs", "final_info"):
            continue
        if f"_{name}" in info and not info[f"_{name}"][0]:
            continue
        found[name] = take_rows(part, 0)
    return found
