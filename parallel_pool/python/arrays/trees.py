"""Trees: nested dicts and tuples, whose leaves are arrays, spaces or others."""

from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

Path = tuple[Any, ...]  # the keys and indices from the root to a leaf


def map_leaves(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The tree with function(leaf, ...) in the place of each leaf.

    Args:
        function: of a leaf, and of those in the same place of the other trees.
        tree: a leaf, or nested dicts, tuples and namedtuples; the result has its form.
        *others: trees that have the parts of `tree`; dicts may have more.
    """
    if isinstance(tree, dict):
        if not others:  # most calls: learners make several in each step
            return {key: map_leaves(function, part) for key, part in tree.items()}
        trees = (tree, *others)
        return {key: map_leaves(function, *[t[key] for t in trees]) for key in tree}
    if isinstance(tree, tuple):
        parts = [map_leaves(function, *same) for same in zip(tree, *others, strict=True)]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    return function(tree, *others)


def leaves(tree: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Each leaf with its path below `path`; fields of namedtuples are keys, as those of dicts."""
    if hasattr(tree, "_asdict"):
        tree = tree._asdict()
    if isinstance(tree, Mapping):
        parts: Iterable[tuple[Any, Any]] = tree.items()
    elif isinstance(tree, tuple):
        parts = enumerate(tree)
    else:
        yield path, tree
        return
    for key, part in parts:
        yield from leaves(part, (*path, key))


def flatten(tree: Any, name: str = "") -> dict[str, Any]:
    """The leaves by their paths with dots: {"a": {"b": x}} becomes {"a.b": x}.

    Args:
        tree: see map_leaves().
        name: of the tree, which begins the names of the leaves.
    """
    root = (name,) if name else ()
    return {".".join(map(str, path)): leaf for path, leaf in leaves(tree, root)}


def take_rows(tree: Any, index: Any) -> Any:
    """array[index] of each array."""
    if isinstance(tree, np.ndarray):
        return tree[index]
    return map_leaves(lambda array: array[index], tree)


def put_rows(tree: Any, index: Any, values: Any) -> None:
    """Writes the arrays of `values` to array[index] of each array."""

    def put(array: Any, value: Any) -> None:
        array[index] = value

    map_leaves(put, tree, values)


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
    """The dict as a namedtuple, with "_" in the place of spaces and slashes in its keys."""
    name, *fields = (key.replace(" ", "_").replace("/", "_") for key in (name, *children))
    return _namedtuple_type(name, tuple(fields))(*children.values())


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
