"""A comparison of two results of pools."""

from typing import Any

from parallel_pool.python.check.difference import first_difference


def same(a: Any, b: Any, where: str = "") -> None:
    """Asserts that nested lists, tuples and dicts of arrays are equal, with dtypes and shapes."""
    found = first_difference(_as_tuples(a), _as_tuples(b), where, with_dtypes=True)
    assert found is None, str(found)


def _as_tuples(tree: Any) -> Any:
    """The tree with tuples in the place of lists, which would be arrays."""
    if isinstance(tree, dict):
        return {key: _as_tuples(part) for key, part in tree.items()}
    if isinstance(tree, list | tuple):
        return tuple(map(_as_tuples, tree))
    return tree
