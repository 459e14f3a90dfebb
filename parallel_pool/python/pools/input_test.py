"""Actions and env ids that a pool accepts or refuses, and that it continues after that."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401

ZEROS = np.zeros(4, dtype=int)


@pytest.mark.parametrize(
    ("action", "env_id", "error", "words"),
    [
        (ZEROS, [0, 1, 2, 99999], ValueError, r"env_id\[3\] = 99999: .* 0 to 3"),
        (ZEROS[:1], [-1], ValueError, r"env_id\[0\] = -1: "),
        (ZEROS[:1], [2**40], ValueError, r"env_id\[0\] = 1099511627776: "),
        (ZEROS[:2], [1, 1], ValueError, r"env_id\[1\] = 1 occurs twice"),
        (ZEROS, [[0, 1, 2, 3]], ValueError, r"env_id has shape \(1, 4\)"),
        (ZEROS[0], [[0]], ValueError, r"env_id has shape \(1, 1\); it must be an integer, or have"),
        (ZEROS, ["0"] * 4, TypeError, "env_id has dtype <U1"),
        (ZEROS, [0.0, 1, 2, 3], TypeError, "env_id has dtype float64"),
        (ZEROS[:2], [True, False], TypeError, "env_id has dtype bool"),
        ([], [], ValueError, "env_id is empty"),
        (0, None, ValueError, r"action has shape \(\); it must be \(4,\)"),
        (ZEROS[:3], None, ValueError, r"action has shape \(3,\); it must be \(4,\)"),
        (ZEROS[:, None], None, ValueError, r"action has shape \(4, 1\)"),
        (ZEROS, [0, 1], ValueError, r"action has shape \(4,\); it must be \(2,\)"),
        (ZEROS + 0.5, None, ValueError, r"action\[0\] is 0.5; allowed are the integers 0 to 1"),
        (ZEROS * np.nan, None, ValueError, r"action\[0\] is nan"),
        ([0, 1, 7, 9], None, ValueError, r"action\[2\] is 7; allowed are the integers 0 to 1"),
        (ZEROS - 1, None, ValueError, r"action\[0\] is -1"),
        ([0, [1], 2, 3], None, ValueError, "action is no array"),
        (["a"] * 4, None, TypeError, "action has dtype <U1"),
        (ZEROS.astype(complex), None, TypeError, "action has dtype complex128"),
        (None, None, ValueError, r"action has shape \(\)"),
        ({"push": ZEROS}, None, ValueError, "unknown array 'push'"),
    ],
)
def test_refuses_bad_input_and_goes_on(
    action: Any, env_id: Any, error: type[Exception], words: str
) -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4) as pool:
        pool.reset()
        for _ in range(99):
            pool.step(ZEROS)
        with pytest.raises(error, match=words):
            pool.step(action, env_id)
        before = pool.step(ZEROS)
        assert before[4]["env_id"].tolist() == [0, 1, 2, 3]


def test_a_refused_step_changes_nothing() -> None:
    ours, theirs = (parallel_pool.make("CartPole-v1", num_envs=2) for _ in range(2))
    ours.reset(), theirs.reset()
    for step in range(50):
        with pytest.raises(ValueError, match="is 5"):
            ours.step([1, 5])
        action = [step % 2, 1 - step % 2]
        np.testing.assert_array_equal(ours.step(action)[0], theirs.step(action)[0])


@pytest.mark.parametrize(
    "action",
    [
        [1, 0, 1, 0],
        (1, 0, 1, 0),
        np.array([1, 0, 1, 0], np.int8),
        np.array([1, 0, 1, 0], np.uint64),
        np.array([1, 0, 1, 0], ">i4"),
        np.array([1, 0, 1, 0], np.float16),
        np.array([True, False, True, False]),
        np.array([1, 9, 0, 9, 1, 9, 0, 9])[::2],
        {"action": np.array([1, 0, 1, 0])},
    ],
)
def test_takes_what_converts_without_loss(action: Any) -> None:
    ours, theirs = (parallel_pool.make("CartPole-v1", num_envs=4) for _ in range(2))
    ours.reset(), theirs.reset()
    wanted = theirs.step(np.array([1, 0, 1, 0], np.int32))[0]
    np.testing.assert_array_equal(ours.step(action)[0], wanted)


def test_dict_actions_are_checked_by_name() -> None:
    action: dict[str, Any] = {
        "choice": [2],
        "motor": {"force": [[0.5, 0, 1]], "exact": np.ones((1, 2, 2))},
        "byte": [9],
        "wide": [[2**50, -5]],
    }
    with parallel_pool.make("Echo-v0", gain=2.0) as pool:
        pool.reset()
        changes: list[tuple[dict[str, Any], type[Exception], str]] = [
            ({"motor": {"force": [[0, 0, 0]]}}, ValueError, "no array motor.exact"),
            ({"byte": [10]}, ValueError, r"byte\[0\] is 10; allowed are the integers 0 to 9"),
            ({"wide": [[0, 6]]}, ValueError, r"wide\[0\] \(element 1\) is 6"),
            ({"wide": np.array([[0, 2**64 - 3]], np.uint64)}, ValueError, r"\(element 1\) is 1.8"),
            ({"choice": [np.inf]}, ValueError, r"choice\[0\] is inf"),
            ({"extra": [1]}, ValueError, "unknown array 'extra'"),
        ]
        for change, error, words in changes:
            with pytest.raises(error, match=words):
                pool.step({**action, **change})
        with pytest.raises(TypeError, match="action must be a dict"):
            pool.step([1])
        obs, *_, info = pool.step(action)
        np.testing.assert_array_equal(obs["motor"]["force"], [[1, 0, 2]])
        np.testing.assert_array_equal(obs["wide"], [[2**50, -5]])
        np.testing.assert_array_equal(info["paint"]["color"], [[255, 0, 0]])
