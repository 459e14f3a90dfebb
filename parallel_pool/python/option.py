"""One keyword of make(): what it is, what is allowed, and errors that say so."""

import difflib
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_MAX_INT = 2**31 - 1


@dataclass(frozen=True)
class Option:
    """One keyword of make().

    Attributes:
        name: the keyword.
        doc: one line: meaning, unit, what is allowed.
        default: of kind "value" it also tells the type: bool, int, float or str.
        low: the smallest number allowed.
        high: the largest number allowed.
        choices: what a str may be; empty: anything.
        kind: "value"; "range": an int n, or a pair (low, end) for all ints of low <= n < end;
            "lines": a list of str, or None for the empty one; "numbers": as many floats as the
            default has; "env_arrays": a dict of arrays of float64 with a row for each env;
            "int_or_str": the number of something or its name.
    """

    name: str
    doc: str
    default: bool | int | float | str | tuple[float, ...] | tuple[str, ...] | dict[str, Any]
    low: float = -math.inf
    high: float = math.inf
    choices: Sequence[str] = ()
    kind: str = "value"

    def check(self, task_id: str, value: Any) -> Any:
        """The value as this option's type; TypeError or ValueError if it cannot be that."""
        what = f"{task_id}: {self.name}"
        if isinstance(self.default, bool):
            if not _is_bool(value):
                raise TypeError(f"{what} must be True or False, not {value!r}")
            return bool(value)
        if self.kind == "int_or_str" and isinstance(value, str):
            return value
        if isinstance(self.default, str):
            if not isinstance(value, str):
                raise TypeError(f"{what} must be a str, not {value!r}")
            if self.choices and value not in self.choices:
                raise ValueError(
                    f"{what} is {value!r}; allowed are {', '.join(map(repr, self.choices))}"
                    + nearest(value, self.choices)
                )
            return value
        if self.kind == "lines":
            return _as_lines(what, value)
        if self.kind == "env_arrays":
            return _as_arrays(what, value)
        if self.kind == "range" and isinstance(value, tuple | list):
            return self._check_pair(what, value)
        if self.kind == "numbers" and isinstance(self.default, tuple):
            return self._check_numbers(what, value, len(self.default))
        is_int = self.kind == "range" or isinstance(self.default, int)
        number = as_int(what, value) if is_int else as_float(what, value)
        if not self.low <= number <= self.high:  # also false for NaN
            raise ValueError(f"{what} is {value!r}; {_allowed(self.low, self.high)}")
        return number

    def _check_numbers(self, what: str, value: Any, count: int) -> tuple[float, ...]:
        """As many numbers as the default has, all of them allowed."""
        if not isinstance(value, list | tuple) and not hasattr(value, "__array__"):
            raise TypeError(f"{what} must be a list of {count} numbers, not {value!r}")
        if len(value) != count:
            raise ValueError(f"{what} is {value!r}; it must be {count} numbers")
        numbers = tuple(as_float(f"{what}[{i}]", number) for i, number in enumerate(value))
        for i, number in enumerate(numbers):
            if not self.low <= number <= self.high:  # also false for NaN
                raise ValueError(f"{what}[{i}] is {number!r}; {_allowed(self.low, self.high)}")
        return numbers

    def _check_pair(self, what: str, pair: Sequence[Any]) -> tuple[int, int]:
        """(low, end) with at least one integer low <= n < end, all of them allowed."""
        if len(pair) != 2:
            raise ValueError(f"{what} is {pair!r}; it must be an int or a pair of ints")
        low, end = (as_int(f"{what}[{i}]", value) for i, value in enumerate(pair))
        if not self.low <= low < end <= self.high + 1:
            raise ValueError(
                f"{what} is {pair!r}; in a pair (low, end), of low to end - 1, end must be greater "
                f"than low, and for each number: {_allowed(self.low, self.high)}"
            )
        return low, end


def as_int(what: str, value: Any) -> int:
    """An int that is not a bool; TypeError otherwise."""
    if _is_bool(value) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} must be an int, not {value!r}")
    return operator.index(value)


def _as_lines(what: str, value: Any) -> tuple[str, ...]:
    """A tuple of str, none of them with a line break; None is the empty one."""
    lines = () if value is None else value
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        raise TypeError(f"{what} must be a list of str, not {value!r}")
    for i, line in enumerate(lines):
        if len(line.splitlines()) != 1:
            raise ValueError(f"{what}[{i}] is {line!r}; it must be one line that is not empty")
    return tuple(str(line) for line in lines)


def _as_arrays(what: str, value: Any) -> dict[str, Any]:
    """A dict of arrays of float64 with at least one axis; None is the empty one."""
    given = {} if value is None else value
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"{what} must be a dict of arrays by name, not {value!r}")
    arrays = {}
    for name, numbers in given.items():
        try:
            array = np.array(numbers, np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{what}[{name!r}] must be an array of numbers: {error}") from None
        if array.ndim == 0:
            raise ValueError(f"{what}[{name!r}] is one number; it must have a row for each env")
        if array.size > _MAX_INT:
            raise ValueError(f"{what}[{name!r}] has {array.size} numbers; {_MAX_INT} are allowed")
        if np.isnan(array).any():
            raise ValueError(f"{what}[{name!r}] has NaNs")
        array.setflags(write=False)
        arrays[name] = array
    return arrays


def as_float(what: str, value: Any) -> float:
    """A float of any number that is not a bool; TypeError otherwise."""
    if _is_bool(value) or isinstance(value, str) or not hasattr(value, "__float__"):
        raise TypeError(f"{what} must be a number, not {value!r}")
    return float(value)


def nearest(name: str, known: Iterable[str]) -> str:
    """'; did you mean ...?' with the names nearest to `name`; empty if none is near."""
    by_lower = {k.lower(): k for k in sorted(known)}
    near: Sequence[str] = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    return f"; did you mean {', '.join(by_lower[n] for n in near)}?" if near else ""


def suggest(name: str, known: Iterable[str]) -> str:
    """'; did you mean ...?' with the names nearest to `name`, or all if none is near."""
    if near := nearest(name, known):
        return near
    names = sorted(known, key=str.lower)
    if len(names) <= 40:
        return f"; there are {', '.join(names)}"
    return "; parallel_pool.list_all_envs() names all"


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def _allowed(low: float, high: float) -> str:
    if low == high:
        return f"only {low:g} is allowed"
    if high >= _MAX_INT - 1:
        return f"it must be at least {low:g}"
    if low == -math.inf:
        return f"it must be at most {high:g}"
    return f"it must be between {low:g} and {high:g}"
