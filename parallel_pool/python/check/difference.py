"""The first place where two arrays, or two trees of arrays, differ."""

import dataclasses
from typing import Any

import numpy as np

from parallel_pool.python.arrays.trees import flatten


@dataclasses.dataclass(frozen=True, kw_only=True)
class Difference:
    """The first place where two trees of arrays differ.

    Attributes:
        name: the array, by its path: "obs", "obs.left" of a dict, "reward", "info.x".
        index: the first element that differs; () of a number, or if all of the array does.
        mine: its value; of a whole array its shape or dtype, or "missing".
        reference: the same of the other tree.
        ulps: how many floating-point numbers apart they are; None: not floats, or another shape.
    """

    name: str
    index: tuple[int, ...] = ()
    mine: Any = None
    reference: Any = None
    ulps: int | None = None


def first_difference(
    mine: Any,
    reference: Any,
    name: str = "",
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    with_dtypes: bool = False,
) -> Difference | None:
    """The first difference of two trees; None if there is none. NaN equals NaN.

    Args:
        mine: an array, or nested dicts and tuples of arrays.
        reference: the same.
        name: of the tree.
        rtol: numbers, but no bools, may differ by atol + rtol * abs(b), as in numpy.allclose().
        atol: see `rtol`.
        with_dtypes: whether another dtype is a difference.
    """
    ours, theirs = flatten(mine, name), flatten(reference, name)
    for part in {**ours, **theirs}:
        a, b = (np.asarray(tree[part]) if part in tree else "missing" for tree in (ours, theirs))
        found = _of_arrays(a, b, rtol, atol, with_dtypes)
        if found is not None:
            return Difference(name=part, **found)
    return None


def first_index(mask: Any) -> tuple[int, ...] | None:
    """The index of the first True, in the order of the memory of C; None if there is none."""
    mask = np.asarray(mask)
    if not mask.any():
        return None
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))


def _of_arrays(a: Any, b: Any, rtol: float, atol: float, with_dtypes: bool) -> Any:
    """The fields of the difference of two arrays."""
    if isinstance(a, str) or isinstance(b, str):
        return {"mine": a, "reference": b}
    if a.shape != b.shape:
        return {"mine": a.shape, "reference": b.shape}
    if with_dtypes and a.dtype != b.dtype:
        return {"mine": str(a.dtype), "reference": str(b.dtype)}
    differ = (a != b) & ~((a != a) & (b != b))
    if (rtol or atol) and a.dtype.kind in "iufc" and b.dtype.kind in "iufc":
        differ &= ~np.isclose(a, b, rtol=rtol, atol=atol)
    index = first_index(differ)
    if index is None:
        return None
    values = {"mine": a.item(index), "reference": b.item(index)}
    return {"index": index, **values, "ulps": _ulps_apart(a, b, index)}


def _ulps_apart(a: Any, b: Any, index: tuple[int, ...]) -> int | None:
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
