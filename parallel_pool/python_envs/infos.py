"""The infos of Python envs: bytes in the rows of a batch, and Gymnasium's arrays for the user."""

import pickle
import struct
from typing import Any

import cloudpickle
import numpy as np

_LENGTH = struct.Struct("=I")  # of the bytes that follow; InfoLength in core/binding


def encode(info: dict[str, Any]) -> bytes:
    """The bytes of the info of a step.

    Raises:
        TypeError: it cannot be pickled.
    """
    try:
        return pickle.dumps(info, pickle.HIGHEST_PROTOCOL)
    except Exception:  # of a class that only the user's program has
        try:
            return bytes(cloudpickle.dumps(info, pickle.HIGHEST_PROTOCOL))
        except Exception as error:
            raise TypeError(f"its info cannot be pickled: {error}") from error


def decode(column: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The infos of the rows of a batch, as gymnasium.vector.SyncVectorEnv shows them.

    Args:
        column: uint8, shape (rows, bytes).

    Returns:
        A dict with an array for each key, and with its mask: "_" + key, bool, where the row has
        the key. Numbers and arrays are in arrays of their dtype, with zeros elsewhere, dicts in a
        dict like this one, and others in an array of objects, with None elsewhere.
    """
    rows: list[Any] = []
    for row in column:
        data = row.data
        (length,) = _LENGTH.unpack_from(data)
        rows.append(pickle.loads(data[4 : 4 + length]) if length else {})
    return stack(rows)


def stack(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """decode() for infos as dicts; {} where a row has none."""
    keys = dict.fromkeys(key for row in rows for key in row)
    stacked: dict[str, Any] = {}
    for key in keys:
        where = [i for i, row in enumerate(rows) if key in row]
        mask = np.zeros(len(rows), np.bool_)
        mask[where] = True
        stacked[key] = _column([row[key] for row in (rows[i] for i in where)], where, len(rows))
        stacked[f"_{key}"] = mask
    return stacked


def _column(values: list[Any], where: list[int], count: int) -> Any:
    first = values[0]
    if all(isinstance(value, dict) for value in values):
        own: list[dict[str, Any]] = [{} for _ in range(count)]
        for i, value in zip(where, values, strict=True):
            own[i] = value
        return stack(own)
    array = None
    if type(first) in (int, float, bool) or isinstance(first, np.number):
        array = np.zeros(count, type(first))
    elif isinstance(first, np.ndarray):
        array = np.zeros((count, *first.shape), first.dtype)
    if array is not None:
        try:
            for i, value in zip(where, values, strict=True):
                array[i] = value
            return array
        except (TypeError, ValueError, OverflowError):
            pass  # rows of different shapes or types
    array = np.full(count, None, object)
    for i, value in zip(where, values, strict=True):
        array[i] = value
    return array
