"""Exceptions of envs as text, with lines of code that only the user's program knows."""

from __future__ import annotations

import io
import linecache
import os
import traceback
import types
from collections.abc import Iterable
from typing import Any

import cloudpickle

# An error's text in the pool has room for about 1,000 characters.
_LONGEST_ERROR = 950
_LEAST_CAUSE = 80  # a cause with less room is left out

# The functions of this package that call an env.
_OURS = os.path.dirname(__file__)


def error_text(error: BaseException) -> str:
    """An exception, the places in the user's code that raised it, and its causes.

    It has at most _LONGEST_ERROR characters; the outermost places are left out first.
    """
    cause = _cause_of(error)
    text = _shown(error, _LONGEST_ERROR * 3 // 5 if cause is not None else _LONGEST_ERROR)
    while cause is not None and len(text) < _LONGEST_ERROR - _LEAST_CAUSE:
        text += "\nIt was caused by "
        text += _shown(cause, _LONGEST_ERROR - len(text))
        cause = _cause_of(cause)
    return text[:_LONGEST_ERROR]


def _cause_of(error: BaseException) -> BaseException | None:
    """The exception that Python's traceback would show before this one."""
    if error.__cause__ is not None or error.__suppress_context__:
        return error.__cause__
    return error.__context__


def _shown(error: BaseException, room: int) -> str:
    """One exception in at most `room` characters, unless its own text is longer."""
    text = "".join(traceback.format_exception_only(error)).strip()
    head = "\nTraceback (most recent call last):"
    left = room - len(text) - len(head) - len("\n  ...")
    places = [f for f in traceback.extract_tb(error.__traceback__) if not _is_ours(f.filename)]
    kept: list[str] = []
    for place in reversed(places):
        lines = f'\n  File "{place.filename}", line {place.lineno}, in {place.name}'
        if place.line:
            lines += f"\n    {place.line}"
        if len(lines) > left:
            kept.append("\n  ...")
            break
        left -= len(lines)
        kept.append(lines)
    return text + head + "".join(reversed(kept)) if kept else text


def _is_ours(filename: str) -> bool:
    return os.path.dirname(filename) == _OURS and not filename.endswith("_test.py")


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Keeps the names of the files that functions are from; cloudpickle drops them."""

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.files: set[str] = set()

    def reducer_override(self, obj: Any) -> Any:
        if not isinstance(obj, types.CodeType):
            return super().reducer_override(obj)
        self.files.add(obj.co_filename)
        make, args = self.dispatch_table[types.CodeType](obj)
        return make, tuple(obj.co_filename if _is_placeholder(arg) else arg for arg in args)


def _is_placeholder(argument: Any) -> bool:
    return isinstance(argument, str) and argument == "<dynamic-code>"


def pickled_with_sources(value: Any) -> tuple[bytes, dict[str, list[str]]]:
    """An object pickled by cloudpickle, and the lines of files that only this process has.

    The cells of a notebook are such files. remember_sources() makes them known to another process.
    """
    file = io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump(value)
    return file.getvalue(), _lines_of(pickler.files)


def _lines_of(files: Iterable[str]) -> dict[str, list[str]]:
    found = {name: linecache.getlines(name) for name in files if not os.path.exists(name)}
    return {name: lines for name, lines in found.items() if lines}


def remember_sources(sources: dict[str, list[str]]) -> None:
    """Lets tracebacks of this process show the lines of another process's files."""
    for name, lines in sources.items():
        linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
