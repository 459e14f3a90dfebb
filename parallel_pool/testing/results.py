"""A comparison of two results of pools."""

from typing import Any

from parallel_pool.python.check.difference import first_difference


def same(a: Any, b: Any, where: str = "") -> None:
    """Asserts that two nested tuples and dicts of arrays are equal, with dtypes and shapes."""
    found = first_difference(a, b, where, with_dtypes=True)
    assert found is None, str(found)
