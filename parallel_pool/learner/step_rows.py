"""Nested dicts of arrays that have a row for each step."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from parallel_pool.learner.tensors import is_tensor, to_numpy
from parallel_pool.python.arrays.trees import map_leaves, nest


def map_given(function: Callable[[Any], Any], given: Any) -> Any:
    """The function of each array that act() was given: a tuple or a list is one array."""
    if isinstance(given, dict):
        return {name: map_given(function, part) for name, part in given.items()}
    return function(given)


def write_row(room: Any, step: int, value: Any) -> None:
    """Writes a value of the user to its row, if it is like those before."""
    if isinstance(room, dict):
        if room.keys() != value.keys():
            raise ValueError(f"it has {', '.join(value)}")
        for name, part in room.items():
            write_row(part, step, value[name])
        return
    if isinstance(room, np.ndarray):
        value = to_numpy(value)
    if value.shape != room.shape[1:]:
        raise ValueError(f"shape {tuple(value.shape)}, not {tuple(room.shape[1:])}")
    if isinstance(room, np.ndarray) and not np.can_cast(value.dtype, room.dtype, "same_kind"):
        raise ValueError(f"of {value.dtype}, not {room.dtype}")
    room[step] = value


def tree_of(named: dict[str, Any]) -> Any:
    """{"obs": array} as the array, {"obs:a": ..., "obs:b": ...} as a nested dict."""
    if list(named) == ["obs"]:
        return named["obs"]
    return nest((name.removeprefix("obs:"), array) for name, array in named.items())


def concatenated(trees: list[Any]) -> Any:
    """The arrays, or tensors, of several trees, one after another."""
    return trees[0] if len(trees) == 1 else map_leaves(_concatenated, *trees)


def _concatenated(*arrays: Any) -> Any:
    if is_tensor(arrays[0]):
        return sys.modules["torch"].cat(arrays)
    return np.concatenate(arrays)
