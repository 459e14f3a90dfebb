"""The infos of Python envs: bytes in the rows of a batch, and Gymnasium's arrays for the user."""

import pickle
import struct
from typing import Any

import cloudpickle
import numpy as np

_NUMBERS = (int, float, bool)
_OF_NUMPY = (np.number, np.bool_, np.ndarray)
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
        the key. Numbers and arrays are in arrays of their dtype, with zeros elsewhere; of several
        dtypes it is NumPy's common one. Dicts are in a dict like this one, and others in an array
        of objects, with None elsewhere.
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
        stacked[key] = _column([rows[i][key] for i in where], where, len(rows))
        stacked[f"_{key}"] = mask
    return stacked


def _column(values: list[Any], where: list[int], count: int) -> Any:
    first = values[0]
    if isinstance(first, dict) and all(isinstance(value, dict) for value in values):
        own: list[dict[str, Any]] = [{} for _ in range(count)]
        for i, value in zip(where, values, strict=True):
            own[i] = value
        return stack(own)
    common = _common(values)
    if common is not None:
        shape, dtype = common
        array = np.zeros((count, *shape), dtype)
        try:
            for i, value in zip(where, values, strict=True):
                array[i] = value
            return array
        except OverflowError:
            pass  # an int that no dtype has
    array = np.full(count, None, object)
    for i, value in zip(where, values, strict=True):
        array[i] = value
    return array


def _common(values: list[Any]) -> tuple[tuple[int, ...], Any] | None:
    """The shape and dtype of all values; None: they are objects.

    The dtype is NumPy's common one. Gymnasium takes the first value's: then 0.75 is 0 after an int.
    """
    first, kinds = values[0], set(map(type, values))
    if len(kinds) == 1:
        kind = type(first)
        if kind in _NUMBERS or issubclass(kind, np.number):
            return (), kind
        if not issubclass(kind, np.ndarray):
            return None
        shape, dtype = first.shape, first.dtype
        if all(value.dtype is dtype and value.shape == shape for value in values):
            return shape, dtype
    elif not all(kind in _NUMBERS or issubclass(kind, _OF_NUMPY) for kind in kinds):
        return None
    arrays = [np.asarray(value) for value in values]
    # A number and a text have a common dtype, too: that of texts.
    families = {"number" if a.dtype.kind in "biufc" else a.dtype.kind for a in arrays}
    if len(families) > 1 or any(array.shape != arrays[0].shape for array in arrays):
        return None
    return arrays[0].shape, np.result_type(*(array.dtype for array in arrays))
