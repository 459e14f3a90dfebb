"""Families compute with the functions of the installed NumPy, compared by ==.

Bazel runs it twice: with NumPy as it is for this processor, and with NumPy at its baseline.
"""

import os
import pathlib

import numpy as np

import parallel_pool

parallel_pool.load(pathlib.Path("parallel_pool/core/testing/numpy_functions.so").resolve())
IS_BASELINE = "NPY_DISABLE_CPU_FEATURES" in os.environ
COUNT = 20_000


def observed() -> tuple[np.ndarray, np.ndarray]:
    """Numbers of all magnitudes, and the observation for each pair of them."""
    random = np.random.default_rng(0)
    numbers = random.normal(size=(COUNT, 2)) * 10.0 ** random.integers(-6, 3, size=(COUNT, 1))
    numbers[:, 0] = np.abs(numbers[:, 0])
    with parallel_pool.make("NumpyFunctions-v0", num_envs=COUNT) as env:
        env.reset()
        return numbers, env.step(numbers)[0]


def test_equals_numpy() -> None:
    numbers, found = observed()
    x, y = numbers.T
    # Also as one array, because NumPy computes many elements at once.
    assert np.array_equal(found[:, 0], np.exp(x))
    assert np.array_equal(found[:, 1], np.log1p(x))
    assert np.array_equal(found[:, 2], np.arcsinh(x))
    assert np.array_equal(found[:, 3], np.tanh(x))
    assert np.array_equal(found[:, 4], np.arctan2(y, x))
    assert np.array_equal(found[:, 10], np.log(x))
    with np.errstate(invalid="ignore", over="ignore"):  # of numbers that are no cosine
        assert np.array_equal(found[:, 11], np.arccos(y), equal_nan=True)
        assert np.array_equal(found[:, 25], np.arcsin(y), equal_nan=True)
        assert np.array_equal(found[:, 27], np.power(x, y), equal_nan=True)
    assert np.array_equal(found[:, 24], np.tan(y))
    assert np.array_equal(found[:, 26], np.arctan(y))
    assert np.array_equal(found[:, 12], np.sin(x))
    assert np.array_equal(found[:, 13], np.cos(y))
    assert found[:100, 0].tolist() == [float(np.exp(number)) for number in x[:100]]


def test_products_of_matrices_and_vectors_equal_numpys() -> None:
    given, found = observed()
    factors = np.arange(3)[:, None] + np.arange(21)
    products = [(x * factors) @ (y + np.arange(21)) for x, y in given]
    assert np.array_equal(found[:, 7:10], products)


def test_solutions_equal_numpys() -> None:
    given, found = observed()
    i, j = np.arange(6)[:, None], np.arange(4)
    differ = 0
    for (x, y), numbers in zip(given, found, strict=True):
        m = np.sin(x + i * j + y * i)
        squares = m @ m.T + np.eye(6)
        solution = np.linalg.solve(squares, m @ np.array([1, y, y * y, y * y * y]))
        assert np.array_equal(numbers[14:24], np.concatenate([solution, m.T @ solution]))
        differ += not np.array_equal(m @ m.T, np.einsum("ij,kj->ik", m, m))
    assert IS_BASELINE or differ > 0, "plain sums would do"


def test_sums_are_fused_as_numpy_fuses_them() -> None:
    _, found = observed()
    fuses_dot, fuses_matmul = found[0, 5:7]
    if IS_BASELINE:
        assert (fuses_dot, fuses_matmul) == (0, 0)
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 1000, 3))
    in_order = (x[:, 0] * y[:, 0] + x[:, 1] * y[:, 1]) + x[:, 2] * y[:, 2]
    dots = np.array([np.dot(a, b) for a, b in zip(x, y, strict=True)])
    assert bool(fuses_dot) != np.array_equal(dots, in_order)
    a, b = random.normal(size=(2, 3, 3))
    in_order = a[:, :1] * b[:1] + a[:, 1:2] * b[1:2] + a[:, 2:] * b[2:]
    assert bool(fuses_matmul) != np.array_equal(np.dot(a, b), in_order)
