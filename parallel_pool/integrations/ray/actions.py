"""Checks of actions and env ids, before they are sent to other processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from parallel_pool.python.array_spec import ArraySpec

Mask = np.ndarray[Any, Any]  # bool, one for each env of the pool


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


def read_env_ids(task_id: str, env_id: Any, in_flight: Mask, over: Mask) -> list[int]:
    """The env ids of a call.

    Args:
        task_id: for errors.
        env_id: as of send().
        in_flight: for each env of the pool, whether it is in flight.
        over: for each env, whether it takes no action before it is reset.

    Raises:
        ValueError: an env that is unknown, occurs twice, is in flight or over.
        TypeError: no integers.
    """
    what, num_envs = f"{task_id}: env_id", len(in_flight)
    ids = np.arange(num_envs) if env_id is None else np.atleast_1d(env_id)
    if ids.dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers, not {ids.dtype}")
    if ids.ndim != 1 or not len(ids):
        raise ValueError(f"{what} has shape {ids.shape}; it must be (rows,)")
    seen: set[int] = set()
    for i, env in enumerate(ids.tolist()):
        if not 0 <= env < num_envs:
            problem = f": there is no such env; allowed are 0 to {num_envs - 1}"
        elif env in seen:
            problem = " occurs twice: send an env one action at a time"
        elif in_flight[env]:
            problem = " is in flight: recv() its result first"
        elif over[env]:
            problem = ": its episode has ended; reset it first"
        else:
            seen.add(env)
            continue
        raise ValueError(f"{what}[{i}] = {env}{problem}")
    return [int(env) for env in ids]


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
