"""The arrays that a learner keeps of each step: actions, log-probabilities, values and others."""

import sys
from typing import Any

import numpy as np

from parallel_pool.learner.step_rows import map_tree, write_row
from parallel_pool.learner.tensors import is_tensor, to_numpy

_TAKEN = ("obs", "reward", "terminated", "truncated", "advantage", "target")


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
        self._room: dict[str, Any] = {}  # the memory

    def write(self, step: int, given: dict[str, Any]) -> None:
        """Writes the arrays of a step; ValueError if they are not like those of the first one."""
        if not self.shown:
            self._allocate(given)
        if given.keys() != self.shown.keys():
            raise ValueError(
                f"act() was given {', '.join(sorted(given))}; in the steps before it was "
                f"{', '.join(sorted(self.shown))}"
            )
        for name, value in given.items():
            try:
                write_row(self._room[name], step, value)
            except (KeyError, TypeError, ValueError, RuntimeError) as error:
                raise ValueError(
                    f"{name} cannot be kept: it differs from those of the steps before ({error})"
                ) from None

    def _allocate(self, given: dict[str, Any]) -> None:
        for name in given:
            if name in _TAKEN:
                raise ValueError(f"an extra cannot have the name {name!r} of an own array")
        self._room = {name: map_tree(self._room_for, value) for name, value in given.items()}
        self.shown = {name: self._show(value, self._room[name]) for name, value in given.items()}

    def _room_for(self, value: Any) -> Any:
        """Room for such a value in each step: an array, or a tensor on another device."""
        if is_tensor(value) and not value.is_cpu:
            return value.new_zeros((self._steps, *value.shape))
        array = to_numpy(value)
        return np.zeros((self._steps, *array.shape), array.dtype)

    def _show(self, value: Any, room: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._show(part, room[name]) for name, part in value.items()}
        if not isinstance(room, np.ndarray) or (self._torch is None and not is_tensor(value)):
            return room
        return sys.modules["torch"].from_numpy(room)
