"""Checks of actions, before they are sent to other processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from parallel_pool.python.array_spec import ArraySpec


def read_actions(task_id: str, action: Any, arrays: tuple[ArraySpec, ...], rows: int) -> Any:
    """The action as the pool of a worker takes it: an array, or a flat dict of them.

    Args:
        task_id: for errors.
        action: as of send().
        arrays: the arrays of the action.
        rows: the number of rows.

    Raises:
        ValueError: a wrong shape or value.
        TypeError: a wrong dtype.
    """
    given = _flat(action) if isinstance(action, dict) else {}
    if not isinstance(action, dict) and len(arrays) > 1:
        names = ", ".join(repr(a.name) for a in arrays)
        raise ValueError(f"{task_id}: action must be a dict with {names}")
    read = {}
    for array in arrays:
        value = given.pop(array.name, None) if isinstance(action, dict) else action
        if value is None:
            raise ValueError(f"{task_id}: action has no array {array.name!r}")
        read[array.name] = _checked(f"{task_id}: {array.name}", value, array, rows)
    if given:
        raise ValueError(f"{task_id}: action has an unknown array {next(iter(given))!r}")
    return read if len(arrays) > 1 else next(iter(read.values()))


def take(action: Any, rows: Any) -> Any:
    """Some rows of read_actions()."""
    if isinstance(action, dict):
        return {name: array[rows] for name, array in action.items()}
    return action[rows]


def _flat(action: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in action.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _checked(what: str, value: Any, spec: ArraySpec, rows: int) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what} has dtype {array.dtype}; it must have {spec.dtype}")
    shape = (rows, *spec.shape)
    if array.shape != shape:
        raise ValueError(f"{what} has shape {array.shape}; it must have {shape}")
    wanted = np.dtype(spec.dtype)
    if wanted.kind == "f":
        with np.errstate(over="ignore"):
            converted = array.astype(wanted)
        good = np.isfinite(converted)
        allowed = "finite numbers"
    else:
        low, high = spec.bounds()
        good = (array >= low) & (array <= high) & (array == np.floor(array))
        allowed = f"the integers {np.min(low)} to {np.max(high)}"
        converted = np.where(good, array, 0).astype(wanted)
    if not good.all():
        index = np.unravel_index(int((~good).argmax()), array.shape)
        where = "".join(f"[{i}]" for i in index)
        raise ValueError(f"{what}{where} is {array[index]}; allowed are {allowed}")
    return converted
