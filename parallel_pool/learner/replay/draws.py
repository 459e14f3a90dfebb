"""Which transitions a batch has."""

from typing import Any

import numpy as np

from parallel_pool.core import _core


class Draws:
    """Draws of transitions, alike or by priority (Schaul et al. 2016)."""

    def __init__(
        self, task_id: str, rows: _core.ReplayRows, seed: int | None, alpha: float
    ) -> None:
        """`alpha`: how much priorities count; 0: there are none."""
        self._task_id = task_id
        self._rows = rows
        self.random: np.random.Generator = np.random.default_rng(seed)
        self.alpha: float = alpha

    def draw(self, batch_size: int, replace: bool, beta: float) -> tuple[Any, Any]:
        """The ids of transitions, shape (batch_size,), and their weights, if there are priorities.

        By priority, number k of n is at (k + u) / n of the sum of priorities, with u from 0 to 1.
        A weight is (transitions * chance) ** -beta, divided by the batch's highest one.
        """
        self._check(batch_size, replace, beta)
        size = self._rows.size
        if self.alpha > 0:
            ids, chances = self._rows.draw(self.random.random(batch_size))
            weight = (size * chances) ** -beta
            return ids, (weight / weight.max()).astype(np.float32)
        if replace:
            return self._rows.ids(self.random.integers(0, size, batch_size)), None
        return self._rows.ids(self.random.choice(size, batch_size, replace=False)), None

    def _check(self, batch_size: int, replace: bool, beta: float) -> None:
        if batch_size < 1:
            raise ValueError(f"{self._task_id}: batch_size is {batch_size}; it must be at least 1")
        if not 0 <= beta <= 1:
            raise ValueError(f"{self._task_id}: beta is {beta}; it must be from 0 to 1")
        size = self._rows.size
        if size == 0 or (not replace and size < batch_size):
            needed = "one" if replace else batch_size
            raise RuntimeError(
                f"{self._task_id}: the buffer can sample {size} transitions; a batch of "
                f"{batch_size} needs {needed} at least"
            )

    def update(self, index: Any, error: Any) -> None:
        """Sets priorities to (abs(error) + 1e-6) ** alpha; see update_priorities()."""
        if self.alpha == 0:
            raise RuntimeError(f"{self._task_id}: the buffer has alpha=0: it has no priorities")
        errors = np.asarray(error, np.float64).reshape(-1)
        if index.shape != errors.shape:
            raise ValueError(f"{self._task_id}: {len(errors)} errors for {len(index)} transitions")
        if not np.isfinite(errors).all():
            raise ValueError(f"{self._task_id}: errors must be finite; one is not")
        priorities = (np.abs(errors) + 1e-6) ** self.alpha
        # Their sum is a number, and none is 0.
        self._rows.set_priorities(index, np.clip(priorities, 1e-100, 1e100))
