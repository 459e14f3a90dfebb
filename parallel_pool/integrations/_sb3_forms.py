"""Spaces, actions and infos in the form of Stable-Baselines3."""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import concatenate, create_empty_array

from parallel_pool.python.arrays.trees import map_leaves
from parallel_pool.python.specs.gymnasium_ids import gymnasium_id
from parallel_pool.python.specs.spec import Spec


def check_spaces(spec: Spec) -> None:
    """ValueError for a space that SB3 does not support; most would fail only in training.

    Envs in Python may have tuples and dicts of actions, as with SubprocVecEnv: programs step these
    themselves.
    """

    def refuse(what: str, space: Any, reason: str) -> None:
        raise ValueError(f"{spec.task_id}: {what} is {space}; Stable-Baselines3 {reason}")

    if any(array.players for array in (*spec.action_arrays, *spec.state_arrays)):
        raise ValueError(
            f"{spec.task_id}: has arrays that are per player; Stable-Baselines3 has one agent in "
            "each env: step a pool of parallel_pool.make() yourself"
        )
    if spec.is_single:
        raise ValueError(
            f"{spec.task_id}: num_envs is None, a single env; a VecEnv needs a number, such as "
            "num_envs=1. Single envs go to Stable-Baselines3 by their id: "
            f"'{gymnasium_id(spec.task_id)}'"
        )
    is_python = hasattr(spec.source, "makers")  # PythonTask
    is_tuple = isinstance(spec.observation_space, spaces.Tuple)
    for array in spec.state_arrays:
        what, space = f"the observation {array.name!r}", array.space(spaces)
        if array.name.startswith("info:"):
            continue
        if "." in array.name:
            refuse(what, space, "has no dict in a dict: let the env give it a name without '.'")
        if array.kind == "discrete" and space.start:
            refuse(what, space, "counts from 0: let the env do so")
        if array.kind != "discrete" and not array.shape and not is_tuple:
            refuse(what, space, "wants an axis: let the env make it a Box({1}, ...)")
    space = spec.action_space
    if isinstance(space, spaces.Dict) and not is_python:
        refuse("the action", space, "has no dict of actions: let the env take one array")
    elif isinstance(space, spaces.Discrete) and space.start:
        refuse("the action", space, "counts from 0: let the env do so")
    elif isinstance(space, spaces.Box) and space.dtype.kind != "f":
        refuse("the action", space, "gives fractions: let the env take float, or Discrete(n)")


def take(tree: Any, row: int, copies: bool = False) -> Any:
    """A row of an array, or of all in nested dicts and tuples; a view of an array if not copied."""
    return map_leaves(lambda array: array[row].copy() if copies else array[row], tree)


def row_of(tree: dict[str, Any], i: int) -> dict[str, Any]:
    """Row i of a nested dict of arrays, as one of rows_of(); arrays are copied."""
    row: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, np.ndarray):
            row[key] = value.item(i) if value.ndim == 1 else value[i].copy()
        else:
            row[key] = row_of(value, i) if isinstance(value, dict) else value[i]
    for key in tree:
        if key.startswith("_") and key[1:] in tree and not row.pop(key):
            del row[key[1:]]
    return row


def rows_of(tree: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """A nested dict of arrays as one nested dict for each row; single numbers are Python's.

    Where a mask "_" + key says that a row does not have the key, its dict has not, either.
    """
    columns = [
        rows_of(value, count)
        if isinstance(value, dict)
        else [take(value, k) for k in range(count)]
        if isinstance(value, tuple)
        else value.tolist()
        if value.ndim == 1
        else list(value)
        for value in tree.values()
    ]
    rows = [dict(zip(tree, row, strict=True)) for row in zip(*columns, strict=True)]
    for key in tree:
        if not key.startswith("_") or key[1:] not in tree:
            continue
        for row in rows:
            if not row.pop(key):
                del row[key[1:]]
    return rows


def batch_actions(space: spaces.Space[Any], actions: Any) -> Any:
    """The actions of step_async() as a pool takes them.

    Args:
        space: of one env, a Dict or a Tuple.
        actions: a list with a dict or a tuple for each env, as SubprocVecEnv takes it; or a batch.
    """
    if isinstance(actions, dict):
        return actions
    each = list(actions)
    batch: Any = create_empty_array(space, len(each))
    return concatenate(space, each, batch)
