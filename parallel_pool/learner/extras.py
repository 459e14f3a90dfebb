"""The arrays that a learner keeps of each step: actions, log-probabilities, values and others."""

import sys
from typing import Any, NoReturn

import numpy as np

from parallel_pool.learner.step_rows import map_given, write_row
from parallel_pool.learner.tensors import is_tensor, to_numpy
from parallel_pool.python.arrays.trees import map_leaves

# The arrays of a batch that act() does not give.
TAKEN = ("obs", "reward", "terminated", "truncated", "advantage", "target")


class Extras:
    """Arrays of `steps` rows, allocated when the first step is written.

    Attributes:
        shown: the arrays by name, or tensors over their memory.
    """

    def __init__(self, steps: int, torch: Any) -> None:
        """`torch`: the module, if arrays are shown as tensors; tensors always are."""
        self.shown: dict[str, Any] = {}
        self._steps = steps
        self._torch = torch
        # (name, memory, and of an array the shape and the dtype of a row)
        self._rooms: list[tuple[str, Any, Any, Any]] = []

    def write(self, step: int, given: dict[str, Any]) -> None:
        """Writes the arrays of a step; ValueError if they are not like those of the first one."""
        if not self.shown:
            self._allocate(given)
        if len(given) != len(self._rooms):
            self._refuse(given)
        for name, room, shape, dtype in self._rooms:
            value: Any = given.get(name)
            is_array = type(value) is np.ndarray
            if is_array and value.shape == shape and value.dtype == dtype:  # most are
                room[step] = value
            else:
                self._write_other(step, name, room, given)

    def _write_other(self, step: int, name: str, room: Any, given: dict[str, Any]) -> None:
        if name not in given:
            self._refuse(given)
        try:
            write_row(room, step, given[name])
        except (AttributeError, KeyError, TypeError, ValueError, RuntimeError) as error:
            raise ValueError(
                f"{name} cannot be kept: it differs from those of the steps before ({error})"
            ) from None

    def _refuse(self, given: dict[str, Any]) -> NoReturn:
        raise ValueError(
            f"act() was given {', '.join(sorted(given))}; in the steps before it was "
            f"{', '.join(sorted(self.shown))}"
        )

    def _allocate(self, given: dict[str, Any]) -> None:
        for name in given:
            if name in TAKEN:
                raise ValueError(f"an extra cannot have the name {name!r} of an own array")
        for name, value in given.items():
            room = map_given(self._room_for, value)
            self.shown[name] = map_leaves(self._show, room, value)
            is_array = isinstance(room, np.ndarray)
            shape, dtype = (room.shape[1:], room.dtype) if is_array else (None, None)
            self._rooms.append((name, room, shape, dtype))

    def _room_for(self, value: Any) -> Any:
        """Room for such a value in each step: an array, or a tensor on another device."""
        if is_tensor(value) and not value.is_cpu:
            return value.new_zeros((self._steps, *value.shape))
        array = to_numpy(value)
        return np.zeros((self._steps, *array.shape), array.dtype)

    def _show(self, room: Any, value: Any) -> Any:
        if not isinstance(room, np.ndarray) or (self._torch is None and not is_tensor(value)):
            return room
        return sys.modules["torch"].from_numpy(room)
