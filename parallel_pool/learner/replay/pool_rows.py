"""The rows of a replay buffer that a pool's batches bring."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parallel_pool.learner.replay.columns import named
from parallel_pool.learner.time_lines import TimeLines
from parallel_pool.python.arrays.trees import map_leaves
from parallel_pool.python.arrays.tuples import without_tuples


class PoolRows:
    """Which time line each row of a pool belongs to: that of its player, or of its env.

    Attributes:
        lines: their number.
        players: the lines of each env's players, as they were shown last.
    """

    def __init__(self, pool: Any, infos: Sequence[str]) -> None:
        """`infos`: names of those that are kept with observations."""
        spec = pool._pool_spec
        self._task_id = spec.task_id
        self._lines = TimeLines(pool.num_envs, spec)
        self.lines: int = self._lines.count
        self.players: list[Any] = [np.zeros(0, np.int32)] * pool.num_envs
        self._infos = tuple(infos)
        self._action_space = spec.action_space
        self._resets_at_once = pool.config["autoreset_mode"] == "same_step"
        self._all = np.arange(pool.num_envs, dtype=np.int32)

    def of_reset(self, obs: Any, info: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments of ReplayRows._write() for the observations of a reset."""
        return self._owners(info), self._observed(obs, info)

    def of_step(self, batch: Any) -> tuple[Any, ...]:
        """The arguments of ReplayRows._write() for a batch of step() or recv()."""
        obs, reward, terminated, truncated, info = batch
        finals = has_final = None
        if "final_obs" in info:
            has_final = info["_final_obs"]
            finals = self._observed(info["final_obs"], info.get("final_info", info), info)
        if self._lines.has_players:
            terminated, truncated = self._lines.ends(terminated, truncated, info)
            reward = self._lines.reward(reward, info)
            if finals is not None:
                has_final = self._lines.spread(has_final, info)
        ends = terminated, truncated, finals, has_final, self._resets_at_once
        return self._owners(info), self._observed(obs, info), reward, *ends

    def left(self, batch: Any) -> list[tuple[Any, bool]]:
        """The lines of players whom their env no longer showed when its episode ended.

        With each: whether the episode terminated.
        """
        if not self._lines.has_players:
            return []
        _, _, terminated, truncated, info = batch
        shown, found = self._lines.of(info), []
        for is_end, has_terminated in ((terminated, True), (truncated & ~terminated, False)):
            lines = self._lines.of_envs(info["env_id"][is_end]).reshape(-1)
            found.append((np.setdiff1d(lines, shown).astype(np.int32), has_terminated))
        return found

    def of_envs(self, envs: Any) -> Any:
        """All lines of these envs."""
        return self._lines.of_envs(np.asarray(envs)).reshape(-1).astype(np.int32)

    def of_action(self, action: Any, env_id: Any) -> tuple[Any, Any]:
        """The lines of an action's rows, and the action with a row for each of them."""
        lines = self._all if env_id is None else np.atleast_1d(env_id)
        action = without_tuples(self._action_space, action)
        if not self._lines.has_players:
            return lines, action
        lines = np.concatenate([self.players[env] for env in lines])
        owner = lines // self._lines.players
        envs = np.array(list(dict.fromkeys(owner)), np.int32)
        info = {"env_id": envs, "players": {"env_id": owner}}
        name = "" if isinstance(action, dict) else "action"
        return lines, self._lines.spread_all(map_leaves(np.asarray, action), info, name)

    def _owners(self, info: dict[str, Any]) -> Any:
        """The line of each row; remembers the players of each env."""
        lines = self._lines.of(info)
        if self._lines.has_players:
            lines = lines.astype(np.int32)
            for env in info["env_id"]:
                self.players[env] = lines[info["players"]["env_id"] == env]
        return lines

    def _observed(self, obs: Any, info: dict[str, Any], of: Any = None) -> dict[str, Any]:
        """Observations and kept infos by the names of their columns, with a row for each line."""
        if self._lines.has_players:
            obs = self._lines.spread_all(obs, of or info, "obs")
        arrays = named(obs, "obs")
        for name in self._infos:
            arrays |= named(self._info(name, info), f"info.{name}")
        return arrays

    def _info(self, name: str, info: dict[str, Any]) -> Any:
        value: Any = info
        for key in name.split("."):
            if not isinstance(value, dict) or key not in value:
                raise ValueError(f"{self._task_id}: there is no info {name!r}")
            value = value[key]
        return value
