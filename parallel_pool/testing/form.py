"""The two forms of slow tests: a short one by default, a long one with `make test LONG=1`."""

import os
from collections.abc import Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")

IS_LONG = os.environ.get("LONG", "0") not in ("", "0")


# For a test that the long form plays only.
long_form = pytest.mark.skipif(not IS_LONG, reason="in the long form")


def by_form(short: T, long: T) -> T:
    """The value for the form that this process plays."""
    return long if IS_LONG else short


def some(cases: Iterable[T], every: int) -> list[T]:
    """One of `every` cases in the short form, all in the long one."""
    return list(cases)[:: by_form(every, 1)]
