"""RandomState draws the same numbers as numpy.random.RandomState, compared by ==."""

import ctypes
import pathlib

import numpy as np
import pytest

_lib = ctypes.CDLL(str(pathlib.Path("parallel_pool/core/random_capi.so").resolve()))
_lib.state_new.restype = _lib.state_copy.restype = ctypes.c_void_p
_lib.state_random.restype = _lib.state_uniform.restype = ctypes.c_double
_lib.state_normal.restype = ctypes.c_double
_lib.state_integer.restype = ctypes.c_uint32

SEEDS = [0, 1, 42, 2**31, 2**32 - 1, 2**32, 12345678901234567, 2**64 - 1]
SIZES = [1, 2, 3, 4, 5, 64, 1000003, 2**31, 2**32 - 1, 2**32]
CHANCES = np.array([0.1, 0.1, 1 - 0.1 - 0.1])


class RandomState:
    handle: ctypes.c_void_p

    def __init__(self, seed: int = 0, copy_of: "RandomState | None" = None) -> None:
        made = _lib.state_new(ctypes.c_uint64(seed))
        if copy_of is not None:
            _lib.state_delete(ctypes.c_void_p(made))
            made = _lib.state_copy(copy_of.handle)
        self.handle = ctypes.c_void_p(made)

    def __del__(self) -> None:
        _lib.state_delete(self.handle)

    def random(self) -> float:
        return float(_lib.state_random(self.handle))

    def uniform(self, low: float, high: float) -> float:
        return float(_lib.state_uniform(self.handle, ctypes.c_double(low), ctypes.c_double(high)))

    def normal(self) -> float:
        return float(_lib.state_normal(self.handle))

    def integer(self, n: int) -> int:
        return int(_lib.state_integer(self.handle, ctypes.c_uint64(n)))

    def choice(self, p: np.ndarray) -> int:
        return int(_lib.state_choice(self.handle, (ctypes.c_double * 3)(*p)))


def reference(seed: int) -> np.random.RandomState:
    """NumPy's; it takes numbers of more than 32 bits as a list of words."""
    return np.random.RandomState(seed if seed < 2**32 else [seed % 2**32, seed >> 32])


def assert_same_draws(ours: RandomState, theirs: np.random.RandomState, rounds: int) -> None:
    for round_ in range(rounds):
        assert ours.random() == theirs.random_sample()
        assert ours.uniform(-0.05, 0.37) == theirs.uniform(-0.05, 0.37)
        for _ in range(round_ % 4):  # also odd numbers of normal ones, so that one is kept
            assert ours.normal() == theirs.randn()
        n = SIZES[round_ % len(SIZES)]
        assert ours.integer(n) == theirs.randint(n)
        assert ours.choice(CHANCES) == theirs.choice(3, p=CHANCES)


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_numpy_in_any_order_of_calls(seed: int) -> None:
    assert_same_draws(RandomState(seed), reference(seed), 2000)


def test_arrays_are_numbers_in_order() -> None:
    ours, theirs = RandomState(7), reference(7)
    low, high = np.array([-1.0, 0.0, 2.0]), np.array([1.0, 5.0, 2.0])
    for _ in range(100):
        expected = theirs.uniform(low, high)
        assert [ours.uniform(a, b) for a, b in zip(low, high, strict=True)] == expected.tolist()
        assert [ours.normal() for _ in range(5)] == theirs.randn(5).tolist()


def test_a_saved_state_continues_with_its_kept_normal_number() -> None:
    ours, theirs = RandomState(3), reference(3)
    assert ours.normal() == theirs.randn()
    assert_same_draws(RandomState(copy_of=ours), theirs, 500)


def test_another_seed_gives_other_numbers() -> None:
    first = {RandomState(seed).random() for seed in [*SEEDS, 2**33, 2**32 + 1]}
    assert len(first) == len(SEEDS) + 2
