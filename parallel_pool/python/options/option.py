"""One keyword of make(): its type, allowed values and errors."""

import difflib
import math
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from parallel_pool.python.options.keys import notation_of

_MAX_INT = 2**31 - 1
_MOST_SHOWN = 8  # longer lists are shown by their length
_MOST_NAMES = 40  # of an error


@dataclass(frozen=True)
class Option:
    """One keyword of make().

    Attributes:
        name: the keyword.
        doc: one line: meaning, unit, allowed values.
        default: the value if the user does not give the keyword.
        low: the smallest number allowed.
        high: the largest number allowed.
        choices: the allowed values of a str; empty: any.
        kind: the type of the value:

            ================================  ==========================================
            kind                              what users give
            ================================  ==========================================
            "bool", "int", "float", "str"     a value of that type
            "range"                           an int n, or (low, end) for all low <= n < end
            "lines"                           a list of str, or None for the empty one
            "numbers"                         `count` floats; if 0: one, or a list of any
            "env_arrays"                      a dict of float64 arrays, one row for each env
            "int_or_str"                      the number or the name of something
            "numbers_by_name"                 a dict from a str to `count` numbers
            "numbers_by_int"                  a dict from an int to `count` numbers
            "other"                           what make() reads itself; there is no check()
            ================================  ==========================================
        count: of numbers, or of those of each key, of which one may be bare; 0: any.
    """

    name: str
    doc: str
    default: bool | int | float | str | tuple[float, ...] | tuple[str, ...] | dict[Any, Any] | None
    low: float = -math.inf
    high: float = math.inf
    choices: Sequence[str] = ()
    kind: str = "int"
    count: int = 0

    def check(self, task_id: str, value: Any, place: str = "") -> Any:
        """The value as this option's type; TypeError or ValueError if it cannot be that.

        Args:
            task_id: the task, for errors.
            value: the value.
            place: where it is in a list of values, such as "[3]", for errors.
        """
        return _CHECKS[self.kind](self, f"{task_id}: {self.name}{place}", value)

    def in_range(self, what: str, number: float) -> Any:
        """The number; ValueError if it is too small or too large."""
        if not self.low <= number <= self.high:  # also false for NaN
            raise ValueError(f"{what} is {number!r}; {_allowed(self.low, self.high, number)}")
        return number


def _check_bool(option: Option, what: str, value: Any) -> bool:
    if not _is_bool(value):
        raise TypeError(f"{what} must be True or False, not {value!r}")
    return bool(value)


def _check_int(option: Option, what: str, value: Any) -> int:
    number: int = option.in_range(what, as_int(what, value))
    return number


def _check_float(option: Option, what: str, value: Any) -> float:
    number: float = option.in_range(what, as_float(what, value))
    return number


