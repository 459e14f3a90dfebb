"""terrain.h equals SciPy and NumPy, bit for bit. Bazel runs it twice, as parity_test.py."""

import ctypes
import pathlib

import numpy as np
import pytest
from scipy import ndimage

_lib = ctypes.CDLL(
    str(pathlib.Path("parallel_pool/envs/mujoco/dm_control/terrain_capi.so").resolve())
)


@pytest.mark.parametrize("seed", range(20))
def test_equals_scipy(seed: int) -> None:
    bumps = np.random.default_rng(seed).uniform(0.15, 1, (30, 30))
    x, y = np.ogrid[-1:1:201j, -1:1:201j]
    bowl = 0.5 - np.cos(2 * np.pi * np.clip(np.sqrt(x**2 + y**2), 0.04, 1)) / 2
    wanted = (bowl * ndimage.zoom(bumps, 6.7)).astype(np.float32)
    found = np.zeros((201, 201), np.float32)
    _lib.fill_terrain(*(ctypes.c_void_p(array.ctypes.data) for array in (bumps, found)))
    assert np.array_equal(found, wanted)
