"""Nested actions of any dtype, shape and value: copied exactly, or refused with nothing changed.

testing/fuzz_settings.py says how many there are, and how a failure is shortened.
"""

from collections.abc import Iterator
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401
from parallel_pool.testing.fuzz_settings import settings

ROWS = 2
# The arrays of Echo-v0's action: dtype, shape of a row, bounds of each element (integers only).
ARRAYS: dict[str, tuple[type, tuple[int, ...], Any, Any]] = {
    "choice": (np.int32, (), 0, 2),
    "motor.force": (np.float32, (3,), None, None),
    "motor.exact": (np.float64, (2, 2), None, None),
    "byte": (np.uint8, (), 0, 9),
    "wide": (np.int64, (2,), np.array([0, -5]), np.array([2**50, 5])),
}
DTYPES = [*"?bBhHiIlLqQefdg", ">i4", ">f8", "c8", "U3", "O", "M8[s]"]
VALUES = [0, 1, 2, 3, 9, 10, -1, -5, 0.5, 2**50, 2**50 + 1, 2**63, 2**64 - 1, 2**64 - 3, 1e40]
VALUES += [float("nan"), float("inf"), -float("inf")]


@st.composite
def some_array(draw: st.DrawFn, name: str) -> Any:
    """An array of any dtype, mostly of the right shape, sometimes of another one."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = draw(
        st.one_of(
            st.just((ROWS, *ARRAYS[name][1])),
            st.just((ROWS, *ARRAYS[name][1])),
            hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3),
        )
    )
    values = draw(hnp.arrays(object, shape, elements=st.sampled_from(VALUES)))
    if draw(st.booleans()):
        values = draw(hnp.arrays(object, shape, elements=st.sampled_from(VALUES[:2])))
    try:
        with np.errstate(all="ignore"):
            array = values.astype(dtype)
    except (OverflowError, ValueError):  # does not fit: let NumPy choose a dtype
        array = np.array(values.tolist())
    return draw(st.sampled_from([array, array.tolist()])) if array.dtype.kind in "biuf" else array


def expected(name: str, given: Any) -> Any:
    """The array that Echo-v0 observes, or the exceptions of which one must be raised."""
    dtype, shape, low, high = ARRAYS[name]
    array = np.asarray(given)
    if array.shape != (ROWS, *shape):
        return ValueError
    if array.dtype.kind not in "biuf":
        return TypeError
    exact = np.vectorize(int if array.dtype.kind in "biu" else np.longdouble, otypes=[object])
    if low is None:
        with np.errstate(over="ignore"):
            converted: Any = array.astype(dtype)
        return converted if np.isfinite(converted).all() else ValueError
    for value, floor, ceiling in zip(
        exact(array).reshape(-1),
        np.broadcast_to(low, array.shape).reshape(-1).tolist(),
        np.broadcast_to(high, array.shape).reshape(-1).tolist(),
        strict=True,
    ):
        if not (floor <= value <= ceiling and value == int(value)):
            return ValueError
    return array.astype(dtype)


@pytest.fixture(scope="module")
def pool() -> Iterator[Any]:
    with parallel_pool.make("Echo-v0", num_envs=ROWS, max_episode_steps=2**30) as pool:
        pool.reset()
        yield pool


@hypothesis.settings(**settings(1200))
@hypothesis.given(action=st.fixed_dictionaries({name: some_array(name) for name in ARRAYS}))
def test_takes_or_refuses(pool: Any, action: dict[str, Any]) -> None:
    wanted = {name: expected(name, array) for name, array in action.items()}
    nested = {name: array for name, array in action.items() if "." not in name}
    nested["motor"] = {"force": action["motor.force"], "exact": action["motor.exact"]}
    errors = tuple(w for w in wanted.values() if isinstance(w, type))
    if errors:
        with pytest.raises(errors, match="Echo-v0: "):
            pool.send(nested)
        with pytest.raises(RuntimeError, match="would wait forever"):
            pool.recv()
        return
    obs = pool.step(nested)[0]
    shown = {**obs, "motor.force": obs["motor"]["force"], "motor.exact": obs["motor"]["exact"]}
    for name, array in wanted.items():
        np.testing.assert_array_equal(shown[name], array)
