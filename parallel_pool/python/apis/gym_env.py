"""A single env with the calls of gym 0.26; gym itself is optional."""

import contextlib
import functools
import importlib
import io
from types import ModuleType
from typing import Any

from parallel_pool.python.backend import Backend
from parallel_pool.python.pools.base import make_again
from parallel_pool.python.pools.results import Reset, Step
from parallel_pool.python.pools.single import SingleEnv
from parallel_pool.python.specs.spec import Spec


def find_gym() -> ModuleType | None:
    """The module gym, if it is installed."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # gym's call to move to Gymnasium
            return importlib.import_module("gym")
    except ImportError:
        return None


def gym_spaces() -> ModuleType:
    """gym.spaces if gym is installed, else gymnasium.spaces."""
    return importlib.import_module("gym.spaces" if find_gym() else "gymnasium.spaces")


class GymEnv(SingleEnv):
    """One env with gym's calls; env_class() makes it a gym.Env."""

    env_type = "gym"
    reward_range: tuple[float, float] = (-float("inf"), float("inf"))
    spec: Any = None

    def __init__(self, spec: Spec, native: Backend) -> None:
        """See open_envs()."""
        super().__init__(spec, native)
        self.metadata: dict[str, Any] = {
            "render_modes": list(spec.source.render_modes),
            "render_fps": spec.render_fps,
        }
        spaces = gym_spaces()
        self.observation_space: Any = spec.observation_space_of(spaces)
        self.action_space: Any = spec.action_space_of(spaces)

    @property
    def unwrapped(self) -> "GymEnv":
        """The env itself, for gym's wrappers."""
        return self

    @property
    def np_random(self) -> Any:
        """AttributeError: the env draws its random numbers in C++."""
        raise AttributeError(
            f"{self._pool_spec.task_id}: its random numbers are drawn in C++, from NumPy's "
            "default_rng(seed): reset(seed=...) restarts them, save() keeps them"
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Reset:
        """Begins a new episode, as gymnasium_env.Env.reset does: (obs, info)."""
        obs, _, _, _, info = self._reset(seed, options)
        return obs, info

    def step(self, action: Any) -> Step:
        """One step, as parallel_pool.python.apis.gymnasium_env.Env.step."""
        result = self._native.step(action, None)
        if self._window is not None:
            self.render()
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies as a new env from the same arguments."""
        _, (_, *args) = super().__reduce__()
        return _make_again, tuple(args)


def _make_again(*args: Any) -> GymEnv:
    return make_again(env_class(), *args)


@functools.cache
def env_class() -> type[GymEnv]:
    """GymEnv, as a gym.Env if gym is installed."""
    gym = find_gym()
    if gym is None:
        return GymEnv
    return type("GymEnv", (GymEnv, gym.Env), {"__doc__": GymEnv.__doc__})