def _check_str(option: Option, what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {value!r}")
    if option.choices and value not in option.choices:
        raise ValueError(
            f"{what} is {value!r}; allowed are {', '.join(map(repr, option.choices))}"
            + nearest(value, option.choices)
        )
    return _absolute(option.name, value)


def _absolute(name: str, value: str) -> str:
    """The value; a relative path as an absolute one.

    So a pool that is unpickled or made again in another folder finds the file. Options called
    "..._path" and "..._file" may also have the name of a file of the package.
    """
    is_path = value.startswith(("./", "../", "~/")) and name.endswith(("_path", "_file"))
    if is_path or (name.endswith("_path") and os.path.exists(value)):
        return os.path.abspath(os.path.expanduser(value))
    return value


def _check_range(option: Option, what: str, value: Any) -> int | tuple[int, int]:
    """An int, or (low, end) with at least one integer low <= n < end, each in range."""
    if not isinstance(value, tuple | list):
        return _check_int(option, what, value)
    if len(value) != 2:
        raise ValueError(f"{what} is {value!r}; it must be an int or a pair of ints")
    low, end = (as_int(f"{what}[{i}]", number) for i, number in enumerate(value))
    if not option.low <= low < end <= option.high + 1:
        raise ValueError(
            f"{what} is {value!r}; in a pair (low, end), which means low to end - 1, end must be "
            f"greater than low, and for each number: {_allowed(option.low, option.high, end)}"
        )
    return low, end


def _joined(cells: Sequence[Any]) -> str:
    """A line of cells, such as [1, "r", 0], or of words, such as ["qpos", "qvel"]."""
    texts = [str(cell) for cell in cells]
    return (" " if any(len(text) > 1 for text in texts) else "").join(texts)


def _check_lines(option: Option, what: str, value: Any) -> tuple[str, ...]:
    """A tuple of str, none of them with a line break; None is the empty one.

    A line may be a list, as in Gymnasium-Robotics: see _joined(). An entry of "actions" may be the
    code of a key, as nle's enums are: see keys.py.
    """
    lines = () if value is None else value
    if isinstance(lines, list | tuple):
        lines = [_joined(line) if isinstance(line, list | tuple) else line for line in lines]
        if option.name == "actions":
            lines = [notation_of(f"{what}[{i}]", line) for i, line in enumerate(lines)]
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        or_codes = " or of the codes of keys" if option.name == "actions" else ""
        raise TypeError(f"{what} must be a list of str{or_codes}, not {value!r}")
    for i, line in enumerate(lines):
        if len(line.splitlines()) != 1:
            raise ValueError(f"{what}[{i}] is {line!r}; it must be one line that is not empty")
    return tuple(str(line) for line in lines)


def _check_numbers(option: Option, what: str, value: Any) -> tuple[float, ...]:
    """A tuple of numbers. Where any are allowed, None is (), and one may be bare."""
    if option.count:
        return _as_floats(option, what, value, option.count)
    if isinstance(value, Real):
        return (_check_float(option, what, value),)
    return _as_floats(option, what, () if value is None else value, None)


def _as_floats(option: Option, what: str, value: Any, count: int | None) -> tuple[float, ...]:
    """A tuple of `count` numbers, or of any; a list of lists stands for all of its numbers."""
    if not isinstance(value, list | tuple) and not hasattr(value, "__array__"):
        numbers = "numbers" if count is None else f"{count} numbers"
        raise TypeError(f"{what} must be a list of {numbers}, not {value!r}")
    if all(isinstance(entry, list | tuple) for entry in value):
        value = [number for entry in value for number in entry]
    if count is not None and len(value) != count:
        raise ValueError(f"{what} is {value!r}; it must be {count} numbers")
    return tuple(_check_float(option, f"{what}[{i}]", number) for i, number in enumerate(value))


def _check_env_arrays(option: Option, what: str, value: Any) -> dict[str, Any]:
    """A dict of arrays of float64 with at least one axis; None is the empty one."""
    given = {} if value is None else value
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"{what} must be a dict of arrays by name, not {value!r}")
    return {name: _as_array(f"{what}[{name!r}]", numbers) for name, numbers in given.items()}


def _as_array(what: str, numbers: Any) -> np.ndarray[Any, Any]:
    """A read-only array of float64 with a row for each env."""
    try:
        array = np.array(numbers, np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} must be an array of numbers: {error}") from None
    if array.ndim == 0:
        raise ValueError(f"{what} is one number; it must have a row for each env")
    if array.size > _MAX_INT:
        raise ValueError(f"{what} has {array.size} numbers; {_MAX_INT} are allowed")
    if np.isnan(array).any():
        raise ValueError(f"{what} has NaNs")
    array.setflags(write=False)
    return array


def _check_int_or_str(option: Option, what: str, value: Any) -> int | str:
    return value if isinstance(value, str) else _check_int(option, what, value)


def _check_numbers_by_name(option: Option, what: str, value: Any) -> dict[str, Any]:
    """A dict from str to option.count numbers, each in range; None is the empty one."""
    given = _as_mapping(what, value)
    for key in given:
        if not isinstance(key, str):
            raise TypeError(f"{what}: a key must be a str, not {key!r}")
    return {str(key): _numbers_of(option, what, key, given[key]) for key in given}


