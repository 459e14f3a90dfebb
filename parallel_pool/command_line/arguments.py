"""The types of arguments of the command line."""

import argparse
import ast
from typing import Any


def option(text: str) -> tuple[str, Any]:
    """Parses NAME=VALUE; the value is a Python literal, or else a str. A name may have dots."""
    name, equals, value = text.partition("=")
    if not (all(part.isidentifier() for part in name.split(".")) and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def positive(number: type[int] | type[float]) -> Any:
    """A parser of numbers above 0."""

    def parse(text: str) -> float:
        try:
            value = number(text)
        except ValueError:
            value = number(0)
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text!r} is no {number.__name__} above 0")
        return value

    return parse


def span(text: str) -> tuple[int, int]:
    """Parses FIRST:END, two numbers from 0 on."""
    first, colon, end = text.partition(":")
    if not (colon and first.isdecimal() and end.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form FIRST:END, as in 100:300")
    return int(first), int(end)


def natural(text: str) -> int:
    """Parses a number from 0 on."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 on")
    return int(text)
