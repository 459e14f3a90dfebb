"""The last observations of episodes that were truncated, with same_step autoreset."""

from typing import Any

import numpy as np

from parallel_pool.learner.step_rows import concatenated
from parallel_pool.python.arrays.trees import take_rows


class FinalRows:
    """The last observations of a rollout's truncated episodes, one after another."""

    def __init__(self) -> None:
        """No episode has ended yet."""
        self._rows: list[tuple[int, Any, Any]] = []  # (step, envs, their last observations)

    def add(self, step: int, terminated: Any, truncated: Any, info: dict[str, Any]) -> None:
        """Adds the envs whose episode was truncated in this step, if there are any."""
        envs = np.flatnonzero(truncated & ~terminated)
        if len(envs) > 0 and "final_obs" in info:  # an env that threw has none
            last = take_rows(info["final_obs"], envs)
            self._rows.append((step, envs, last))

    def obs(self, none: Any) -> Any:
        """The observations, shape (episodes, ...); `none`, of shape (0, ...), if there are none."""
        return concatenated([last for _, _, last in self._rows]) if self._rows else none

    def spread(self, values: Any, like: Any) -> Any:
        """The values of obs(), each in the place of its step and env.

        Args:
            values: shape (episodes,); None if there are none.
            like: an array of the shape and the dtype of the result, (steps, num_envs).

        Raises:
            ValueError: another number of values.
        """
        flat = np.zeros(0, like.dtype) if values is None else np.reshape(values, -1)
        count = sum(len(envs) for _, envs, _ in self._rows)
        if len(flat) != count:
            raise ValueError(
                f"final_value has {len(flat)} numbers; final_obs has {count} observations"
            )
        spread, first = np.zeros_like(like), 0
        for step, envs, _ in self._rows:
            spread[step, envs] = flat[first : first + len(envs)]
            first += len(envs)
        return spread
