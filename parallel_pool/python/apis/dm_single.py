"""A single env as dm_env.Environment."""

from typing import Any

import dm_env
import numpy as np
from dm_env import specs

from parallel_pool.python.backend import Backend
from parallel_pool.python.errors import shaped
from parallel_pool.python.pools.single import SingleEnv
from parallel_pool.python.specs.spec import Spec


class Env(SingleEnv, dm_env.Environment):  # type: ignore[misc]
    """One env with dm_env's calls.

    A TimeStep is that of dm_env: `reward` and `discount` are floats, or None in the first TimeStep
    of an episode; `observation` is an array, or a dict of them if the task has several. A step
    after the last TimeStep begins the next episode and ignores the action. The discount is 0 only
    if the episode terminated, not if a time limit truncated it.

    Attributes:
        info: the infos of the last TimeStep.
    """

    env_type = "dm"
    with_timing = True
    begins_by_step = True

    def __init__(self, spec: Spec, native: Backend) -> None:
        """See open_envs()."""
        super().__init__(spec, native)
        self.info: dict[str, Any] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> dm_env.TimeStep:
        """Begins a new episode: the first TimeStep.

        Arguments and errors are those of parallel_pool.python.apis.gymnasium_env.Env.reset.
        """
        return shaped(lambda: self._reset(seed, options), self._time_step)

    def step(self, action: Any) -> dm_env.TimeStep:
        """One step; errors are those of parallel_pool.python.apis.gymnasium_env.Env.step."""
        time_step = shaped(lambda: self._native.step(action, None), self._time_step)
        if self._window is not None:
            self.render()
        return time_step

    def _time_step(
        self,
        obs: Any,
        reward: float,
        terminated: bool,
        truncated: bool,
        info: dict[str, Any],
        discount: float,
        step_type: int,
    ) -> dm_env.TimeStep:
        self.info = info
        if step_type == dm_env.StepType.FIRST:
            return dm_env.restart(obs)
        return dm_env.TimeStep(dm_env.StepType(step_type), reward, discount, obs)

    def observation_spec(self) -> Any:
        """The spec of `TimeStep.observation`: one, or a dict of them."""
        return self._pool_spec.single_observation_spec()

    def action_spec(self) -> Any:
        """The spec of an action."""
        return self._pool_spec.action_spec()

    def reward_spec(self) -> Any:
        """The spec of a reward: one number, without bounds."""
        return specs.Array((), np.dtype(float), "reward")

    def discount_spec(self) -> Any:
        """The spec of a discount: 0 to 1."""
        return specs.BoundedArray((), np.dtype(float), 0, 1, "discount")

    def close(self) -> None:  # type: ignore[override]
        """Frees the env; may be called again."""
        SingleEnv.close(self)
