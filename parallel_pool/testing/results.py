"""A comparison of two results of pools."""

from typing import Any

import numpy as np


def same(a: Any, b: Any, where: str = "") -> None:
    """Asserts that two nested tuples and dicts of arrays are equal, with dtypes and shapes."""
    if isinstance(a, dict):
        assert a.keys() == b.keys(), f"{where}: {sorted(a)} and {sorted(b)}"
        for name in a:
            same(a[name], b[name], f"{where}.{name}")
    elif isinstance(a, tuple):
        assert len(a) == len(b), where
        for k, part in enumerate(a):
            same(part, b[k], f"{where}[{k}]")
    else:
        x, y = np.asarray(a), np.asarray(b)
        assert (x.dtype, x.shape) == (y.dtype, y.shape), f"{where}: {x.dtype}, {y.dtype}"
        assert np.array_equal(x, y, equal_nan=x.dtype.kind == "f"), f"{where}: {x} and {y}"
