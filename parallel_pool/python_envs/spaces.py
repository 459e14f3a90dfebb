"""Gymnasium's spaces as the arrays of a pool, and values of one as those of the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.arrays.tuples import children_of, has_tuples

_DTYPES = ("bool", "int8", "uint8", "int16", "int32", "int64", "float32", "float64")
# Dtypes that the engine does not have: it carries their numbers in larger ones.
_CARRIERS = {"uint16": "int32", "uint32": "int64", "float16": "float32"}
_UNKNOWN_TEXT = 1024  # bytes for a text whose space has no length, such as MiniGrid's missions


def arrays_of(space: Any, root: str, what: str) -> list[ArraySpec]:
    """The arrays of a space, in the order of flatten().

    Args:
        space: a Box, Discrete, MultiBinary, MultiDiscrete or Text, or a Dict or Tuple of such.
        root: the name of the only array: "obs" or "action". Those of a Dict or Tuple are
            "obs:camera.left" and "camera.left".
        what: "its observation_space", for errors.

    Raises:
        ValueError: another space, dtype or key; the message names it.
    """
    check_is_space(space, what)
    if children_of(space) is None:
        return [_leaf(space, root, what)]
    arrays = []
    prefix = "obs:" if root == "obs" else ""
    for path, leaf in _leaves(space, (), what):
        arrays.append(_leaf(leaf, prefix + ".".join(path), f"{what}, at {'.'.join(path)}"))
    if not arrays:
        raise ValueError(f"{what} is {space}; it has no arrays")
    return arrays


def check_is_space(space: Any, what: str) -> None:
    """Raises a ValueError that begins with `what` if `space` is no space of Gymnasium."""
    if not isinstance(space, spaces.Space):
        kind = type(space).__module__.partition(".")[0]
        hint = "; wrap the env by shimmy, which has Gymnasium's API" if kind == "gym" else ""
        raise ValueError(f"{what} is {space!r}, no space of Gymnasium{hint}")


def _leaves(
    space: Any, path: tuple[str, ...], what: str
) -> list[tuple[tuple[str, ...], spaces.Space[Any]]]:
    children = children_of(space)
    if children is None:
        return [(path, space)]
    for key in children:
        if not isinstance(key, str) or not key or "." in key or ":" in key:
            raise ValueError(f"{what} has the key {key!r}; a key must be a str without '.' and ':'")
    return [leaf for key, child in children.items() for leaf in _leaves(child, (*path, key), what)]


def _leaf(space: Any, name: str, what: str) -> ArraySpec:
    if is_text(space):
        return _text(space, name, what)
    shape = tuple(int(n) for n in space.shape or ())
    dtype = str(np.dtype(space.dtype))
    if not isinstance(
        space, spaces.Box | spaces.Discrete | spaces.MultiBinary | spaces.MultiDiscrete
    ):
        raise ValueError(
            f"{what} is {space}; allowed are Box, Discrete, MultiBinary, MultiDiscrete, Text, and "
            "Dict and Tuple of these: wrap the env by gymnasium.wrappers.TransformObservation or "
            "FilterObservation"
        )
    if dtype not in (*_DTYPES, *_CARRIERS):
        allowed = ", ".join((*_DTYPES, *_CARRIERS))
        raise ValueError(f"{what} has dtype {dtype}; allowed are {allowed}")
    if isinstance(space, spaces.Discrete):
        low, high = int(space.start), int(space.start + space.n - 1)
        return ArraySpec(name, dtype, (), "discrete", [low], [high])
    if isinstance(space, spaces.Box):
        return ArraySpec(name, dtype, shape, "box", _bounds(space.low), _bounds(space.high))
    has_one_axis = len(shape) == 1
    if isinstance(space, spaces.MultiBinary):
        return ArraySpec(name, dtype, shape, "multi_binary" if has_one_axis else "box", [0], [1])
    start = np.asarray(space.start)
    kind = "multi_discrete" if has_one_axis and not start.any() else "box"
    ends = start + np.asarray(space.nvec) - 1
    bounds = [0.0] if kind == "multi_discrete" else _bounds(start)
    return ArraySpec(name, dtype, shape, kind, bounds, ends.ravel().astype(float).tolist())


def is_text(space: Any) -> bool:
    """Whether values are of type str: of a Text, or of a space such as MiniGrid's missions."""
    dtype = getattr(space, "dtype", None)
    return dtype is not None and np.dtype(dtype).kind == "U"


