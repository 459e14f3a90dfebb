"""Spaces with parts: a Dict, and a Tuple, which is a dict with the keys "item_0", "item_1", ..."""

from typing import Any

from gymnasium import spaces

from parallel_pool.python.arrays.array_names import item_name


def children_of(space: Any) -> dict[str, Any] | None:
    """The parts of a Dict or Tuple by their names; None of another space."""
    if isinstance(space, spaces.Dict):
        return dict(space.spaces)
    if isinstance(space, spaces.Tuple):
        return {item_name(i): child for i, child in enumerate(space.spaces)}
    return None


def has_tuples(space: Any) -> bool:
    """Whether a Tuple is anywhere in the space."""
    children = children_of(space) or {}
    return isinstance(space, spaces.Tuple) or any(map(has_tuples, children.values()))


def without_tuples(space: Any, tree: Any) -> Any:
    """A batch of actions as a nested dict of arrays: where the space has a Tuple, a dict."""
    children = children_of(space)
    if children is None:
        return tree
    if isinstance(space, spaces.Tuple) and isinstance(tree, tuple | list):
        tree = {item_name(i): item for i, item in enumerate(tree)}
    if not isinstance(tree, dict):
        return tree
    return {
        key: without_tuples(children[key], item) if key in children else item
        for key, item in tree.items()
    }
