"""Nested dicts of arrays and spaces, from names with dots."""

from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any


def nest(items: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A nested dict: {"a.b": x} becomes {"a": {"b": x}}."""
    tree: dict[str, Any] = {}
    for name, value in items:
        *parents, last = name.split(".")
        node = tree
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = value
    return tree


def to_namedtuple(name: str, children: dict[str, Any]) -> Any:
    """The dict as a namedtuple, with "_" in the place of spaces in its keys."""
    fields = tuple(key.replace(" ", "_") for key in children)
    return _namedtuple_type(name.replace(" ", "_"), fields)(*children.values())


_types: dict[tuple[str, tuple[str, ...]], Any] = {}


def _namedtuple_type(name: str, fields: tuple[str, ...]) -> Any:
    if (name, fields) not in _types:
        _types[name, fields] = namedtuple(name, fields)
    return _types[name, fields]


def fold(tree: Any, make: Callable[[str, dict[str, Any]], Any], name: str = "") -> Any:
    """Replaces each dict of a nested dict by make(its key, its folded children)."""
    if not isinstance(tree, dict):
        return tree
    return make(name, {key: fold(value, make, key) for key, value in tree.items()})


def fold_namedtuples(tree: dict[str, Any], name: str) -> Any:
    """A nested dict as nested namedtuples."""
    return fold(tree, to_namedtuple, name)
