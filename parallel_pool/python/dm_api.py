"""Pools as dm_env.Environment."""

from typing import Any

import dm_env
import numpy as np

from parallel_pool.python.errors import shaped
from parallel_pool.python.pool import BasePool
from parallel_pool.python.spec import Spec, fold_namedtuples


class Pool(BasePool, dm_env.Environment):  # type: ignore[misc]
    """A pool with dm_env's calls, plus send, recv and `env_id` everywhere.

    Every field of a TimeStep is an array with one row for each env: `step_type` int32 (0 first,
    1 mid, 2 last), `reward` and `discount` float32. The discount is 0 only where an episode
    terminated, not where a time limit cut it off. `observation` has `obs`, `env_id` and the infos.
    """

    env_type = "dm"

    def __init__(self, spec: Spec) -> None:
        """Builds the pool that `spec` describes; ValueError if it resets in the same step."""
        if spec.config["autoreset_mode"] == "same_step":
            raise ValueError(
                f"{spec.task_id}: autoreset_mode is 'same_step'; with dm_env allowed are "
                "'next_step' and 'disabled', because a TimeStep is either the last or the first"
            )
        super().__init__(spec)
        self.spec = spec

    def reset(self, env_id: Any = None, *, seed: int | list[int] | None = None) -> dm_env.TimeStep:
        """Begins new episodes: a TimeStep of FIRST rows, reward 0, discount 1.

        Arguments and errors are those of parallel_pool.python.gymnasium_api.Pool.reset.
        """
        return shaped(lambda: self._reset(env_id, seed, None), _to_time_step)

    def step(self, action: Any, env_id: Any = None) -> dm_env.TimeStep:
        """send(action, env_id), then recv()."""
        return shaped(lambda: self._native.step(action, env_id), _to_time_step)

    def recv(self, timeout: float | None = None) -> dm_env.TimeStep:
        """The next batch; errors are those of parallel_pool.python.gymnasium_api.Pool.recv."""
        return shaped(lambda: self._native.recv(timeout), _to_time_step)

    def observation_spec(self) -> Any:
        """Specs of one env's observation, in the shape of `TimeStep.observation`."""
        return self.spec.observation_spec()

    def action_spec(self) -> Any:
        """Spec of one env's action."""
        return self.spec.action_spec()

    def close(self, **kwargs: Any) -> None:
        """Joins the threads and frees the envs; may be called again. Arrays stay valid."""
        BasePool.close(self)


def _to_time_step(
    obs: Any, reward: Any, terminated: Any, truncated: Any, info: Any, discount: Any, first: Any
) -> dm_env.TimeStep:
    step_type = np.full(len(first), dm_env.StepType.MID, np.int32)
    step_type[first] = dm_env.StepType.FIRST
    step_type[terminated | truncated] = dm_env.StepType.LAST
    arrays = obs if isinstance(obs, dict) else {"obs": obs}
    observation = fold_namedtuples({**arrays, **info}, "Observation")
    return dm_env.TimeStep(step_type, reward, discount, observation)
