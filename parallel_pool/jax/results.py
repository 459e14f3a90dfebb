"""The arrays of a batch in the form that the pool's own calls return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from parallel_pool.python.apis import dm_api, gym_api
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.arrays.trees import nest
from parallel_pool.python.pools.pool import BasePool
from parallel_pool.python.specs.spec import Spec


class Results:
    """Forms trees of the arrays of a batch, as recv() and reset() of a pool do.

    Infos of ended episodes are in every batch: a program's results have one form.
    """

    def __init__(self, pool: BasePool, spec: Spec, columns: Sequence[ArraySpec]) -> None:
        """The results of `pool`, whose batches have `columns`."""
        self._names = [column.name.replace(":", ".", 1) for column in columns]
        self._is_dm = pool.with_timing
        self._is_obs_only = isinstance(pool, gym_api.Pool) and not pool.gym_reset_return_info
        self._num_envs = pool.num_envs
        self._has_player_rewards = spec.has_player_rewards

    def step(self, arrays: Sequence[Any]) -> Any:
        """Five parts, or a TimeStep, as the pool returns them."""
        parts = nest(zip(self._names, arrays, strict=True))
        info = parts.get("info", {})
        if not self._is_dm:
            return (*(parts[p] for p in ("obs", "reward", "terminated", "truncated")), info)
        discount = parts["discount"]
        if self._has_player_rewards:
            discount = self._of_each_player(discount, info)
        info = {name: array for name, array in info.items() if not name.startswith("_")}
        rest = (parts["terminated"], parts["truncated"], info, discount, parts["step_type"])
        return dm_api.to_time_step(parts["obs"], parts["reward"], *rest)

    def reset(self, arrays: Sequence[Any]) -> Any:
        """Obs with or without info, or a TimeStep, as the pool returns it."""
        batch = self.step(arrays)
        if self._is_dm:
            return batch
        obs, _, _, _, info = batch
        return obs if self._is_obs_only else (obs, info)

    def _of_each_player(self, discount: Any, info: dict[str, Any]) -> Any:
        """The discount of the env of each player; 0 in the rows without a player."""
        of_env = jnp.zeros(self._num_envs, discount.dtype).at[info["env_id"]].set(discount)
        env_of = info["players"]["env_id"]
        return jnp.where(env_of >= 0, of_env[env_of], 0)
