"""env_id as a plain integer: one env, in all APIs."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401


@pytest.mark.parametrize("number", [3, np.int64(3), np.uint8(3), np.array(3)])
@pytest.mark.parametrize("env_type", ["gym", "gymnasium", "dm"])
def test_one_env_is_stepped_and_reset(env_type: Any, number: Any) -> None:
    with (
        parallel_pool.make("CartPole-v1", env_type, num_envs=5) as one,
        parallel_pool.make("CartPole-v1", env_type, num_envs=5) as other,
    ):
        one.reset()
        other.reset()

        def rows(result: Any) -> Any:
            if env_type == "dm":
                return result.observation.obs
            return result[0] if isinstance(result, tuple) else result

        for action in (1, np.int32(1), [1], np.array([1])):
            obs = rows(one.step(action, number))
            assert obs.shape == (1, 4)
            np.testing.assert_array_equal(obs, rows(other.step([1], [3])))
        one.send(0, number)
        np.testing.assert_array_equal(rows(one.recv()), rows(other.step([0], [3])))
        obs = rows(one.reset(number, seed=8))
        np.testing.assert_array_equal(obs, rows(other.reset([3], seed=8)))
        assert one.save(number) == other.save([3])
        one.load(one.save(number), number)


def test_an_action_without_the_axis_of_rows() -> None:
    with parallel_pool.make("HalfCheetah-v5", num_envs=3) as pool:
        pool.reset()
        state = pool.save()
        action = np.linspace(-1, 1, 6, dtype=np.float32)
        obs = pool.step(action, 1)[0]
        pool.load(state)
        np.testing.assert_array_equal(pool.step(action[None], [1])[0], obs)
        with pytest.raises(ValueError, match=r"action has shape \(6,\); it must be \(1, 6\)"):
            pool.step(action, [1])  # a list has rows
        with pytest.raises(
            ValueError, match=r"action has shape \(5,\); it must be \(6,\), for one env"
        ):
            pool.step(action[:5], 1)


def test_a_dict_of_actions() -> None:
    with parallel_pool.make("Echo-v0", num_envs=3) as pool:
        pool.reset()
        action = {"choice": 2, "motor": {"force": np.ones(3), "exact": np.eye(2)}, "byte": 7}
        obs, *_ = pool.step({**action, "wide": [1, 2]}, 1)
        assert obs["choice"].tolist() == [2]
        assert obs["motor"]["exact"].shape == (1, 2, 2)
        obs, *_ = pool.step({**action, "wide": [1, 2], "env_id": 1})
        assert obs["byte"].tolist() == [7]


def test_rows_of_players_stay() -> None:
    with parallel_pool.make("Duo-v0", num_envs=3) as pool:
        pool.reset()
        assert pool.step([4, 5], 2)[0].tolist() == [4, 5]


def test_make_vec() -> None:
    env: Any = gymnasium.make_vec("parallel_pool/CartPole-v1", num_envs=3)
    seeds = env.np_random_seed
    env.reset(seed=1)
    env.reset(2, seed=7)
    assert env.np_random_seed == (1, 2, 7) != seeds
    env.close()


@pytest.mark.parametrize(
    ("env_id", "error", "words"),
    [
        (5, ValueError, r"env_id\[0\] = 5: there is no such env; allowed are 0 to 4"),
        (-1, ValueError, r"env_id\[0\] = -1"),
        (2**70, (ValueError, TypeError), "env_id"),
        (1.0, TypeError, "env_id has dtype float64; allowed are integers"),
        (True, TypeError, "env_id has dtype bool"),
        ("1", TypeError, "env_id has dtype"),
    ],
)
def test_refused(env_id: Any, error: Any, words: str) -> None:
    with parallel_pool.make("CartPole-v1", num_envs=5) as pool:
        pool.reset()
        with pytest.raises(error, match=words):
            pool.step(1, env_id)
        assert pool.step(1, 0)[0].shape == (1, 4)


@pytest.mark.parametrize("env_type", ["gym", "gymnasium", "dm"])
@pytest.mark.parametrize(
    ("timeout", "error", "words"),
    [
        ("x", TypeError, "CartPole-v1: timeout must be a number of seconds or None, not 'x'"),
        (True, TypeError, "timeout must be a number of seconds or None, not True"),
        ([1], TypeError, r"timeout must be .*, not \[1\]"),
        (float("nan"), ValueError, "timeout is nan"),
    ],
)
def test_a_timeout_that_cannot_be(env_type: Any, timeout: Any, error: Any, words: str) -> None:
    with parallel_pool.make("CartPole-v1", env_type) as pool:
        pool.async_reset()
        with pytest.raises(error, match=words):
            pool.recv(timeout=timeout)
        pool.recv(timeout=np.float32(60))
