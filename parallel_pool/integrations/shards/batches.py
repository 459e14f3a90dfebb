"""Batches made of the batches of several workers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from parallel_pool.python.arrays.trees import leaves
from parallel_pool.python.specs.spec import Spec

Batch = tuple[Any, ...]  # obs, reward, terminated, truncated, info
# The arrays of a batch by their path: (0, "camera") is obs["camera"], (1,) the reward.
Named = dict[tuple[Any, ...], Any]

ENV_ID, OWNER = (4, "env_id"), (4, "players", "env_id")  # of each row, of each player's row


def named(batch: Batch, env_ids: np.ndarray[Any, Any]) -> Named:
    """All arrays of a worker's batch by their path, with the env ids of the whole pool.

    Args:
        batch: the worker's.
        env_ids: the pool's id of each of the worker's envs.
    """
    arrays: Named = dict(leaves(batch))
    for path in (ENV_ID, OWNER):
        arrays[path] = env_ids[arrays[path]]
    return arrays


def copied(batch: Batch, into: Named) -> Batch:
    """A worker's batch with arrays of this process's memory.

    Args:
        batch: the worker's.
        into: arrays for some of its arrays.
    """
    copies: Named = {}
    for path, array in leaves(batch):
        if path in into:
            into[path][...] = array
        copies[path] = into[path] if path in into else array.copy()
    return _batch(copies)


def observations(spec: Spec, rows: int) -> Named:
    """Arrays for the observations of `rows` envs, by their path; none of those per player."""
    return {
        _path(array.name): np.empty((rows, *array.shape), array.dtype)
        for array in spec.state_arrays
        if array.name.startswith("obs") and not array.players
    }


def lost(spec: Spec, env_ids: Sequence[int]) -> Named:
    """The rows of envs whose worker has died: zeros, truncated, with info["lost"]."""
    rows, players = len(env_ids), spec.setup.most_players
    flag = np.zeros(rows, np.bool_)
    ids = np.array(env_ids, np.int32)
    arrays: Named = {}
    for array in spec.state_arrays:
        if array.name == "reward":
            continue
        count = rows * players if array.players else rows
        arrays[_path(array.name)] = np.zeros((count, *array.shape), array.dtype)
    reward = spec.reward_array
    arrays[1,] = np.zeros(rows * players if reward.players else rows, reward.dtype)
    arrays[2,], arrays[3,] = flag, ~flag
    arrays[ENV_ID] = ids
    arrays[4, "elapsed_step"] = np.zeros(rows, np.int32)
    arrays[OWNER] = np.repeat(ids, players or 1)
    arrays[4, "lost"] = ~flag
    return arrays


def player_paths(spec: Spec) -> set[tuple[Any, ...]]:
    """The paths of the arrays with a row for each player."""
    paths: set[tuple[Any, ...]] = {OWNER} if spec.setup.most_players else set()
    if spec.reward_array.players:
        paths.add((1,))
    for array in spec.state_arrays:
        if array.players and array.name != "reward":
            paths.add(_path(array.name))
    return paths


def row_path(path: tuple[Any, ...], of_players: Collection[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The path of the array that says to which env each row of an array belongs."""
    return OWNER if path in of_players or path == OWNER else ENV_ID


def join(
    parts: Sequence[Named], order: Sequence[int], of_players: Collection[tuple[Any, ...]]
) -> Batch:
    """One batch of the rows of all parts.

    Args:
        parts: the arrays of each; keys that some lack are infos, which are zeros there.
        order: the env ids in the order of the rows; each is in one of the parts.
        of_players: player_paths().
    """
    place = np.empty(max(order) + 1, np.int64)
    place[list(order)] = np.arange(len(order))
    orders = {
        path: _order(place[np.concatenate([part[path] for part in parts])])
        for path in (ENV_ID, OWNER)
    }
    joined: Named = {}
    for path in dict.fromkeys(path for part in parts for path in part):
        key = row_path(path, of_players)
        some = next(part[path] for part in parts if path in part)
        columns = [
            part[path] if path in part else np.zeros((len(part[key]), *some.shape[1:]), some.dtype)
            for part in parts
        ]
        whole = _whole(columns, len(order))
        if whole is None:
            whole = np.concatenate(columns)
            whole = whole if orders[key] is None else whole[orders[key]]
        joined[path] = whole
    return _batch(joined)


def _whole(columns: Sequence[Any], rows: int) -> np.ndarray[Any, Any] | None:
    """The array of observations() of which the columns are the parts; else None."""
    base = columns[0].base
    is_whole = isinstance(base, np.ndarray) and base.shape == (rows, *columns[0].shape[1:])
    return base if is_whole and all(column.base is base for column in columns) else None


def _path(name: str) -> tuple[Any, ...]:
    """The path of an array of the state: "obs:camera.left", "info:lives"."""
    part, _, rest = name.partition(":")
    return (0 if part == "obs" else 4, *(rest.split(".") if rest else ()))


def _order(places: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """The indices that sort rows by their places; None if they are sorted."""
    if (places[1:] >= places[:-1]).all():
        return None
    return np.argsort(places, kind="stable")


def _batch(arrays: Named) -> Batch:
    return tuple(_tree(arrays, part) for part in range(5))


def _tree(joined: Named, part: int) -> Any:
    own = {path[1:]: array for path, array in joined.items() if path[0] == part}
    if () in own:
        return own[()]
    return _nested(own)


def _nested(own: Named) -> Any:
    children: dict[Any, Named] = {}
    for (key, *rest), array in own.items():
        children.setdefault(key, {})[tuple(rest)] = array
    made = {k: c[()] if () in c else _nested(c) for k, c in children.items()}
    return tuple(made.values()) if all(isinstance(key, int) for key in made) and made else made
