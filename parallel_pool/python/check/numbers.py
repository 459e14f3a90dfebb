"""Where two arrays differ, and how far: for compare(), and for the parity tests."""

from typing import Any

import numpy as np


def first_difference(
    a: Any, b: Any, rtol: float = 0.0, atol: float = 0.0
) -> tuple[int, ...] | None:
    """The index of the first element that differs; None if there is none. NaN equals NaN.

    Numbers, but no bools, may differ by atol + rtol * abs(b), as in numpy.allclose().
    """
    if a.shape != b.shape:
        return None  # of an info: shapes differ where the forms of lists do
    differ = (a != b) & ~((a != a) & (b != b))
    if (rtol or atol) and a.dtype.kind in "iufc" and b.dtype.kind in "iufc":
        differ &= ~np.isclose(a, b, rtol=rtol, atol=atol)
    if not differ.any():
        return None
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(differ)), a.shape))


def ulps_apart(a: Any, b: Any, index: tuple[int, ...]) -> int | None:
    """The number of floats of the smaller type from one number to the other."""
    if a.dtype.kind != "f" or b.dtype.kind != "f":
        return None
    small = min(a.dtype, b.dtype, key=lambda dtype: dtype.itemsize)
    whole = np.dtype(f"i{small.itemsize}")
    if not (np.isfinite(a[index]) and np.isfinite(b[index])):
        return None
    one, other = (int(np.asarray(x[index], small).view(whole)) for x in (a, b))
    low = int(np.iinfo(whole).min)
    return abs((one if one >= 0 else low - one) - (other if other >= 0 else low - other))