def _check_numbers_by_int(option: Option, what: str, value: Any) -> dict[int, Any]:
    """A dict from int to option.count numbers, each in range; None is the empty one."""
    given = _as_mapping(what, value)
    return {
        as_int(f"{what}: a key", key): _numbers_of(option, what, key, given[key]) for key in given
    }


def _as_mapping(what: str, value: Any) -> Mapping[Any, Any]:
    given = {} if value is None else value
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a dict, not {value!r}")
    return given


def _numbers_of(option: Option, what: str, key: Any, value: Any) -> float | tuple[float, ...]:
    """The numbers of one key."""
    where = f"{what}[{key!r}]"
    if option.count == 1:
        return _check_float(option, where, value)
    return _as_floats(option, where, value, option.count)


# One for each kind of option; core/binding/option_values.cc has the same kinds.
_CHECKS: dict[str, Callable[[Option, str, Any], Any]] = {
    "bool": _check_bool,
    "int": _check_int,
    "float": _check_float,
    "str": _check_str,
    "range": _check_range,
    "lines": _check_lines,
    "numbers": _check_numbers,
    "env_arrays": _check_env_arrays,
    "int_or_str": _check_int_or_str,
    "numbers_by_name": _check_numbers_by_name,
    "numbers_by_int": _check_numbers_by_int,
}


def shown(value: Any) -> str:
    """A value of an option as text for people: of arrays and of long lists only the size."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {shown(item)}" for name, item in value.items()) + "}"
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    if isinstance(value, list | tuple) and len(value) > _MOST_SHOWN:
        return f"<{len(value)} values>"
    return repr(value)


def as_int(what: str, value: Any) -> int:
    """An int that is not a bool; TypeError otherwise."""
    try:
        return operator.index(_refuse_bool(value))
    except TypeError:  # an array of floats has __index__, too, and more than one number
        raise TypeError(f"{what} must be an int, not {value!r}") from None


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


def suggest(name: str, known: Iterable[str], if_many: str = "") -> str:
    """'; did you mean ...?' with the names nearest to `name`, or all if none is near.

    Args:
        name: the unknown name.
        known: all names.
        if_many: what is said instead of all names, such as a command, if they are more than 40.
    """
    if near := nearest(name, known):
        return near
    names = sorted(known, key=str.lower)
    if if_many and len(names) > _MOST_NAMES:
        return f"; {if_many}"
    return f"; there are {', '.join(names)}"


def suggest_option(task_id: str, name: str, known: Iterable[str]) -> str:
    """suggest() for the options of a task: if they are many, the command that lists them."""
    return suggest(name, known, f"`python -m parallel_pool info {task_id}` lists all options")


def unknown_option(task_id: str, name: str, hint: str) -> TypeError:
    """The error for a keyword that make() does not have.

    Some libraries, such as torchrl, leave an argument out if the error says "unexpected keyword
    argument" with its name, as Python's own does.

    Args:
        task_id: the task.
        name: the keyword.
        hint: "; did you mean ...?" or another text that follows.
    """
    return TypeError(
        f"{task_id} has no option {name!r}{hint} (unexpected keyword argument {name!r})"
    )


def _refuse_bool(value: Any) -> Any:
    if _is_bool(value) or getattr(value, "dtype", None) == np.bool_:
        raise TypeError
    return value


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def _allowed(low: float, high: float, number: float) -> str:
    """The bounds in words; the largest int of 32 bits only where `number` exceeds it."""
    if low == high:
        return f"only {low:g} is allowed"
    if low == -math.inf and high == math.inf:
        return "it must be a number"
    if high == math.inf or (high >= _MAX_INT - 1 and not number > high):
        return f"it must be at least {low:g}"
    if low == -math.inf:
        return f"it must be at most {high:g}"
    return f"it must be between {_text(low)} and {_text(high)}"


def _text(bound: float) -> str:
    """All digits of an integer."""
    return str(int(bound)) if abs(bound) < 1e15 and bound == int(bound) else f"{bound:g}"
