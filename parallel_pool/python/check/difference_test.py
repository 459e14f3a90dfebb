"""first_difference() of arrays and of trees."""

from typing import Any

import numpy as np
import pytest

from parallel_pool.python.check.difference import Difference, first_difference

OBS = np.arange(6, dtype=np.float32).reshape(2, 3)
TREE: dict[str, Any] = {"obs": {"left": OBS}, "info": (1, np.nan)}


def test_equal_trees_have_none() -> None:
    assert first_difference(TREE, TREE) is None
    assert first_difference(OBS, OBS.astype(float)) is None
    assert first_difference(1.0, 1.1, rtol=0.2) is None


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        ({"obs": {"left": OBS[:1]}}, Difference(name="obs.left", mine=(2, 3), reference=(1, 3))),
        ({"info": (2, np.nan)}, Difference(name="info.0", mine=1, reference=2)),
        ({"more": 3}, Difference(name="more", mine="missing", reference=3)),
    ],
)
def test_the_first_is_named(changed: dict[str, Any], difference: Difference) -> None:
    assert first_difference(TREE, TREE | changed) == difference


def test_an_element_has_an_index_and_ulps() -> None:
    other = OBS.copy()
    other[1, 1] = np.nextafter(other[1, 1], np.float32(9))
    found = first_difference(OBS, other, "obs")
    assert found is not None
    assert (found.name, found.index, found.mine, found.ulps) == ("obs", (1, 1), 4, 1)


def test_dtypes_count_if_they_are_asked_for() -> None:
    found = first_difference(OBS, OBS.astype(int), with_dtypes=True)
    assert found == Difference(name="", mine="float32", reference="int64")