def _text(space: Any, name: str, what: str) -> ArraySpec:
    """The UTF-8 bytes of a text, then zeros."""
    if not name.startswith("obs"):
        raise ValueError(f"{what} is {space}; an action cannot be a text: let it be a Discrete")
    size = _UNKNOWN_TEXT
    if isinstance(space, spaces.Text):
        most = max((len(c.encode()) for c in space.character_list), default=1)
        size = max(1, space.max_length * most)
    return ArraySpec(name, "uint8", (size,), "text", [0], [255])


def carried(array: ArraySpec) -> ArraySpec:
    """The array as the engine has it."""
    return array._replace(dtype=_CARRIERS.get(array.dtype, array.dtype))


def converter(space: Any, with_tuples: bool) -> Callable[[Any], Any] | None:
    """A function that makes of the engine's batch of `space` that of the API; None: they are equal.

    It gives arrays their own dtypes, and tuples, if `with_tuples`, where the space has them.
    """
    if not (with_tuples and has_tuples(space)) and not _has_carried(space):
        return None

    def convert(node: Any, tree: Any) -> Any:
        children = children_of(node)
        if children is None:
            return tree.astype(node.dtype) if str(node.dtype) in _CARRIERS else tree
        items = {key: convert(child, tree[key]) for key, child in children.items()}
        is_tuple = with_tuples and isinstance(node, spaces.Tuple)
        return tuple(items.values()) if is_tuple else items

    return lambda tree: convert(space, tree)


def _has_carried(space: Any) -> bool:
    """Whether the engine lacks a dtype of the space."""
    children = children_of(space)
    if children is None:
        return str(space.dtype) in _CARRIERS
    return any(map(_has_carried, children.values()))


def _bounds(array: Any) -> list[float]:
    """The numbers of an array, or the only one that it has."""
    flat = np.asarray(array, np.float64).ravel()
    if flat.size == 0:
        return [0.0]
    return flat[:1].tolist() if (flat == flat[0]).all() else flat.tolist()


def flattener(space: Any) -> Callable[[Any], list[Any]] | None:
    """A function that gives the arrays of a value of `space`; None if the value is the only one."""
    children = children_of(space)
    if children is None:
        return None
    is_tuple = isinstance(space, spaces.Tuple)
    keys: list[Any] = list(range(len(children))) if is_tuple else list(children)
    parts = [(key, flattener(child)) for key, child in zip(keys, children.values(), strict=True)]

    def flatten(value: Any) -> list[Any]:
        if is_tuple and len(value) != len(keys):
            raise ValueError(f"its observation has {len(value)} items; its space has {len(keys)}")
        arrays: list[Any] = []
        for key, inner in parts:
            try:
                item = value[key]
            except (KeyError, IndexError, TypeError):
                raise ValueError(f"its observation has no item {key!r}: {value!r:.200}") from None
            if inner is None:
                arrays.append(item)
            else:
                arrays.extend(inner(item))
        return arrays

    return flatten


def assembler(space: Any) -> Callable[[Sequence[Any]], Any] | None:
    """A function that makes a value of its arrays; None if the only array is the value."""
    if children_of(space) is None and str(space.dtype) not in _CARRIERS:
        return None

    def build(node: Any, arrays: Any) -> Any:
        children = children_of(node)
        if children is None:
            array = next(arrays)
            return array.astype(node.dtype) if str(node.dtype) in _CARRIERS else array
        if isinstance(node, spaces.Tuple):
            return tuple(build(child, arrays) for child in children.values())
        return {key: build(child, arrays) for key, child in children.items()}

    return lambda arrays: build(space, iter(arrays))
