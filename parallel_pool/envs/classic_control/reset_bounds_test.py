"""The options of reset(options=...) of these envs; they hold for one reset."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.gymnasium_parity import compare


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("CartPole-v1", {"low": -0.2, "high": 0.1}),
        ("CartPole-v1", {"high": 0}),
        ("MountainCar-v0", {"low": -0.9, "high": 0.4}),
        ("MountainCarContinuous-v0", {"low": -1.1}),
        ("Pendulum-v1", {"x_init": np.pi / 2, "y_init": 0.5}),
        ("Pendulum-v1", {"y_init": 9}),
    ],
    ids=str,
)
def test_equals_gymnasium(task_id: str, options: dict[str, Any]) -> None:
    # Long enough for later resets without options.
    compare(task_id, lambda: gymnasium.make(task_id), 7, first_reset=options, steps=1100)


@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "dm"])
def test_a_reset_of_some_envs(env_type: Any) -> None:
    with parallel_pool.make("CartPole-v1", env_type, num_envs=3) as pool:
        pool.reset()
        pool.reset(np.array([1]), options={"low": 1.0, "high": 1.0})
        result: Any = pool.step(np.zeros(3, int))
        obs = result.observation.obs if env_type == "dm" else result[0]
        assert obs[1, 2] > 0.9
        assert (np.abs(obs[[0, 2], 2]) < 0.2).all()


def test_masked_envs_begin_without_options() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2, autoreset_mode="disabled") as pool:
        before, _ = pool.reset()
        options = {"reset_mask": np.array([True, False]), "low": 1.0, "high": 1.0}
        obs, _ = pool.reset(options=options)
        assert obs[0].tolist() == [1] * 4
        np.testing.assert_array_equal(obs[1], before[1])
        again, _ = pool.reset()
        assert (np.abs(again) < 0.05).all()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"low": 1}, ValueError, "low is 1.000000 and high is 0.050000"),
        ({"high": float("inf")}, ValueError, "must be finite"),
        ({"low": "a"}, TypeError, "low must be a number, not 'a'"),
        ({"lo": 1}, ValueError, "unknown reset option 'lo'; did you mean low"),
        ({"low": float("nan")}, ValueError, "low is nan"),
    ],
)
def test_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2) as pool:
        pool.reset(seed=3)
        obs = pool.step([0, 0])[0]
        with pytest.raises(error, match=words):
            pool.reset(seed=4, options=options)
        pool.step([0, 0])
        with parallel_pool.make("CartPole-v1", num_envs=2) as other:
            other.reset(seed=3)
            np.testing.assert_array_equal(other.step([0, 0])[0], obs)
            other.step([0, 0])
            np.testing.assert_array_equal(other.step([1, 1])[0], pool.step([1, 1])[0])


def test_a_spec_tells() -> None:
    assert "reset option x_init=3.14" in str(parallel_pool.make_spec("Pendulum-v1"))
