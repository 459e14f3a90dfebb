"""Dicts of options."""

import re
from typing import Any

import pytest

from parallel_pool.python.options.nested import without_dicts

NAMES = ("lanes", "view.type", "view.size", "view.grid.step", "viewers", "ranges")


def flat(**given: Any) -> dict[str, Any]:
    return without_dicts("Road-v0", given, NAMES)


def test_a_dict_becomes_options_with_dots() -> None:
    given = {"view": {"type": "grid", "grid": {"step": 2}}, "lanes": 3, "view.size": 4}
    assert without_dicts("Road-v0", given, NAMES) == {
        "view.type": "grid",
        "view.grid.step": 2,
        "lanes": 3,
        "view.size": 4,
    }


def test_other_dicts_stay() -> None:
    assert flat(ranges={"x": [0, 1]}, num={"a": 1}) == {"ranges": {"x": [0, 1]}, "num": {"a": 1}}


def test_an_unknown_key_becomes_an_unknown_option() -> None:
    assert flat(view={"colour": 1}) == {"view.colour": 1}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"view": 3}, "view must be a dict with keys of grid.step, size, type, not 3"),
        ({"view": {1: 2}}, "view has the key 1; keys must be str"),
        ({"view": {"size": 1}, "view.size": 2}, "view.size is given twice, once in a dict"),
    ],
)
def test_bad_dicts_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=re.escape(f"Road-v0: {words}")):
        without_dicts("Road-v0", given, NAMES)
