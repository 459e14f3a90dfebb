"""A single env as gymnasium.Env, and the entry point of gymnasium.make()."""

import sys
import warnings
from typing import Any

import gymnasium

from parallel_pool.python.backend import Backend
from parallel_pool.python.options.pool_options import MAX_EPISODE_STEPS
from parallel_pool.python.options.seeds import seeds_of
from parallel_pool.python.pools.base import open_envs
from parallel_pool.python.pools.results import Reset, Step
from parallel_pool.python.pools.single import SingleEnv
from parallel_pool.python.specs.registry import make_spec
from parallel_pool.python.specs.spec import Spec


def make_env(task_id: str, **kwargs: Any) -> "Env":
    """The entry point of gymnasium.make(): has make()'s keywords and raises its errors.

    Gymnasium's wrapper TimeLimit truncates the episodes, so that max_episode_steps of
    gymnasium.make() has its meaning.
    """
    _warn_of_processes(task_id)
    kwargs.setdefault("max_episode_steps", MAX_EPISODE_STEPS)
    return open_envs(Env, make_spec(task_id, **kwargs, num_envs=None))


def _warn_of_processes(task_id: str) -> None:
    """A warning if gymnasium.vector.AsyncVectorEnv asks for its first env, in the main process."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        where = frame.f_globals.get("__name__"), frame.f_code.co_name
        if where == ("gymnasium.vector.async_vector_env", "__init__"):
            warnings.warn(
                f"{task_id}: AsyncVectorEnv runs each env in a process of its own, which is far "
                "slower than a pool: leave out vectorization_mode, and gymnasium.make_vec() makes "
                "a pool, whose envs run in threads",
                stacklevel=2,
            )
        frame = frame.f_back


class Env(SingleEnv, gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """One env with Gymnasium's calls, for programs and wrappers that step a single env.

    It equals the env that a pool of one env has: make(task_id, num_envs=1). `np_random` is a
    generator of the same seed for wrappers and the user: the env draws its random numbers in C++.
    """

    env_type = "gymnasium"

    def __init__(self, spec: Spec, native: Backend) -> None:
        """See open_envs()."""
        super().__init__(spec, native)
        self.metadata: dict[str, Any] = {
            "render_modes": list(spec.source.render_modes),
            "render_fps": spec.render_fps,
        }
        self.observation_space: Any = spec.observation_space
        self.action_space: Any = spec.action_space
        self._seed_generator(spec.config["seed"])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Reset:
        """Begins a new episode: (obs, info).

        Args:
            seed: restarts the random numbers; None: they continue.
            options: the task's reset options, such as {"low": -0.1}; they hold for this reset only.

        Raises:
            ValueError: a bad seed or option.
        """
        obs, _, _, _, info = self._reset(seed, options)
        if seed is not None:
            self._seed_generator(seed)
        return obs, info

    def _seed_generator(self, seed: Any) -> None:
        """Makes `np_random` and `np_random_seed`."""
        (number,) = seeds_of(self._pool_spec.task_id, seed, 1)
        gymnasium.Env.reset(self, seed=number)

    def step(self, action: Any) -> Step:
        """One step: (obs, reward, terminated, truncated, info).

        Raises:
            ValueError: a wrong shape or value, or the env must be reset first.
            TypeError: a wrong dtype. After any error the env is as before.
            EnvError: the env threw.
        """
        result = self._native.step(action, None)
        if self._window is not None:
            self.render()
        return result

    @property
    def compute_reward(self) -> Any:
        """Goals.compute_reward(); AttributeError if the task has no goals.

        Libraries take an env that has this attribute for a GoalEnv.
        """
        if self._pool_spec.setup.goal_size == 0:
            raise AttributeError(f"{self._pool_spec.task_id}: no compute_reward: it has no goals")
        return super().compute_reward

    def close(self) -> None:  # type: ignore[override]
        """Frees the env; may be called again."""
        SingleEnv.close(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies as a new env from the same arguments."""
        return (*super().__reduce__(), {"spec": self.spec})

    def __repr__(self) -> str:
        """The call of make() that makes such an env."""
        return SingleEnv.__repr__(self)
