"""Goals in hindsight (Andrychowicz et al. 2017)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parallel_pool.core import _core

_STRATEGIES = ("future", "final", "episode")


class Hindsight:
    """Gives the first rows of a batch goals that their episodes have reached."""

    def __init__(
        self, task_id: str, strategy: str, ratio: float, compute_reward: Callable[..., Any]
    ) -> None:
        """See ReplayBuffer for the arguments."""
        if strategy not in _STRATEGIES:
            known = ", ".join(map(repr, _STRATEGIES))
            raise ValueError(f"{task_id}: hindsight is {strategy!r}; it must be None, {known}")
        if not 0 <= ratio <= 1:
            raise ValueError(f"{task_id}: hindsight_ratio is {ratio}; it must be from 0 to 1")
        self._strategy, self._ratio, self._compute_reward = strategy, ratio, compute_reward

    def relabel(
        self,
        rows: _core.ReplayRows,
        achieved: Any,
        ids: Any,
        lines: int,
        random: np.random.Generator,
        obs: dict[str, Any],
        next_obs: dict[str, Any],
        reward: Any,
    ) -> None:
        """Writes goals, and the rewards for them, to the first rows of a batch.

        A goal is what a step of the same episode achieved: one from the row's own step on
        ("future"), the last one ("final"), or any of them ("episode").

        Args:
            rows: which know the episodes.
            achieved: the column of achieved goals.
            ids: of the batch's transitions.
            lines: of the buffer.
            random: draws the steps.
            obs: of the batch, by the names of columns.
            next_obs: the observations that followed, likewise.
            reward: of the batch.
        """
        count = int(self._ratio * len(ids))
        if count == 0:
            return
        index, steps = rows.episodes(ids[:count])
        if self._strategy == "final":
            chosen = steps - 1
        else:
            chosen = random.integers(index if self._strategy == "future" else 0, steps)
        goals = np.empty((count, *achieved.shape[1:]), achieved.dtype)
        rows.gather(achieved, ids[:count] + (chosen - index + 1) * lines, None, 1, goals)
        for part in (obs, next_obs):
            part["obs.desired_goal"][:count] = goals
        reached = next_obs["obs.achieved_goal"][:count]
        reward[:count] = self._compute_reward(reached, goals, {})
