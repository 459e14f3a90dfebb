"""Texts in the arrays of a pool."""

from typing import Any

import numpy as np


def decode_mission(mission: Any) -> Any:
    """The mission of a MiniGrid env as str; a list of str if there is a row for each env.

    The name is EnvPool's: decode_text() does the same for all texts.

    Args:
        mission: `obs["mission"]` of a pool, or a row of it.

    Raises:
        TypeError, ValueError: it is no such array.
    """
    return decode_text(mission)


def decode_text(text: Any) -> Any:
    """A text that a pool has observed, as str; a list of str if there is a row for each env.

    Args:
        text: uint8 of shape (size,) or (rows, size): ASCII characters, then zeros.

    Raises:
        TypeError: another dtype.
        ValueError: another number of axes.
    """
    array = np.asarray(text)
    if array.dtype != np.uint8:
        raise TypeError(f"text has dtype {array.dtype}; it must be uint8")
    if array.ndim not in (1, 2):
        raise ValueError(f"text has shape {array.shape}; it must be (size,) or (rows, size)")
    if array.ndim == 2:
        return [decode_text(row) for row in array]
    return array.tobytes().partition(b"\0")[0].decode("ascii", "replace")
