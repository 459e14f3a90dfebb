"""A comparison with a reference that says where the two differ."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from parallel_pool.python.check.difference import first_difference


def are_equal(ours: Any, theirs: Any) -> bool:
    """Whether two arrays are equal. NaN equals NaN."""
    return np.array_equal(ours, theirs) or first_difference(ours, theirs) is None


@dataclass
class Same:
    """Compares what a pool and a reference return.

    Attributes:
        task: the task's id, and the options that matter.
        seed: of the pool; None: the reference takes none.
        step: the step that is compared, from 1 on; 0: the first reset.
    """

    task: str
    seed: int | None
    step: int = 0

    def rows(
        self,
        name: str,
        ours: Any,
        theirs: Any,
        envs: Any = None,
        equal: Callable[[Any, Any], bool] = are_equal,
    ) -> None:
        """Asserts that two arrays have equal rows.

        Args:
            name: of the arrays, such as "obs".
            ours: the pool's.
            theirs: the reference's.
            envs: the env of each row; None: 0, 1, ...
            equal: whether two arrays are equal.
        """
        a, b = np.asarray(ours), np.asarray(theirs)
        if equal(a, b):
            return
        place, count = "", ""
        found = first_difference(a, b)
        if found is not None and found.index:
            row, *element = found.index
            env = row if envs is None else envs[row]
            place = f"{element or ''} of env {env}"
            count = f" ({int((a != b).sum())} of {a.size} elements differ)"
            count += f", {found.ulps:,} units in the last place apart" if found.ulps else ""
            a, b = a[found.index], b[found.index]
        raise AssertionError(
            f"{self.task}, seed {self.seed}, step {self.step}: {name}{place} is {_text(a)}; the "
            f"reference has {_text(b)}{count}"
        )

    def row(self, name: str, ours: Any, theirs: Any, env: int = 0) -> None:
        """Asserts that a value of one env equals the reference's, and so do its shape and dtype.

        A reference that returns Python's numbers has no dtype.
        """
        if np.shape(ours) != np.shape(theirs):
            self.rows(f"{name}'s shape", [str(np.shape(ours))], [str(np.shape(theirs))], [env])
        if isinstance(theirs, np.ndarray) and ours.dtype != theirs.dtype:
            self.rows(f"{name}'s dtype", [str(ours.dtype)], [str(theirs.dtype)], [env])
        self.rows(name, np.asarray(ours)[None], np.asarray(theirs)[None], [env])


def _text(array: Any) -> str:
    """The values if they are few, else dtype and shape."""
    return str(array.tolist()) if array.size <= 8 else f"{array.dtype}{list(array.shape)}"
