"""The rows of envs or players that come at different times, each on a time line of its own."""

from typing import Any

import numpy as np

from parallel_pool.learner import returns
from parallel_pool.learner.tensors import is_tensor, like, to_numpy


class TimeLines:
    """Which time line each row of a batch belongs to: that of its player, or of its env.

    Attributes:
        count: of all lines.
        players: lines of an env: 1 in tasks without players.
    """

    def __init__(self, num_envs: int, spec: Any) -> None:
        """ValueError if the task's infos do not say whose the rows are."""
        setup = spec.setup
        self.has_players: bool = setup.most_players > 0
        self.players: int = max(setup.most_players, 1)
        self.count: int = num_envs * self.players
        self._num_envs = num_envs
        self._is_constant = setup.has_constant_players
        has_agents = any(array.name == "info:players.agent" for array in spec.state_arrays)
        if self.has_players and not self._is_constant and not has_agents:
            raise ValueError(
                f"{spec.task_id}: players come and go, and no info['players']['agent'] says whose "
                "a row is"
            )
        # Arrays of players have rows of lines, the others are repeated for each player.
        self._of_envs = {
            array.name
            for array in (*spec.state_arrays, *spec.action_arrays)
            if self.has_players and not array.players
        }
        self._reward_is_of_envs = self.has_players and not spec.reward_array.players

    def of(self, info: dict[str, Any]) -> Any:
        """The line of each row."""
        if not self.has_players:
            return info["env_id"]
        owner = info["players"]["env_id"]
        if self._is_constant:
            return owner * self.players + np.arange(len(owner)) % self.players
        return owner * self.players + info["players"]["agent"]

    def of_envs(self, envs: Any) -> Any:
        """All lines of these envs, shape (envs, players)."""
        return envs[:, None] * self.players + np.arange(self.players)

    def spread(self, part: Any, info: dict[str, Any]) -> Any:
        """A row for each line of the batch, of an array with a row for each env."""
        if not self.has_players:
            return part
        row_of = np.zeros(self._num_envs, np.intp)
        row_of[info["env_id"]] = np.arange(len(info["env_id"]))
        return part[like(part, row_of[info["players"]["env_id"]])]

    def spread_all(self, tree: Any, info: dict[str, Any], name: str) -> Any:
        """Observations or actions with a row for each line; `name` is that of the tree's array."""
        if isinstance(tree, dict):
            mark = {"": "", "obs": "obs:"}.get(name, f"{name}.")
            return {key: self.spread_all(part, info, mark + key) for key, part in tree.items()}
        return self.spread(tree, info) if name in self._of_envs else tree

    def reward(self, reward: Any, info: dict[str, Any]) -> Any:
        """The reward of each line."""
        return self.spread(reward, info) if self._reward_is_of_envs else reward

    def ends(self, terminated: Any, truncated: Any, info: dict[str, Any]) -> tuple[Any, Any]:
        """Whether each line's episode has terminated, and whether it was truncated."""
        players = info.get("players", {})
        found = self.spread(terminated, info), self.spread(truncated, info)
        if "terminated" in players:  # each player has an end of its own
            return found[0] | players["terminated"], found[1] | players["truncated"]
        return found


def gae(
    line: Any,
    is_pending: Any,
    reward: Any,
    value: Any,
    terminated: Any,
    truncated: Any,
    final_value: Any,
    is_transition: Any,
    gamma: float,
    gae_lambda: float,
) -> tuple[Any, Any]:
    """parallel_pool.returns.gae() of rows in the order of time, each line on its own.

    Args:
        line: of each row, shape (rows,), as all arrays here.
        is_pending: rows without a result yet, the last one of their line: only their value counts.
        reward: of each row.
        value: of each row, an array or a tensor.
        terminated: of each row.
        truncated: of each row.
        final_value: of the last observations of truncated episodes; None with next_step.
        is_transition: of each row.
        gamma: the discount of a step.
        gae_lambda: how much later errors count.

    Returns:
        advantage and target of each row; 0 where the row is pending.
    """
    values = to_numpy(value)
    lines, line = np.unique(line, return_inverse=True)
    last_value = np.zeros(len(lines), values.dtype)
    last_value[line[is_pending]] = values[is_pending]
    row = np.flatnonzero(~is_pending)
    row = row[np.argsort(line[row], kind="stable")]  # by lines, in each by time
    column = line[row]
    counts = np.bincount(column, minlength=len(lines))
    length = int(counts.max(initial=0))
    # The rows of a line end in the last row of the matrix.
    step = length - counts[column] + np.arange(len(row)) - (np.cumsum(counts) - counts)[column]

    def matrix(part: Any) -> Any:
        found = np.zeros((length, len(lines)), part.dtype)
        found[step, column] = part[row]
        return found

    results = returns.gae(
        matrix(reward),
        matrix(values),
        matrix(terminated),
        matrix(truncated),
        last_value,
        gamma=gamma,
        gae_lambda=gae_lambda,
        final_value=None if final_value is None else matrix(final_value),
        is_transition=matrix(is_transition),
    )
    shown = []
    for result in results:
        flat = np.zeros_like(values)
        flat[row] = result[step, column]
        shown.append(like(value, flat) if is_tensor(value) else flat)
    return shown[0], shown[1]
