"""JSON that every reader takes: without NaN and Infinity, which are no part of JSON.

| value | in the text |
| --- | --- |
| a float that is not finite | `{"float": "nan"}`, `{"float": "inf"}` or `{"float": "-inf"}` |
| a dict whose keys are not all texts | `{"pairs of a dict": [[key, value], ...]}` |
| a tuple, an array, a number of NumPy | a list, lists, a number |
"""

import json
import math
from collections.abc import Mapping
from typing import Any

_FLOAT, _PAIRS = "float", "pairs of a dict"


def dumps(value: Any, indent: int | None = None) -> str:
    """The text of a value, which loads() reads again.

    Args:
        value: mappings, lists, tuples, arrays, texts, numbers, bools and None.
        indent: spaces of each level; None: all in one line.

    Raises:
        TypeError: something else.
    """
    return json.dumps(_plain(value), allow_nan=False, indent=indent)


def loads(text: str | bytes) -> Any:
    """The value of a text of dumps(); tuples and arrays are lists.

    It also takes the constants NaN and Infinity, which files of older versions have.

    Raises:
        ValueError: it is no JSON.
    """
    return json.loads(text, object_hook=_whole)


def _plain(value: Any) -> Any:
    if isinstance(value, float):  # numpy.float64, too
        number = float(value)
        return number if math.isfinite(number) else {_FLOAT: repr(number)}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {key: _plain(part) for key, part in value.items()}
        return {_PAIRS: [[_plain(key), _plain(part)] for key, part in value.items()]}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool | int):
        return value
    if hasattr(value, "tolist"):  # an array, or a number of NumPy
        return _plain(value.tolist())
    raise TypeError(f"{type(value).__name__} {value!r} cannot be saved")


def _whole(entries: dict[str, Any]) -> Any:
    """A dict, or the value for which it stands."""
    if entries.keys() == {_PAIRS}:
        return {key: value for key, value in entries[_PAIRS]}
    if entries.keys() == {_FLOAT} and entries[_FLOAT] in ("nan", "inf", "-inf"):
        return float(entries[_FLOAT])
    return entries
