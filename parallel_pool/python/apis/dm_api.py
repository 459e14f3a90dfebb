"""Pools as dm_env.Environment."""

from collections.abc import Sequence
from typing import Any

import dm_env
import numpy as np
from dm_env import specs

from parallel_pool.python.arrays.trees import fold_namedtuples
from parallel_pool.python.backend import Backend
from parallel_pool.python.errors import shaped
from parallel_pool.python.pools.pool import BasePool
from parallel_pool.python.specs.spec import Spec


class Pool(BasePool, dm_env.Environment):  # type: ignore[misc]
    """A pool with dm_env's calls, plus send, recv and `env_id` everywhere.

    Every field of a TimeStep is an array with one row for each env: `step_type` int32 (0 first,
    1 mid, 2 last), `reward` of make()'s reward_dtype, `discount` float32. The discount is 0 only if
    the episode terminated, not if a time limit truncated it. `observation` has `obs`, `env_id` and
    the infos. If each player has its own reward, `reward` and `discount` have one row for each
    player, as all arrays that are per player; `observation.players.env_id` is the env of each.
    """

    env_type = "dm"
    with_timing = True

    def __init__(self, spec: Spec, native: Backend) -> None:
        """See open_envs()."""
        super().__init__(spec, native)
        self.spec = spec
        self._shape: Any = _to_players_time_step if spec.has_player_rewards else to_time_step

    @classmethod
    def check(cls, spec: Spec) -> None:
        """ValueError for same_step: a TimeStep ends an episode or begins the next, not both."""
        if spec.config["autoreset_mode"] == "same_step":
            raise ValueError(
                f"{spec.task_id}: autoreset_mode is 'same_step'; with dm_env allowed are "
                "'next_step' and 'disabled', because a TimeStep is either the last or the first"
            )

    def reset(
        self,
        env_id: Any = None,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> dm_env.TimeStep:
        """Begins new episodes: a TimeStep of FIRST rows, reward 0, discount 1.

        Arguments and errors are those of parallel_pool.python.apis.gymnasium_api.Pool.reset.
        """
        return shaped(lambda: self._reset(env_id, seed, options), self._shape)

    def step(self, action: Any, env_id: Any = None) -> dm_env.TimeStep:
        """send(action, env_id), then recv()."""
        return shaped(lambda: self._native.step(action, env_id), self._shape)

    def recv(self, timeout: float | None = None, *, partial: bool = False) -> dm_env.TimeStep:
        """The next batch; errors are those of parallel_pool.python.apis.gymnasium_api.Pool.recv."""
        return shaped(lambda: self._native.recv(timeout, partial), self._shape)

    def observation_spec(self) -> Any:
        """Specs of one env's observation, in the shape of `TimeStep.observation`."""
        return self.spec.observation_spec()

    def action_spec(self) -> Any:
        """Spec of one env's action."""
        return self.spec.action_spec()

    def reward_spec(self) -> Any:
        """Spec of one row of `TimeStep.reward`, without bounds."""
        return specs.Array((), np.dtype(self.spec.reward_array.dtype), "reward")

    def discount_spec(self) -> Any:
        """Spec of one row of `TimeStep.discount`: float32, 0 to 1."""
        return specs.BoundedArray((), np.float32, 0, 1, "discount")

    def close(self, **kwargs: Any) -> None:
        """Joins the threads and frees the envs; may be called again. Arrays stay valid."""
        BasePool.close(self)


def to_time_step(
    obs: Any, reward: Any, terminated: Any, truncated: Any, info: Any, discount: Any, step_type: Any
) -> dm_env.TimeStep:
    """The parts of a batch as a TimeStep."""
    arrays = obs if isinstance(obs, dict) else {"obs": obs}
    observation = fold_namedtuples(_merged(arrays, info), "Observation")
    return dm_env.TimeStep(step_type, reward, discount, observation)


def _merged(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """Both nested dicts in one: "obs:players.hand" is next to "info:players.env_id"."""
    both = [k for k in a if isinstance(a[k], dict) and isinstance(b.get(k), dict)]
    return {**a, **b, **{k: _merged(a[k], b[k]) for k in both}}


def _to_players_time_step(
    obs: Any, reward: Any, terminated: Any, truncated: Any, info: Any, discount: Any, step_type: Any
) -> dm_env.TimeStep:
    """The same TimeStep, with a discount for each player: that of its env."""
    env_id = info["env_id"]
    of_env = np.zeros(env_id.max() + 1, discount.dtype)
    of_env[env_id] = discount
    each = of_env[info["players"]["env_id"]]
    return to_time_step(obs, reward, terminated, truncated, info, each, step_type)
