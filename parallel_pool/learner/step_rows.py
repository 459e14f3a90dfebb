"""Nested dicts of arrays that have a row for each step."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from parallel_pool.learner.tensors import is_tensor, to_numpy
from parallel_pool.python.arrays.trees import nest


def map_tree(function: Callable[[Any], Any], tree: Any) -> Any:
    """The function of each array of a nested dict."""
    if isinstance(tree, dict):
        return {name: map_tree(function, value) for name, value in tree.items()}
    return function(tree)


def row_of(tree: Any, step: int) -> Any:
    """The rows of a step."""
    return map_tree(lambda array: array[step], tree) if isinstance(tree, dict) else tree[step]


def copy_to_row(tree: Any, step: int, values: Any) -> None:
    """Copies NumPy arrays to a row of `tree`."""
    if isinstance(tree, dict):
        for name, array in tree.items():
            copy_to_row(array, step, values[name])
    else:
        tree[step] = values


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


def leaf_of(tree: Any) -> Any:
    """The first array of a nested dict."""
    while isinstance(tree, dict):
        tree = next(iter(tree.values()))
    return tree


def concatenated(trees: list[Any]) -> Any:
    """The arrays, or tensors, of several trees, one after another."""
    first = trees[0]
    if len(trees) == 1:
        return first
    if isinstance(first, dict):
        return {name: concatenated([tree[name] for tree in trees]) for name in first}
    if is_tensor(first):
        return sys.modules["torch"].cat(trees)
    return np.concatenate(trees)
