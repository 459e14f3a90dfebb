"""Tests of trees: what walks of them keep."""

import numpy as np

from parallel_pool.python.arrays import trees

ORDERED = {"b": 1, "a": (2, {"c": 3})}
NAMED = trees.to_namedtuple("Pair", {"left": 4, "right": {"d": 5}})


def test_a_mapped_tree_has_the_form_of_the_first() -> None:
    assert trees.map_leaves(lambda x: -x, ORDERED) == {"b": -1, "a": (-2, {"c": -3})}
    assert list(trees.map_leaves(str, ORDERED)) == ["b", "a"]
    named = trees.map_leaves(lambda x, y: x + y, NAMED, NAMED)
    assert type(named) is type(NAMED) and named == (8, {"d": 10})
    assert trees.map_leaves(abs, -1) == 1


def test_other_dicts_may_have_more_keys() -> None:
    assert trees.map_leaves(lambda x, y: x * y, {"a": 2}, {"a": 3, "more": 1}) == {"a": 6}


def test_leaves_have_their_paths() -> None:
    assert list(trees.leaves(ORDERED)) == [(("b",), 1), (("a", 0), 2), (("a", 1, "c"), 3)]
    assert list(trees.leaves(NAMED)) == [(("left",), 4), (("right", "d"), 5)]
    assert list(trees.leaves(7)) == [((), 7)]
    assert trees.flatten(ORDERED) == {"b": 1, "a.0": 2, "a.1.c": 3}
    assert trees.flatten(NAMED, "pair") == {"pair.left": 4, "pair.right.d": 5}
    assert trees.flatten(7, "seven") == {"seven": 7}


def test_rows_are_taken_and_put() -> None:
    a, b = np.arange(4), np.zeros((4, 2))
    tree = {"a": a, "b": (b,)}
    assert trees.take_rows(tree, 2)["a"] == 2
    assert trees.take_rows(tree, [0, 1])["b"][0].shape == (2, 2)
    trees.put_rows(tree, a > 1, {"a": 7, "b": (8,)})
    assert a.tolist() == [0, 1, 7, 7] and b[:, 0].tolist() == [0, 0, 8, 8]
