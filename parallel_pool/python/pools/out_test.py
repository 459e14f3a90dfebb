"""recv(out=...) and step(out=...)."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.testing_family import FINE, THROW


def twins(task_id: str, **options: Any) -> tuple[Any, Any]:
    pools = [parallel_pool.make(task_id, **options) for _ in range(2)]
    for pool in pools:
        pool.reset(seed=3)
    return pools[0], pools[1]


@pytest.mark.parametrize("env_type", ["gymnasium", "gym"])
def test_all_parts(env_type: Any) -> None:
    pool, twin = twins("CartPole-v1", num_envs=3, env_type=env_type)
    out = {
        "obs": np.zeros((3, 4), np.float32),
        "reward": np.zeros(3, np.float32),
        "terminated": np.zeros(3, bool),
        "truncated": np.zeros(3, bool),
        "info": {
            "elapsed_step": np.zeros(3, np.int32),
            "players": {"env_id": np.zeros(3, np.int32)},
        },
    }
    for step in range(30):
        action = np.array([1, 0, step % 2])
        *mine, info = pool.step(action, out=out)
        *theirs, reference = twin.step(action)
        for name, a, b in zip(out, mine, theirs, strict=False):
            np.testing.assert_array_equal(a, b)
            assert np.shares_memory(a, out[name])
        assert np.shares_memory(info["elapsed_step"], out["info"]["elapsed_step"])  # type: ignore[index]
        np.testing.assert_array_equal(info["elapsed_step"], reference["elapsed_step"])
        np.testing.assert_array_equal(info["env_id"], reference["env_id"])
    pool.close()
    twin.close()


def test_what_is_not_named_stays_new() -> None:
    pool, twin = twins("CartPole-v1", num_envs=2)
    obs = np.zeros((2, 4), np.float32)
    first = pool.step([0, 1], out={"obs": obs})
    second = pool.step([0, 1], out={"obs": obs})
    assert np.shares_memory(first[0], second[0])
    assert not np.shares_memory(first[1], second[1])


def test_a_smaller_batch_fills_the_first_rows() -> None:
    pool, twin = twins("CartPole-v1", num_envs=4)
    obs = np.full((4, 4), 7, np.float32)
    rows = pool.step([0, 1], [3, 1], out={"obs": obs})[0]
    np.testing.assert_array_equal(rows, twin.step([0, 1], [3, 1])[0])
    np.testing.assert_array_equal(obs[:2], rows)
    assert (obs[2:] == 7).all()


def test_async() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4, batch_size=2) as pool:
        buffers = [np.zeros((2, 4), np.float32) for _ in range(2)]
        pool.async_reset()
        for step in range(10):
            obs, *_, info = pool.recv(out={"obs": buffers[step % 2]})
            assert np.shares_memory(obs, buffers[step % 2])
            pool.send([0, 1], info["env_id"])


def test_nested_observations() -> None:
    with parallel_pool.make("Echo-v0", num_envs=2) as pool:
        pool.reset()
        force = np.zeros((2, 3), np.float32)
        action = {
            "choice": [1, 2],
            "motor": {"force": np.full((2, 3), 0.5), "exact": np.zeros((2, 2, 2))},
            "byte": [0, 1],
            "wide": np.zeros((2, 2), int),
        }
        obs = pool.step(action, out={"obs": {"motor": {"force": force}}})[0]
        assert np.shares_memory(obs["motor"]["force"], force)
        assert (force == 0.5).all()
        assert obs["choice"].tolist() == [1, 2]


def test_an_error_has_a_filled_result() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=2) as pool:
        pool.reset()
        reward = np.zeros(2, np.float32)
        with pytest.raises(parallel_pool.EnvError) as error:
            pool.step([FINE, THROW], out={"reward": reward})
        assert np.shares_memory(error.value.result[1], reward)
        assert reward.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("out", "error", "words"),
    [
        ([], TypeError, "out must be a dict of arrays, with any of 'reward', .*'obs'; not list"),
        ({"ops": 0}, ValueError, r"out has 'ops'; did you mean obs\?"),
        ({"info": {"live": 0}}, ValueError, r"out\['info'\] has 'live'; there are"),
        ({"info": np.zeros(3)}, TypeError, r"out\['info'\] must be a dict"),
        ({"obs": [0]}, TypeError, r"out\['obs'\] must be a NumPy array .*not list"),
        ({"obs": np.zeros((3, 4))}, TypeError, "is of float64; it must be of float32"),
        (
            {"obs": np.zeros((2, 4), np.float32)},
            ValueError,
            r"has shape \(2, 4\); it must be \(3, 4\)",
        ),
        ({"reward": np.zeros((3, 1), np.float32)}, ValueError, r"it must be \(3,\)"),
        (
            {"reward": np.broadcast_to(np.float32(0), 3)},
            ValueError,
            r"out\['reward'\] is read-only",
        ),
    ],
)
def test_refused(out: Any, error: type[Exception], words: str) -> None:
    pool, twin = twins("CartPole-v1", num_envs=3)
    with pytest.raises(error, match=words):
        pool.step([0, 1, 0], out=out)
    # Nothing was sent.
    np.testing.assert_array_equal(pool.step([1, 1, 1])[0], twin.step([1, 1, 1])[0])
    pool.close()
    twin.close()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rewards_of_players_have_the_pool_s_dtype(dtype: Any) -> None:
    pool, twin = twins("SimpleSpread-v3", num_envs=2, reward_dtype=dtype)
    out = {"reward": np.zeros(6, dtype), "obs": np.zeros((6, 18), np.float32)}
    obs, reward, *_ = pool.step([1] * 6, out=out)
    theirs = twin.step([1] * 6)
    np.testing.assert_array_equal(obs, theirs[0])
    np.testing.assert_array_equal(reward, theirs[1])
