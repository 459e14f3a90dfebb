"""The pictures of all cells equal minigrid's by ==."""

import ctypes
import pathlib
from typing import Any

import numpy as np
import pytest
from minigrid.core import world_object
from minigrid.core.grid import Grid

from parallel_pool.testing.form import by_form

_lib = ctypes.CDLL(str(pathlib.Path(__file__).with_name("tiles_capi.so")))
_lib.tile.restype = ctypes.POINTER(ctypes.c_uint8)
_lib.tile.argtypes = [ctypes.c_int] * 4 + [ctypes.c_bool]

COLORS = ("red", "green", "blue", "purple", "yellow", "grey")
KINDS: dict[int, Any] = {
    1: lambda color: None,
    2: world_object.Wall,
    3: world_object.Floor,
    4: lambda color: world_object.Door(color, is_open=True),
    5: world_object.Key,
    6: world_object.Ball,
    7: world_object.Box,
    8: world_object.Goal,
    9: lambda color: world_object.Lava(),
    11: world_object.Door,
    12: lambda color: world_object.Door(color, is_locked=True),
}
MAY_HAVE_AGENT = (1, 3, 4, 5, 6, 7, 8, 9)
# At 6 pixels, and at few other sizes, a mean of 9 pixels at once has other last bits.
SIZES = by_form((1, 3, 6, 8), (1, 2, 3, 5, 6, 7, 8, 13, 16, 24, 32, 40))


@pytest.mark.parametrize("pixels", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_equals_minigrid(kind: int, pixels: int) -> None:
    for color, name in enumerate(COLORS):
        for direction in range(-1, 4 if kind in MAY_HAVE_AGENT else 0):
            for is_lit in (False, True):
                # The reference's cache has no color where an object's encoding has none.
                Grid.tile_cache.clear()
                cell = KINDS[kind](name)
                agent = None if direction < 0 else direction
                picture = Grid.render_tile(cell, agent, is_lit, pixels).astype(np.uint8)
                found = np.ctypeslib.as_array(
                    _lib.tile(pixels, kind, color, direction, is_lit), picture.shape
                )
                np.testing.assert_array_equal(found, picture, strict=True)
