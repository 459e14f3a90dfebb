"""reward_dtype: the dtype of rewards in all three APIs."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401

THIRD = 1 / 3  # differs as float32


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("env_type", ["gym", "gymnasium"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rewards_have_the_dtype(env_type: Any, dtype: Any, mode: str) -> None:
    options = {"autoreset_mode": mode, "reward_dtype": dtype}
    with parallel_pool.make("Herd-v0", env_type, num_envs=2, **options) as pool:
        pool.reset()
        assert pool.config["reward_dtype"] == dtype
        _, reward, *_ = pool.step([1, 2])
        assert reward.dtype == dtype
        np.testing.assert_array_equal(reward, np.array([THIRD, 2 * THIRD], dtype))
        pool.send([1, 0], [1, 0])
        np.testing.assert_array_equal(pool.recv()[1], np.array([1, THIRD], dtype))


def test_the_default_is_float32() -> None:
    assert parallel_pool.make_spec("CartPole-v1").config["reward_dtype"] == "float32"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dm_env(dtype: Any) -> None:
    with parallel_pool.make_dm("Herd-v0", reward_dtype=dtype) as pool:
        assert pool.reset().reward.dtype == dtype
        step = pool.step([1])
        np.testing.assert_array_equal(step.reward, np.array([THIRD], dtype))
        pool.reward_spec().validate(step.reward[0])
        assert pool.reward_spec().dtype == dtype


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_out_has_the_dtype(dtype: Any) -> None:
    other = "float64" if dtype == "float32" else "float32"
    with parallel_pool.make("Herd-v0", num_envs=2, reward_dtype=dtype) as pool:
        pool.reset()
        out = {"reward": np.empty(2, dtype)}
        pool.step([1, 0], out=out)
        np.testing.assert_array_equal(out["reward"], np.array([THIRD, 0], dtype))
        with pytest.raises(TypeError, match=f"is of {other}; it must be of {dtype}"):
            pool.step([1, 0], out={"reward": np.empty(2, other)})


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_failed_env_has_none(dtype: Any) -> None:
    with parallel_pool.make("Herd-v0", num_envs=2, reward_dtype=dtype) as pool:
        pool.reset()
        with pytest.raises(parallel_pool.EnvError) as failed:
            pool.step([-1, 1])
        np.testing.assert_array_equal(failed.value.result[1], np.array([0, THIRD], dtype))


def test_async_pools() -> None:
    with parallel_pool.make(
        "Herd-v0", num_envs=4, batch_size=2, num_threads=2, reward_dtype="float64"
    ) as pool:
        pool.async_reset()
        for _ in range(2):
            pool.send(np.ones(2, int), pool.recv()[4]["env_id"])
        for _ in range(2):
            np.testing.assert_array_equal(pool.recv()[1], [THIRD, THIRD])


@pytest.mark.parametrize(
    ("task", "dtype", "error", "words"),
    [
        ("CartPole-v1", "float16", ValueError, "allowed are 'float32', 'float64'; did you mean"),
        ("CartPole-v1", np.float64, TypeError, "reward_dtype must be a str"),
    ],
)
def test_refused(task: str, dtype: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parallel_pool.make(task, reward_dtype=dtype)
