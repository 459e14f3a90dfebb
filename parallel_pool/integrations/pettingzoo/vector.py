"""The players of many envs as the rows of one VectorEnv, for training with shared parameters."""

from typing import Any

import numpy as np
from gymnasium.vector.utils import batch_space

import parallel_pool
from parallel_pool.integrations.pettingzoo.players import spec_with_players
from parallel_pool.python import gymnasium_versions
from parallel_pool.python.arrays.trees import map_leaves, put_rows

_Dict = dict[str, Any]


class VectorEnv(gymnasium_versions.VectorEnv):
    """Each player of each env is a row: those of env 0, then of env 1, and so on.

    It is what SuperSuit's `pettingzoo_env_to_vec_env_v1` and `concat_vec_envs_v1` make of padded
    envs, without a Python loop over the rows. Observations and actions have the common spaces:
    zeros follow a player's own numbers, and an action beyond a player's own is its first one. An
    env whose episode has ended is reset at once. Its rows then have the first observations of the
    next episode, and `info["final_obs"]` the last ones of this, where `info["_final_obs"]` is set.

    Attributes:
        pool: the pool that runs the envs; `pool.spec.players` are the players.
        num_envs: the number of rows: envs times players.
    """

    def __init__(self, task_id: str, num_envs: int, **options: Any) -> None:
        """See vector_env()."""
        spec = spec_with_players(task_id, "vector_env", options, num_envs)
        if not spec.setup.has_constant_players:
            raise ValueError(
                f"{task_id}: its players come and go, so their number is not constant; step a pool "
                "of parallel_pool.make() yourself"
            )
        self.pool: Any = parallel_pool.make_gymnasium(spec)
        self._players = len(spec.players)
        self.num_envs: int = num_envs * self._players
        self.single_observation_space: Any = spec.observation_space
        self.single_action_space: Any = spec.action_space
        self.observation_space: Any = batch_space(self.single_observation_space, self.num_envs)
        self.action_space: Any = batch_space(self.single_action_space, self.num_envs)
        self.metadata: dict[str, Any] = {
            **self.pool.metadata,
            "autoreset_mode": gymnasium_versions.AutoresetMode.SAME_STEP,
        }
        self.render_mode: str | None = self.pool.render_mode
        # The first and last value of each row's own Discrete actions.
        self._limits = {
            array.name: np.tile(
                [(p.arrays[array.name].low[0], p.arrays[array.name].high[0]) for p in spec.players],
                (num_envs, 1),
            ).astype(array.dtype)
            for array in spec.action_arrays
            if array.kind == "discrete" and array.players
        }

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, _Dict]:
        """Begins new episodes: (obs, info), with one row for each player.

        Args:
            seed: seed + k restarts the random numbers of env k; None: they continue.
            options: the task's reset options, such as {"low": -0.1}.

        Raises:
            ValueError: a bad seed or option.
        """
        obs, info = self.pool.reset(seed=seed, options=options)
        return obs, self._info_of_rows(info)

    def __repr__(self) -> str:
        """The call that makes such envs, in short."""
        return f"vector_env({self.pool.spec.task_id!r}, num_envs={self.pool.num_envs})"

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, _Dict]:
        """One step: (obs, reward, terminated, truncated, info), with one row for each player.

        Args:
            actions: shape (num_envs, ...), or a dict of such arrays.

        Raises:
            ValueError: a wrong shape or value.
            TypeError: a wrong dtype. After any error nothing was stepped.
        """
        obs, reward, terminated, truncated, info = self.pool.step(self._own(actions))
        info = self._info_of_rows(info)
        ended = terminated | truncated
        if ended.any():
            mask = np.repeat(ended, self._players)
            final = map_leaves(np.copy, {"obs": obs, "info": info})
            first, first_info = self.pool.reset(np.flatnonzero(ended))
            put_rows(obs, mask, first)
            put_rows(info, mask, self._info_of_rows(first_info))
            info |= {f"final_{name}": rows for name, rows in final.items()}
            info |= {f"_final_{name}": mask.copy() for name in final}
        terminated, truncated = (np.repeat(x, self._players) for x in (terminated, truncated))
        if not self.pool.spec.has_player_rewards:
            reward = np.repeat(reward, self._players)
        return obs, reward, terminated, truncated, info

    def render(self) -> Any:
        """Pictures or texts of the envs, one for each env, not for each row."""
        return self.pool.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Joins the threads and frees the envs."""
        self.pool.close()

    def _own(self, actions: Any) -> Any:
        """The actions, with a player's first one in place of those that it does not have."""
        if isinstance(actions, dict):
            return {name: self._within(name, value) for name, value in actions.items()}
        return self._within(self.pool.spec.action_arrays[0].name, actions)

    def _within(self, name: str, values: Any) -> Any:
        if name not in self._limits or np.shape(values) != (self.num_envs,):
            return values
        values = np.asarray(values)
        low, high = self._limits[name].T
        inside = (values >= low.min()) & (values <= high.max())
        surplus = inside & ((values < low) | (values > high))
        return np.where(surplus, low, values) if surplus.any() else values

    def _info_of_rows(self, info: _Dict) -> _Dict:
        """The infos with a row for each player; those of an env are repeated."""
        of_players = info.pop("players")
        repeated = map_leaves(lambda array: np.repeat(array, self._players, axis=0), info)
        return {**repeated, **of_players}
