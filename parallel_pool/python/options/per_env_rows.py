"""A value for each env: `per_env` of make() and of reset(options=), checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parallel_pool.python.options.option import Option, suggest_option

# The only option of the pool that an env may have for itself.
TIME_LIMIT = "max_episode_steps"

# A value for each env, by option.
PerEnvValues = dict[str, list[Any]]


def read_rows(
    task_id: str, options: Sequence[Option], pool_options: Sequence[Option], given: Any, count: int
) -> PerEnvValues:
    """The checked `per_env`: for each option a value for each of `count` envs.

    Args:
        task_id: for errors.
        options: the task's options.
        pool_options: the options of the pool, of which only TIME_LIMIT may differ.
        given: what the user gave.
        count: the number of envs.

    Raises:
        TypeError: not a dict, or a value of the wrong type.
        ValueError: an option that an env cannot have for itself, a wrong number of values, or a
            value that is not allowed.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{task_id}: per_env must be a dict such as {{option: [a value for each env]}}, not "
            f"{given!r}"
        )
    known = {option.name: option for option in options}
    known |= {option.name: option for option in pool_options if option.name == TIME_LIMIT}
    rows: PerEnvValues = {}
    for name, values in given.items():
        if name not in known:
            of_pool = name in ("seed", *(option.name for option in pool_options))
            why = "is an option of the whole pool" if of_pool else "is no option of this task"
            near = suggest_option(task_id, str(name), known)
            hint = ": seed=[...] takes a list" if name == "seed" else near
            raise ValueError(f"{task_id}: per_env: {name!r} {why}{hint}")
        rows[name] = _read_column(f"{task_id}: per_env", known[name], values, count)
    return rows


def _read_column(what: str, option: Option, values: Any, count: int) -> list[Any]:
    """The values of one option, one for each env."""
    where = f"{what}: {option.name}"
    if option.kind == "env_arrays":
        arrays = option.check(what, values)
        check_rows(where, arrays, count)
        return split(arrays, count)
    is_list = isinstance(values, list | tuple) or getattr(values, "ndim", 0) > 0
    if not is_list:
        raise TypeError(f"{where} must be a list with a value for each env, not {values!r}")
    if len(values) != count:
        raise ValueError(
            f"{where} has {len(values)} values; it must have one for each of {count} envs"
        )
    return [option.check(what, _plain(value), f"[{i}]") for i, value in enumerate(values)]


def check_rows(what: str, arrays: dict[str, Any], count: int) -> None:
    """ValueError unless each array has as many rows as there are envs."""
    for name, array in arrays.items():
        if len(array) != count:
            raise ValueError(
                f"{what}[{name!r}] has the shape {array.shape}; "
                f"its first axis must be the {count} envs"
            )


def split(arrays: dict[str, Any], count: int) -> list[Any]:
    """The arrays of each env, without the axis of the envs."""
    return [{name: array[i] for name, array in arrays.items()} for i in range(count)]


def _plain(value: Any) -> Any:
    """An element of an array as a Python number."""
    return value.item() if isinstance(value, np.generic) else value


def rows_at(given: Any, places: list[int], count: int) -> Any:
    """The values of `given` that belong to some of the envs of a call."""
    if len(places) == count or not isinstance(given, Mapping):
        return given
    return {name: _values_at(values, places, count) for name, values in given.items()}


def _values_at(values: Any, places: list[int], count: int) -> Any:
    if isinstance(values, Mapping):
        return {name: _values_at(rows, places, count) for name, rows in values.items()}
    if not isinstance(values, list | tuple | np.ndarray) or len(values) != count:
        return values  # read_rows() refuses it
    return [values[place] for place in places]
