"""Same names the task, the seed, the step, the env, the array and the element."""

from typing import Any

import numpy as np
import pytest

from parallel_pool.testing.same import Same

SAME = Same("Taxi-v3 rainy", 7, step=3)
ZEROS = np.zeros((4, 2, 3))
WHERE = r"^Taxi-v3 rainy, seed 7, step 3: "


def changed(**values: float) -> Any:
    array = ZEROS.copy()
    for place, value in values.items():
        array[tuple(map(int, place[1:]))] = value
    return array


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        (changed(_312=2.5), ZEROS, r"obs\[1, 2\] of env 3 is 2.5; the reference has 0.0 \(1 of 24"),
        (ZEROS, changed(_201=1, _312=1), r"obs\[0, 1\] of env 2 is 0.0; .* has 1.0 \(2 of 24 el"),
        (ZEROS[:, 0], ZEROS, r"obs is float64\[4, 3\]; the reference has float64\[4, 2, 3\]$"),
        (np.zeros(2), np.array([0, np.nan]), r"obs of env 1 is 0.0; the reference has nan \(1 of"),
        (["up"], ["down"], r"obs of env 0 is up; the reference has down"),
    ],
)
def test_rows(ours: Any, theirs: Any, words: str) -> None:
    SAME.rows("obs", ours, ours)
    SAME.rows("obs", theirs, theirs)  # also with NaN
    with pytest.raises(AssertionError, match=WHERE + words):
        SAME.rows("obs", ours, theirs)


def test_the_envs_of_rows() -> None:
    with pytest.raises(AssertionError, match=WHERE + "reward of env 9 is 1; .* has 2"):
        SAME.rows("reward", [0, 1], [0, 2], envs=[5, 9])


def test_a_row() -> None:
    SAME.row("obs", np.int32(3), 3)
    SAME.row("obs", np.arange(3), np.arange(3))
    with pytest.raises(AssertionError, match=WHERE + r"obs\[1\] of env 5 is 1; .* has 0"):
        SAME.row("obs", np.arange(2), np.zeros(2, int), env=5)
    with pytest.raises(AssertionError, match=WHERE + r"obs's shape of env 5 is \(2,\); .* \(1, 2"):
        SAME.row("obs", np.zeros(2), np.zeros((1, 2)), env=5)
    with pytest.raises(AssertionError, match=WHERE + "obs's dtype of env 0 is float32; .* float64"):
        SAME.row("obs", np.zeros(2, np.float32), np.zeros(2))
