"""numpy_math.h equals NumPy, bit for bit.

Bazel runs it twice: with NumPy as it is for this processor, and with NumPy at its baseline.
"""

import ctypes
import pathlib
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]

_lib = ctypes.CDLL(
    str(pathlib.Path("parallel_pool/envs/mujoco/engine/numpy_math_capi.so").resolve())
)
for _name in ("sum_of_squares_double", "sum", "dot", "weighted_sum", "norm", "square"):
    getattr(_lib, _name).restype = ctypes.c_double
_lib.sum_of_squares_float.restype = ctypes.c_float

LENGTHS = [*range(20), 84, 127, 128, 129, 136, 255, 256, 257, 1000, 5001]


def call(name: str, x: Array) -> float:
    """Calls a C function of an array."""
    pointer = x.ctypes.data_as(ctypes.c_void_p)
    return float(getattr(_lib, name)(pointer, ctypes.c_size_t(x.size)))


@pytest.mark.parametrize("n", LENGTHS)
def test_sums(n: int) -> None:
    random = np.random.default_rng(n)
    for _ in range(100):
        x = random.normal(size=n) * 10.0 ** random.integers(-3, 4)
        assert call("sum", x) == np.sum(x)
        assert call("sum_of_squares_double", x) == np.sum(np.square(x))
        single = x.astype(np.float32)
        assert call("sum_of_squares_float", single) == np.sum(np.square(single))


_e = 2.0**-30
# The dot product of (-1, 1 + e) and (1, 1 - e) is -e * e if it is fused, else 0.
_x, _y = np.zeros((3, 3)), np.zeros((3, 3))
_x[0], _y[:, 0] = (-1, 1 + _e, 0), (1, 1 - _e, 0)
_FUSES_DOT, _FUSES_MATMUL = _x[0].dot(_y[:, 0].copy()) != 0, np.any(_x.dot(_y))
_lib.set_fuses(ctypes.c_bool(_FUSES_DOT), ctypes.c_bool(_FUSES_MATMUL))


@pytest.mark.parametrize("n", range(1, 16))
def test_dot_and_norm(n: int) -> None:
    for x, y in np.random.default_rng(n).normal(size=(1000, 2, n)):
        assert call("norm", x) == np.linalg.norm(x)
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, y)]
        assert _lib.dot(*pointers, ctypes.c_size_t(n)) == np.dot(x, y)


def test_dot_of_a_matrix() -> None:
    random, found = np.random.default_rng(0), np.zeros(3)
    for x, m in zip(random.normal(size=(1000, 3)), random.normal(size=(1000, 3, 3)), strict=True):
        _lib.dot_matrix(*(ctypes.c_void_p(a.ctypes.data) for a in (x, m, found)))
        assert np.array_equal(found, x.dot(m))


def test_dot_of_matrices() -> None:
    found = np.zeros((3, 3))
    for a, m in np.random.default_rng(0).normal(size=(1000, 2, 3, 3)):
        _lib.dot_matrices(*(ctypes.c_void_p(x.ctypes.data) for x in (a, m, found)))
        assert np.array_equal(found, a.dot(m))


def test_weighted_sums() -> None:
    random = np.random.default_rng(0)
    for n in range(1, 33):
        for _ in range(30):
            x, m = random.normal(size=n), random.normal(size=(n, 3))
            pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, m)]
            sums = [_lib.weighted_sum(*pointers, *map(ctypes.c_size_t, (n, j))) for j in range(3)]
            assert sums == np.einsum("b,bj->j", x, m).tolist()


def test_square() -> None:
    values = np.random.default_rng(0).normal(size=20_000)
    ours = [_lib.square(ctypes.c_double(x)) for x in values]
    assert ours == [float(x**2) for x in values]
    assert ours != [float(x * x) for x in values], "a product would do"


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32, 2**64 - 1])
def test_normal(seed: int) -> None:
    ours, random = np.zeros((5000, 2)), np.random.default_rng(seed)
    _lib.draw(
        ctypes.c_uint64(seed), ours.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(len(ours))
    )
    assert ours.tolist() == [[random.standard_normal(), random.random()] for _ in ours]
