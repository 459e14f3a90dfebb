"""The rows of a replay's results, by env and by name."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from parallel_pool.python.arrays.trees import flatten
from parallel_pool.python.errors import EnvError
from parallel_pool.replays.replay import Replay

_GYM_NAMES = ("observation", "reward", "terminated", "truncated", "info")
_DM_FIRST, _DM_LAST = 0, 2  # dm_env.StepType


@dataclass(frozen=True)
class Row:
    """A result's part for one env.

    Attributes:
        step: the number of the result.
        env: the env.
        is_reset: whether the row begins an episode, and no action led to it.
        is_end: whether the episode has ended.
        reward: the sum of the players' rewards.
        values: makes the arrays by name, such as "observation/joints", "action", "reward" and
            "info/lives". Those of players have one more axis, the first.
        error: what the env threw; empty if nothing.
    """

    step: int
    env: int
    is_reset: bool
    is_end: bool
    reward: float
    values: Callable[[], dict[str, Any]]
    error: str = ""


class Rows:
    """An iterator of the rows of one env, or of all, in the order of the results.

    Attributes:
        texts: the names of arrays that are texts: ASCII characters, and zeros.
    """

    def __init__(self, played: Replay, *, follows_end: bool = False) -> None:
        """Begins with the next result of a replay.

        Args:
            played: the replay.
            follows_end: whether an episode has ended just before, in each env.
        """
        self._played = played
        spec = played.pool._pool_spec
        self._is_single = spec.is_single
        state = [*spec.state_arrays, *spec.engine_info, *spec.episode_info, spec.reward_array]
        is_dm = played.header["env_type"] == "dm"
        self._of_players = {_name(a.name, is_dm) for a in state if a.players}
        if "reward" in self._of_players:
            self._of_players.add("discount")
        self.texts: set[str] = {_name(a.name, is_dm) for a in spec.state_arrays if a.kind == "text"}
        acts = [a for a in spec.action_arrays if a.players]
        self._of_players |= {a.name.replace(".", "/") for a in acts if a.name == "action"}
        self._of_players |= {"action/" + a.name.replace(".", "/") for a in acts}
        # Which envs begin an episode with their next row, without an action.
        self._resets_itself = spec.config.get("autoreset_mode") == "next_step"
        self._has_ended = np.full(played.num_envs, follows_end and self._resets_itself)

    def __iter__(self) -> Iterator[Row]:
        """Yields a row for each env of each result."""
        while True:
            error = None
            try:
                result = next(self._played)
            except StopIteration:
                return
            except EnvError as thrown:
                result, error = thrown.result, thrown
            yield from self._rows(result, error)

    def _rows(self, result: Any, error: EnvError | None) -> Iterator[Row]:
        played = self._played
        named = self._named(result)
        envs = played.env_id
        players = named.get("info/players/env_id", named.get("observation/players/env_id"))
        if "step_type" in named:
            resets = named["step_type"] == _DM_FIRST
            ends = named["step_type"] == _DM_LAST
        else:
            resets = played.was_reset | self._has_ended[envs]
            ends = named["terminated"] | named["truncated"]
            self._has_ended[envs] = ends & ~resets & self._resets_itself
        rewards = np.nan_to_num(named["reward"].astype(np.float64))
        for row, env in enumerate(envs.tolist()):
            mine = None if players is None else players == env
            index = {name: mine if name in self._of_players else row for name in named}
            yield Row(
                played.step,
                env,
                bool(resets[row]),
                bool(ends[row]),
                float(rewards[index["reward"]].sum()),
                functools.partial(_values, named, index),
                str(error) if error is not None and env in error.env_ids else "",
            )

    def _named(self, result: Any) -> dict[str, Any]:
        """All arrays of a result and the actions, by name, with the axis of the envs."""
        if not hasattr(result, "_asdict"):
            result = dict(zip(_GYM_NAMES, result, strict=True))
        flat = flatten(result)
        if self._is_single:
            flat = {name: np.asarray(leaf)[None] for name, leaf in flat.items()}
        flat |= flatten(self._played.action, "action")
        return {name.replace(".", "/"): np.asarray(leaf) for name, leaf in flat.items()}


def _name(array: str, is_dm: bool) -> str:
    """The name of an env author's array, such as "info:players.agent", among a Row's values."""
    group, _, name = array.rpartition(":")
    if name == "obs":
        return "observation/obs" if is_dm else "observation"
    rooms = {"": "", "obs": "observation/", "info": "observation/" if is_dm else "info/"}
    return rooms[group] + name.replace(".", "/")


def _values(named: dict[str, Any], index: dict[str, Any]) -> dict[str, Any]:
    return {name: rows[index[name]] for name, rows in named.items()}
