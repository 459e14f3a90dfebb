"""The arguments of a batch's calls, checked before any simulation is changed."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Numbers of mjtStage by name.
STAGES = {"none": 0, "pos": 1, "vel": 2, "acc": 3}


def count(name: str, value: Any, least: int) -> int:
    """`value` as an int that is at least `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an int, not {value!r}")
    if value < least:
        raise ValueError(f"{name} is {value}; it must be at least {least}")
    return int(value)


def index(name: str, value: Any, end: int) -> int:
    """`value` as an int from 0 to `end` - 1."""
    number = count(name, value, 0)
    if number >= end:
        raise ValueError(f"{name} is {number}; allowed are 0 to {end - 1}")
    return number


def stage(value: Any) -> int:
    """The number of an mjtStage: 0 (none), 1 (positions), 2 (velocities) or 3 (all)."""
    number = count("stage", value, 0)
    if number > STAGES["acc"]:
        raise ValueError(f"stage is {number}; allowed are 0 to {STAGES['acc']}, as of mjtStage")
    return number


def components(name: str, value: Any, allowed: int) -> int:
    """`value` as bits of mjtState, each of which is one of `allowed`."""
    number = count(name, value, 1)
    if number & ~allowed:
        raise ValueError(f"{name} is {number}; allowed are bits of {allowed}, as of mjtState")
    return number


def env_ids(ids: ArrayLike | None, num_envs: int) -> NDArray[np.int32] | None:
    """Sorted ids from ids or a mask; None for all envs."""
    if ids is None:
        return None
    array = np.asarray(ids)
    if array.dtype == np.bool_:
        if array.shape != (num_envs,):
            raise ValueError(f"ids is a mask of shape {array.shape}; it must be ({num_envs},)")
        return np.flatnonzero(array).astype(np.int32)
    if array.ndim != 1:
        raise ValueError(f"ids has the shape {array.shape}; it must have one dimension")
    if array.size == 0:
        return np.zeros(0, np.int32)
    return integers("ids", array, array.shape, 0, num_envs, is_sorted=True)


def integers(
    name: str,
    values: ArrayLike,
    shape: tuple[int, ...],
    least: int,
    end: int,
    *,
    is_sorted: bool = False,
) -> NDArray[np.int32]:
    """Integers from `least` to `end` - 1, of this shape; if `is_sorted`, each once and in order."""
    array = np.asarray(values)
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    wrong = array[(array < least) | (array >= end)]
    if wrong.size:
        raise ValueError(f"{name} has {wrong.flat[0]}; allowed are {least} to {end - 1}")
    if is_sorted and (falls := np.flatnonzero(array[1:] <= array[:-1])).size:
        first = falls[0]
        raise ValueError(
            f"{name} must be sorted, each once; {array[first + 1]} follows {array[first]}"
        )
    if array.ndim > len(shape) or (array.ndim and array.shape != shape[-array.ndim :]):
        raise ValueError(f"{name} has the shape {array.shape}; it must be {shape} or one number")
    return np.ascontiguousarray(np.broadcast_to(array, shape), np.int32)


def numbers(name: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """float64 numbers that fit into `shape`, broadcast to it."""
    array = np.asarray(values)
    if not (np.issubdtype(array.dtype, np.floating) or np.issubdtype(array.dtype, np.integer)):
        raise TypeError(f"{name} must be numbers, not {array.dtype}")
    try:
        return np.ascontiguousarray(np.broadcast_to(array, shape), np.float64)
    except ValueError:
        raise ValueError(f"{name} has the shape {array.shape}; it must be {shape}") from None


def buffer(
    name: str, array: Any, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> np.ndarray[Any, Any]:
    """An array of the caller that can be written to in place."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, not {type(array).__name__}")
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(
            f"{name} is {array.dtype} of shape {array.shape}; it must be {dtype} of shape {shape}"
        )
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ValueError(f"{name} must be C-contiguous and writable")
    return array
