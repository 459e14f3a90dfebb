"""OGBench as a reference, with one seed for its three streams of random numbers."""

import contextlib
import io
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
    warnings.simplefilter("ignore")
    import ogbench
    from ogbench.manipspace.envs.manipspace_env import ManipSpaceEnv


def _kept_space(env: Any) -> Any:
    """The one action space of an env."""
    if not hasattr(env, "_kept_space"):
        env._kept_space = gymnasium.spaces.Box(-1.0, 1.0, (5,), np.float32)
    return env._kept_space


# The reference makes one at each look, seeded by the system, so that nothing could be repeated.
ManipSpaceEnv.action_space = property(_kept_space)


class _Seeded(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Gives an env a NumPy RandomState of its own, and seeds its action space.

    The reference draws from NumPy's global generator, which all envs of a process share. Infos of
    steps have the episode's goal, too, as ours have.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._state: Any = np.random.RandomState().get_state()
        self._goal: Any = None

    @contextlib.contextmanager
    def _own_numbers(self) -> Iterator[None]:
        before = np.random.get_state()
        np.random.set_state(self._state)
        try:
            yield
        finally:
            self._state = np.random.get_state()
            np.random.set_state(before)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Same as the env."""
        if seed is not None:
            words = seed if seed < 2**32 else [seed % 2**32, seed >> 32]
            self._state = np.random.RandomState(words).get_state()
            self.env.unwrapped.action_space.seed(seed)
        options = _as_theirs(options or {})
        with self._own_numbers():
            obs, info = self.env.reset(seed=seed, options=options)
        info.pop("goal_rendered", None)
        self._goal = info["goal"]
        return obs, info

    def step(self, action: Any) -> Any:
        """Same as the env."""
        with self._own_numbers():
            obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward, terminated, truncated, info | {"goal": self._goal}


def _as_theirs(options: dict[str, Any]) -> dict[str, Any]:
    """Our options of a reset as theirs: cells, and a flat dict for their scene."""
    if "goal_ij" in options:
        return {"task_info": options}
    if "task_info" not in options:
        return options
    parts = options["task_info"]
    if "goal_drawer_pos" not in parts:
        return options
    halves: dict[str, Any] = {"init": {}, "goal": {}}
    for name, part in parts.items():
        half, _, key = name.partition("_")
        halves[half][key] = part[0] if key.endswith("_pos") else part
    return {"task_info": halves}


def make(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """An env of OGBench, with its time limit."""
    if options.get("reward_task_id") == -1:
        options["reward_task_id"] = None
    return _Seeded(gymnasium.make(task_id, disable_env_checker=True, **options))


class References:
    """Envs of the arm that are made once, because one takes a second, and used again and again."""

    def __init__(self) -> None:
        self._made: dict[Any, list[Any]] = {}
        self._used: dict[Any, int] = {}

    def begin(self) -> None:
        """From now on, all are free."""
        self._used.clear()

    def make(
        self, task_id: str, max_episode_steps: int | None = None, **options: Any
    ) -> gymnasium.Env[Any, Any]:
        """An env of OGBench, with its time limit."""
        key = (task_id, *sorted(options.items()))
        made, used = self._made.setdefault(key, []), self._used.get(key, 0)
        self._used[key] = used + 1
        if used == len(made):
            made.append(make(task_id, **options).unwrapped)
        limit = max_episode_steps or gymnasium.spec(task_id).max_episode_steps
        assert limit is not None
        return _Seeded(gymnasium.wrappers.TimeLimit(made[used], limit))


def _tasks(module: Any) -> list[str]:
    return sorted(
        task_id
        for task_id, spec in gymnasium.registry.items()
        if str(spec.entry_point).startswith(module.__name__) and not task_id.startswith("visual-")
    )


def mazes() -> list[str]:
    """The mazes with states that can be made: humanoid.xml lacks a material of teleports."""
    tasks = _tasks(ogbench.locomaze)
    return [task for task in tasks if not task.startswith("humanoidmaze-teleport")]


def arms() -> list[str]:
    """The arm's tasks with states."""
    return _tasks(ogbench.manipspace)
