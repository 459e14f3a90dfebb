"""Rng draws the same numbers as numpy.random.default_rng, compared by ==."""

import ctypes
import pathlib

import numpy as np
import pytest

_lib = ctypes.CDLL(str(pathlib.Path("parallel_pool/core/random_capi.so").resolve()))
_lib.rng_new.restype = ctypes.c_void_p
_lib.rng_random.restype = ctypes.c_double
_lib.rng_uniform.restype = ctypes.c_double
_lib.rng_integers.restype = ctypes.c_int64

SEEDS = [0, 1, 42, 2**31, 2**32 - 1, 2**32, 12345678901234567, 2**64 - 1]


class Rng:
    def __init__(self, seed: int) -> None:
        self.handle = ctypes.c_void_p(_lib.rng_new(ctypes.c_uint64(seed)))

    def __del__(self) -> None:
        _lib.rng_delete(self.handle)

    def random(self) -> float:
        return float(_lib.rng_random(self.handle))

    def uniform(self, low: float, high: float) -> float:
        return float(_lib.rng_uniform(self.handle, ctypes.c_double(low), ctypes.c_double(high)))

    def integers(self, low: int, high: int) -> int:
        return int(_lib.rng_integers(self.handle, ctypes.c_int64(low), ctypes.c_int64(high)))

    def shuffle(self, x: list[int]) -> None:
        array = (ctypes.c_int64 * len(x))(*x)
        _lib.rng_shuffle(self.handle, array, ctypes.c_uint64(len(x)))
        x[:] = array

    def permutation(self, size: int) -> list[int]:
        array = (ctypes.c_int64 * size)()
        _lib.rng_permutation(self.handle, array, ctypes.c_uint64(size))
        return list(array)

    def choose(self, n: int, size: int) -> list[int]:
        array = (ctypes.c_int64 * size)()
        _lib.rng_choose(self.handle, ctypes.c_int64(n), array, ctypes.c_uint64(size))
        return list(array)


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_numpy_in_any_order_of_calls(seed: int) -> None:
    ours, theirs = Rng(seed), np.random.default_rng(seed)
    spans = [(0, 1), (0, 2), (-3, 4), (1, 31), (0, 2**31), (5, 2**32 - 1), (0, 1000003)]
    for round_ in range(300):
        assert ours.random() == theirs.random()
        assert ours.uniform(-0.05, 0.05) == theirs.uniform(-0.05, 0.05)
        low, high = spans[round_ % len(spans)]
        for _ in range(round_ % 4):
            assert ours.integers(low, high) == theirs.integers(low, high)
        size = round_ % 20
        shuffled, reference = list(range(size)), list(range(size))
        ours.shuffle(shuffled)
        theirs.shuffle(reference)
        assert shuffled == reference
        assert ours.permutation(size) == theirs.permutation(size).tolist()
        assert ours.random() == theirs.random()


@pytest.mark.parametrize("seed", SEEDS)
def test_chooses_different_integers(seed: int) -> None:
    ours, theirs = Rng(seed), np.random.default_rng(seed)
    for n, size in [(1, 0), (1, 1), (7, 7), (50, 3), (110, 19), (10000, 300), (20000, 400)]:
        for _ in range(5):
            chosen = theirs.choice(np.arange(n), size=size, replace=False)
            assert ours.choose(n, size) == chosen.tolist()
            assert ours.integers(0, 5) == theirs.integers(0, 5)


def test_another_seed_gives_other_numbers() -> None:
    assert Rng(1).random() != Rng(2).random()
