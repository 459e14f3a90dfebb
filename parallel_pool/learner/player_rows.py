"""Rows of players: each env has the same number of them, one after another."""

from typing import Any

import numpy as np

from parallel_pool.learner.tensors import is_tensor


class PlayerRows:
    """The rows of a step: one for each player, or for each env in tasks without players."""

    def __init__(self, num_envs: int, most_players: int) -> None:
        """`most_players`: those of each env; 0: the task has none."""
        self._num_envs = num_envs
        self._players = max(most_players, 1)

    def count(self, players: int) -> int:
        """The rows of an array with so many players in an env; 0: it belongs to the env."""
        return self._num_envs * max(players, 1)

    def of_players(self, part: Any) -> Any:
        """An array or tensor of shape (steps, rows, ...) with a row for each player.

        Rows of envs are repeated for their players.
        """
        if self._players == 1 or part.shape[1] != self._num_envs:
            return part
        if is_tensor(part):
            return part.repeat_interleave(self._players, 1)
        return np.repeat(part, self._players, axis=1)

    def returns(self, info: dict[str, Any]) -> list[float]:
        """The returns of the episodes that have ended in a step; info["episode"] has them."""
        returned, ended = info["episode"]["r"], info["_episode"]
        if len(returned) != len(ended):  # each player has its own
            ended = np.repeat(ended, self._players)
        found: list[float] = returned[ended].tolist()
        return found
