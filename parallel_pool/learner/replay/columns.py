"""The arrays of a replay buffer: one for each observation, action, reward and extra."""

import pathlib
from typing import Any

import numpy as np

from parallel_pool.learner.tensors import to_numpy
from parallel_pool.python.arrays.trees import flatten, nest


class Columns:
    """Arrays with a row for each row of a buffer, allocated when their first values come.

    Attributes:
        arrays: by name, each of shape (rows, ...): "obs", "obs.goal", "action", ...
    """

    def __init__(self, rows: int, folder: Any) -> None:
        """`folder`: where arrays are files; None: they are memory."""
        self.arrays: dict[str, Any] = {}
        self._rows = rows
        self._folder = None if folder is None else pathlib.Path(folder)
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def add(self, name: str, shape: tuple[int, ...], dtype: Any) -> Any:
        """A new array of zeros; the system gives a row its memory when it is written first."""
        shape = (self._rows, *shape)
        if self._folder is None:
            self.arrays[name] = np.zeros(shape, dtype)
        else:
            path = self._folder / f"{name}.npy"
            self.arrays[name] = np.lib.format.open_memmap(path, "w+", dtype, shape)
        return self.arrays[name]

    def fitting(self, name: str, value: Any, count: int, frames: int = 1) -> Any:
        """The value for rows of a column, contiguous and of its dtype.

        Args:
            name: of the column.
            value: of `count` rows.
            count: of rows.
            frames: of an observation, of which a row has the newest.

        Raises:
            ValueError: it has another shape, or a dtype that does not fit.
        """
        column, given = self.arrays[name], to_numpy(value)
        shape = column.shape[1:]
        if frames > 1:
            shape = (shape[0] * frames, *shape[1:])
        check_shape(name, given.shape, (count, *shape))
        if given.dtype == column.dtype:
            return np.ascontiguousarray(given)
        if not np.can_cast(given.dtype, column.dtype, "same_kind"):
            raise ValueError(f"{name} has dtype {given.dtype}; before it was {column.dtype}")
        return np.ascontiguousarray(given, column.dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, also where no row was written yet."""
        return sum(array.nbytes for array in self.arrays.values())


def check_shape(name: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """ValueError, which says what is allowed, for another shape."""
    if shape != wanted:
        raise ValueError(f"{name} has shape {shape}; it must be {wanted}")


def named(tree: Any, name: str) -> dict[str, Any]:
    """The arrays of a tree by the names of their columns."""
    return flatten(tree, name) if isinstance(tree, dict | tuple) else {name: tree}


def tree_of(columns: dict[str, Any], name: str) -> Any:
    """The tree whose arrays named() has given: {"obs.a": x} becomes {"a": x}."""
    if name in columns:
        return columns[name]
    mark = f"{name}."
    return nest((k.removeprefix(mark), v) for k, v in columns.items() if k.startswith(mark))
