"""The last observations of episodes that were truncated, with same_step autoreset."""

from typing import Any

import numpy as np

from parallel_pool.learner.step_rows import concatenated
from parallel_pool.learner.tensors import to_numpy
from parallel_pool.python.arrays.trees import take_rows


class FinalRows:
    """The last observations of a loop's truncated episodes, one after another."""

    def __init__(self) -> None:
        """No episode has ended yet."""
        self._rows: list[tuple[Any, int, Any]] = []  # (places, number, last observations)

    def add(self, rows: Any, info: dict[str, Any], places: Any) -> None:
        """Adds rows of info["final_obs"], if there are any; `places` is their index in spread()."""
        if len(rows) > 0 and "final_obs" in info:  # an env that threw has none
            self._rows.append((places, len(rows), take_rows(info["final_obs"], rows)))

    def obs(self, none: Any) -> Any:
        """The observations, shape (episodes, ...); `none`, of shape (0, ...), if there are none."""
        return concatenated([last for _, _, last in self._rows]) if self._rows else none

    def spread(self, values: Any, like: Any) -> Any:
        """The values of obs(), each in its place.

        Args:
            values: shape (episodes,); None if there are none.
            like: an array of the shape and the dtype of the result.

        Raises:
            ValueError: another number of values.
        """
        flat = np.zeros(0, like.dtype) if values is None else np.reshape(to_numpy(values), -1)
        count = sum(number for _, number, _ in self._rows)
        if len(flat) != count:
            raise ValueError(
                f"final_value has {len(flat)} numbers; final_obs has {count} observations"
            )
        spread, first = np.zeros_like(like), 0
        for places, number, _ in self._rows:
            spread[places] = flat[first : first + number]
            first += number
        return spread
