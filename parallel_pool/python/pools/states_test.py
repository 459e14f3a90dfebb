"""save() and load(): envs continue bit for bit, and other bytes are refused."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.results import same
from parallel_pool.testing.testing_family import FINE


def play(pool: Any, steps: int, seed: int) -> list[Any]:
    actions = np.random.default_rng(seed).integers(0, 2, (steps, len(pool)))
    return [pool.step(action)[:4] for action in actions]


def test_goes_on_bit_for_bit_over_resets_and_time_limits() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4, max_episode_steps=30) as pool:
        pool.reset()
        play(pool, 77, seed=0)
        data = pool.save()
        expected = play(pool, 200, seed=1)
        play(pool, 10, seed=2)
        pool.load(data)
        same(play(pool, 200, seed=1), expected)
    with parallel_pool.make(
        "CartPole-v1", num_envs=4, max_episode_steps=30, seed=9, num_threads=1
    ) as other:
        other.load(data)
        same(play(other, 200, seed=1), expected)


def test_branches_from_one_state() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=5) as pool:
        pool.reset()
        pool.step([FINE] * 5)
        one = pool.save([2])
        for env in range(5):
            pool.load(one, [env])
        obs = pool.step([FINE] * 5)[0]
        assert (obs == obs[2]).all()
        assert len(set(pool.reset()[0][:, 1].tolist())) == 1, "random numbers were copied, too"


def test_all_dtypes_and_vectors() -> None:
    with parallel_pool.make("Echo-v0") as pool:
        pool.reset()
        action = {
            "choice": [2],
            "motor": {"force": [[0.5, 0.25, 1]], "exact": np.full((1, 2, 2), 1e300)},
            "byte": [9],
            "wide": [[2**50, -5]],
        }
        pool.step(action)
        data = pool.save()
        pool.reset()
        pool.load(data)
        assert pool.save() == data


def test_refuses_what_is_no_state_of_these_envs() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=2, lives=2) as pool:
        pool.reset()
        data = pool.save()
        before = pool.save()
        damaged = bytearray(data)
        damaged[-20] ^= 1
        cart = parallel_pool.make("CartPole-v1", num_envs=2)
        other = parallel_pool.make("Trouble-v0", num_envs=2, lives=3)
        cases: list[tuple[Any, type[Exception], str]] = [
            (bytes(damaged), ValueError, "the saved state is damaged"),
            (data[:-9], ValueError, "the saved state is damaged"),
            (b"", ValueError, "this is no saved state"),
            (b"x" * 100, ValueError, "this is no saved state"),
            (cart.save(), ValueError, "the state is of CartPole-v1"),
            (other.save(), ValueError, "the state is of lives=3; this pool has 2"),
            (pool.save([0]), ValueError, "the state is of 1 envs, not of 2"),
            ("text", TypeError, "needs the bytes of save"),
        ]
        for bad, error, words in cases:
            with pytest.raises(error, match=words):
                pool.load(bad)
        for call in (pool.save, lambda ids: pool.load(pool.save([1]), ids)):
            with pytest.raises(ValueError, match=r"env_id has shape \(1, 1\); it must be an int"):
                call([[1]])
        assert pool.save() == before


def test_envs_must_be_idle() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=3) as pool:
        pool.reset()
        data = pool.save()
        pool.send([FINE], [1])
        with pytest.raises(ValueError, match="1 is in flight"):
            pool.save()
        with pytest.raises(ValueError, match="1 is in flight"):
            pool.load(data)
        pool.save([0, 2])
        pool.recv()
        pool.load(data)


def test_a_task_that_cannot_save_says_so() -> None:
    with (
        parallel_pool.make("Bytes-v0") as pool,
        pytest.raises(ValueError, match="Bytes-v0: this task cannot save its state"),
    ):
        pool.save()
