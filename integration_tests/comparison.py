"""Comparison of results, for the tests of all libraries."""

from typing import Any

import numpy as np


def same(a: Any, b: Any, where: str = "") -> None:
    """Asserts equal types and values, bit for bit, of nested containers and arrays."""
    assert type(a) is type(b), where
    if isinstance(b, dict):
        assert set(a) == set(b), (where, set(a) ^ set(b))
        for key in b:
            same(a[key], b[key], f"{where}[{key!r}]")
    elif isinstance(b, list | tuple):
        assert len(a) == len(b), where
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"{where}[{i}]")
    elif isinstance(b, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), where
        is_equal = (a == b).all() if a.dtype == object else a.tobytes() == b.tobytes()
        assert is_equal, where
    else:
        assert a == b, where
