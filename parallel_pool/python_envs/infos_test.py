"""Infos of envs whose types differ: an array has NumPy's common type, so that no value is cut."""

import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import parallel_pool
from parallel_pool.python_envs.infos import stack

WORKERS = [0] if sys.platform == "win32" else [0, 1, 2]


class Telling(gymnasium.Env[Any, Any]):
    """Tells what it was given; its episodes have two steps."""

    observation_space = spaces.Discrete(9)
    action_space = spaces.Discrete(2)

    def __init__(self, told: Any) -> None:
        self.told, self.steps = told, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.steps = 0
        return 1, {"told": self.told}

    def step(self, action: Any) -> Any:
        self.steps += 1
        return 1, 0.0, self.steps == 2, False, {"told": self.told, "in": {"told": self.told}}


# The infos of two envs, and the array of both.
TOLD: list[tuple[Any, Any, Any]] = [
    (0, 0.75, np.array([0.0, 0.75])),
    (True, 3, np.array([1, 3])),
    (False, 0.5, np.array([0.0, 0.5])),
    (np.True_, 3, np.array([1, 3])),
    (np.True_, False, np.array([True, False])),
    (np.uint8(200), np.int8(-1), np.array([200, -1], np.int16)),
    (np.float32(0.1), 0.1, np.array([np.float32(0.1), 0.1], np.float64)),
    (np.int32(7), 2**40, np.array([7, 2**40])),
    (1, np.array(2.5), np.array([1, 2.5])),
    (1, 1 + 2j, np.array([1, 1 + 2j], object)),
    (1, np.complex64(1 + 2j), np.array([1, 1 + 2j], np.complex128)),
    (1, 2**70, np.array([1, 2**70], object)),
    (1, "1", np.array([1, "1"], object)),
    (0.5, None, np.array([0.5, None], object)),
    (np.array([1, 2]), np.array([0.5, 0.25]), np.array([[1, 2], [0.5, 0.25]])),
    (np.array("ab"), np.array("abcd"), np.array(["ab", "abcd"])),
]


def is_same(a: Any, b: Any) -> bool:
    is_equal = a.tolist() == b.tolist() and list(map(type, a)) == list(map(type, b))
    return a.dtype == b.dtype and a.shape == b.shape and is_equal


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize(("one", "other", "both"), TOLD)
def test_no_info_is_cut_to_the_type_of_another_env(
    one: Any, other: Any, both: Any, workers: int
) -> None:
    makers = [lambda: Telling(one), lambda: Telling(other)]
    for order in (1, -1):
        with parallel_pool.make_python(
            makers[::order], num_workers=workers, autoreset_mode="same_step"
        ) as pool:
            infos = [pool.reset()[1]]
            infos += [pool.step([0, 0])[4] for _ in range(2)]
            infos.append(infos[-1]["final_info"])
        wanted = both[::order]
        for info in infos:
            assert is_same(info["told"], wanted)
            assert info["_told"].all()
        assert is_same(infos[1]["in"]["told"], wanted)


def test_arrays_of_different_shapes_are_objects() -> None:
    row = stack([{"x": np.zeros(3)}, {"x": np.ones(1)}, {}])["x"]
    assert row.dtype == object
    assert [value.tolist() for value in row[:2]] == [[0, 0, 0], [1]]
    assert row[2] is None


def test_only_the_rows_that_have_an_info_decide() -> None:
    info = stack([{"x": 1}, {}, {"x": 0.5}])
    assert is_same(info["x"], np.array([1, 0, 0.5]))
    assert info["_x"].tolist() == [True, False, True]


def test_gymnasium_takes_the_first_type() -> None:
    """The documentation says that these differ; where all types agree, they are equal."""
    for one, other in ((0, 0.75), (1.0, 2.5)):
        makers = [lambda one=one: Telling(one), lambda other=other: Telling(other)]
        peer = SyncVectorEnv(makers, autoreset_mode=AutoresetMode.NEXT_STEP)
        theirs = peer.reset()[1]["told"]
        with parallel_pool.make_python(makers, num_workers=0) as pool:
            ours = pool.reset()[1]["told"]
        assert (theirs.tolist() == [0, 0]) == (ours.tolist() == [0, 0.75])
        assert (theirs.dtype == ours.dtype) == (type(one) is type(other))
        peer.close()
