"""The contract of a pool: its results, their owner, and its end."""

import copy
import functools
import gc
import os
import pickle
import sys
import time
import weakref
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.testing_family import END, FINE, SLEEP, THROW, THROW_IN_OBSERVE

ZEROS = np.zeros(4, dtype=int)


def test_recv_with_nothing_pending() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4) as pool:
        with pytest.raises(RuntimeError, match=r"recv\(\) would wait forever: 0 of the 4 rows"):
            pool.recv()
        pool.reset()
    with parallel_pool.make("CartPole-v1", num_envs=4, batch_size=3) as pool:
        with pytest.raises(RuntimeError, match="2 of the 3 rows"):
            pool.step([0, 0], [0, 1])
        pool.async_reset()
        _, _, _, _, info = pool.recv()
        with pytest.raises(RuntimeError, match="1 of the 3 rows"):
            pool.recv()
        pool.send([0, 0, 0], info["env_id"])
        pool.recv()


def test_one_action_in_flight_for_each_env() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4) as pool:
        pool.reset()
        pool.send(ZEROS[:2], [2, 0])
        with pytest.raises(ValueError, match=r"env_id\[1\] = 2 is in flight"):
            pool.send(ZEROS[:2], [1, 2])
        with pytest.raises(ValueError, match="in flight"):
            pool.reset()
        pool.send(ZEROS[:1], [1])
        assert pool.recv()[4]["env_id"].tolist() == [2, 0]
        assert pool.recv()[4]["env_id"].tolist() == [1]


def test_first_step_of_an_env_resets_it() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4) as pool:
        obs, reward, _, _, info = pool.step(ZEROS)
        assert (reward == 0).all()
        assert (info["elapsed_step"] == 0).all()
        np.testing.assert_array_equal(obs, parallel_pool.make("CartPole-v1", num_envs=4).reset()[0])


def test_results_are_the_users_for_ever() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4) as pool:
        kept = [pool.reset()[0]]
        copies = [kept[0].copy()]
        for step in range(300):
            obs, reward, *_ = pool.step(ZEROS + step % 2)
            if step % 3 == 0:
                kept.append(obs[1:])  # a view keeps the batch alive, too
                copies.append(obs[1:].copy())
            obs.shape = (2, 8)  # the user's own array
            reward[:] = 7
        assert pool.step(ZEROS)[0].shape == (4, 4)
    for mine, copied in zip(kept, copies, strict=True):
        np.testing.assert_array_equal(mine, copied)


def test_memory_is_used_again() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4) as pool:
        pool.reset()
        addresses = {pool.step(ZEROS)[0].ctypes.data for _ in range(100)}
        assert len(addresses) <= 2


@pytest.mark.parametrize("num_threads", [1, 3])
def test_async_steps_every_env_as_often_as_it_was_sent(num_threads: int) -> None:
    with parallel_pool.make(
        "Trouble-v0", num_envs=20, batch_size=6, num_threads=num_threads
    ) as pool:
        assert pool.is_async
        pool.async_reset()
        steps = np.full(20, -1)
        for _ in range(500):
            obs, _, _, _, info = pool.recv()
            ids = info["env_id"]
            assert len(set(ids.tolist())) == 6
            steps[ids] = (steps[ids] + 1) % 101  # the time limit is 100
            np.testing.assert_array_equal(obs[:, 0], steps[ids])
            pool.send(np.full(6, FINE), ids)


def test_reset_of_some_envs_and_seeds() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4, seed=7) as pool:
        first = pool.reset()[0]
        obs, info = pool.reset([2, 0], seed=7)
        assert info["env_id"].tolist() == [2, 0]
        np.testing.assert_array_equal(obs, first[:2])
        np.testing.assert_array_equal(pool.reset([3], seed=[9])[0], first[2:3])
        seeds: list[tuple[Any, str]] = [([1], "1 values.* 4 envs"), (-1, "seed is -1")]
        for seed, words in seeds:
            with pytest.raises(ValueError, match=words):
                pool.reset(seed=seed)
        with pytest.raises(ValueError, match="unknown reset option 'lo'"):
            pool.reset(options={"lo": 1})
        assert (pool.reset()[0] != first).any()


def test_reset_mask_equals_gymnasium() -> None:
    ours = parallel_pool.make("CartPole-v1", num_envs=4)
    theirs = gymnasium.make_vec("CartPole-v1", num_envs=4, vectorization_mode="sync")
    np.testing.assert_array_equal(ours.reset(seed=1)[0], theirs.reset(seed=1)[0])
    rng = np.random.default_rng(0)
    for _ in range(50):
        mask = rng.random(4) < 0.4
        mask[rng.integers(4)] = True
        wanted = theirs.reset(options={"reset_mask": mask.copy()})[0]
        obs, info = ours.reset(options={"reset_mask": mask})
        np.testing.assert_array_equal(obs, wanted)
        assert (info["elapsed_step"][mask] == 0).all()
        for _ in range(rng.integers(20)):
            action = rng.integers(0, 2, 4)
            for mine, other in zip(ours.step(action)[:4], theirs.step(action)[:4], strict=True):
                np.testing.assert_array_equal(mine, other)


def test_reset_mask_refuses() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2) as pool:
        for mask, error, words in [
            ([1, 0], TypeError, "must be of bool, not of int64"),
            ([True], ValueError, r"shape \(1,\) and 1 times True; it must have shape \(2,\)"),
            ([False, False], ValueError, "0 times True"),
        ]:
            with pytest.raises(error, match=words):
                pool.reset(options={"reset_mask": mask})
        with pytest.raises(ValueError, match="name others by env_id"):
            pool.reset([0], options={"reset_mask": [True, False]})
    with (
        parallel_pool.make("CartPole-v1", num_envs=2, batch_size=1) as pool,
        pytest.raises(ValueError, match="of a sync pool"),
    ):
        pool.reset(options={"reset_mask": [True, False]})


@pytest.mark.parametrize("num_threads", [1, 2])
def test_big_batches(num_threads: int) -> None:
    """Rows of 8 MB and a batch of more than 1 GiB, two of them at a time."""
    size = 1024 * 1024
    with parallel_pool.make(
        "Bytes-v0", num_envs=140, row_bytes=8 * size, num_threads=num_threads
    ) as pool:
        first = pool.reset()[0]
        second = pool.step(np.zeros(140, int))[0]
        assert first.nbytes > 2**30
        assert (first[:, -1] == 0).all()
        assert (second[:, 0] == 1).all()


def test_rows_of_one_byte() -> None:
    with parallel_pool.make("Bytes-v0", num_envs=1000, batch_size=100, row_bytes=1) as pool:
        pool.async_reset()
        for _ in range(100):
            obs, *_, info = pool.recv()
            assert obs.shape == (100, 1)
            np.testing.assert_array_equal(obs[:, 0], info["elapsed_step"])
            pool.send(np.zeros(100, int), info["env_id"])


def test_an_env_that_throws_is_reported_and_nothing_else_is_lost() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=3) as pool:
        pool.reset()
        pool.step([FINE] * 3)
        with pytest.raises(
            parallel_pool.EnvError, match=r"^Trouble-v0 env 1 step 2: the motor"
        ) as e:
            pool.step([FINE, THROW, FINE])
        assert e.value.env_ids == [1]
        obs, reward, terminated, truncated, info = e.value.result
        assert obs[:, 0].tolist() == [2, 0, 2]
        assert reward.tolist() == [1, 0, 1]
        assert truncated.tolist() == [False, True, False]
        assert not terminated.any()
        assert info["elapsed_step"].tolist() == [2, 2, 2]
        obs, *_, info = pool.step([FINE] * 3)
        assert obs[:, 0].tolist() == [3, 0, 3]
        assert info["elapsed_step"].tolist() == [3, 0, 3]
        with pytest.raises(parallel_pool.EnvError, match=r"and 1 more envs") as e:
            pool.step([THROW, FINE, THROW])
        assert e.value.env_ids == [0, 2]


@pytest.mark.parametrize(
    ("make", "result"),
    [
        (parallel_pool.make_gymnasium, lambda obs, info: (obs, info)),
        (
            functools.partial(parallel_pool.make_gym, gym_reset_return_info=False),
            lambda obs, info: obs,
        ),
        (parallel_pool.make_gym, lambda *r: r),
    ],
)
def test_the_error_of_reset_has_what_reset_returns(make: Any, result: Any) -> None:
    with make("Trouble-v0", num_envs=2) as pool:
        pool.reset()
        with pytest.raises(parallel_pool.EnvError):
            pool.step([THROW_IN_OBSERVE, FINE])
        with pytest.raises(parallel_pool.EnvError, match="the camera broke") as e:
            pool.reset(options={"reset_mask": np.array([False, True])})
        assert e.value.env_ids == [0]
        got = e.value.result
        assert type(got) is type(result(np.zeros(1), {}))
        obs = got[0] if isinstance(got, tuple) else got
        assert obs[:, 0].tolist() == [0, 0]
        assert obs[1, 1] > 0


def test_termination_continues_and_truncation_resets() -> None:
    with parallel_pool.make("Trouble-v0", lives=2, max_episode_steps=3) as pool:
        pool.reset()
        rows = [pool.step([a]) for a in [END, FINE, FINE, END, FINE]]
        assert [r[2][0] for r in rows] == [True, False, False, True, False]
        assert [r[3][0] for r in rows] == [False, False, False, True, False]
        assert [int(r[4]["elapsed_step"][0]) for r in rows] == [1, 1, 2, 3, 0]


def test_closed_pool() -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=4)
    obs = pool.reset()[0]
    pool.send(ZEROS)
    pool.close()
    pool.close()
    for call in (
        lambda: pool.step(ZEROS),
        lambda: pool.send(ZEROS),
        pool.recv,
        pool.reset,
        pool.async_reset,
    ):
        with pytest.raises(RuntimeError, match="CartPole-v1: the pool is closed"):
            call()
    assert np.isfinite(obs).all()
    assert "(closed)" in repr(pool)
    assert pool.closed


def test_garbage_collection_ends_a_pool_with_work_in_flight() -> None:
    pool = parallel_pool.make("Trouble-v0", num_envs=8, batch_size=2, sleep_ms=20, num_threads=2)
    pool.async_reset()
    obs, *_, info = pool.recv()
    pool.send([SLEEP, SLEEP], info["env_id"])
    watch = weakref.ref(pool)
    del pool
    gc.collect()
    assert watch() is None
    assert obs.shape == (2, 2)


def test_pickle_and_copy_make_a_new_pool() -> None:
    with parallel_pool.make("Echo-v0", num_envs=3, batch_size=2, color="blue", seed=3) as pool:
        for other in (pickle.loads(pickle.dumps(pool)), copy.deepcopy(pool)):
            assert other.config == pool.config
            assert type(other) is type(pool)
            other.close()


def test_repr_is_the_call() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4, batch_size=2, num_threads=1) as pool:
        assert repr(pool) == (
            "make('CartPole-v1', env_type='gymnasium', num_envs=4, batch_size=2, num_threads=1, "
            "seed=42)"
        )


def test_two_pools_side_by_side() -> None:
    pools = [parallel_pool.make("CartPole-v1", num_envs=4, batch_size=2) for _ in range(3)]
    for pool in pools:
        pool.async_reset()
    for _ in range(50):
        for pool in pools:
            info = pool.recv()[4]
            pool.send([0, 1], info["env_id"])
    for pool in pools:
        pool.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no /proc")
def test_thread_affinity_offset_pins_the_workers() -> None:
    cpus = sorted(os.sched_getaffinity(0))
    offset = min(1, len(cpus) - 1)
    before = set(os.listdir("/proc/self/task"))
    with parallel_pool.make(
        "CartPole-v1", num_envs=4, batch_size=2, num_threads=3, thread_affinity_offset=offset
    ):
        workers = set(os.listdir("/proc/self/task")) - before
        end = time.monotonic() + 10
        while len(workers) > 3 and time.monotonic() < end:  # those that built the envs are ending
            workers = set(os.listdir("/proc/self/task")) - before
        pinned = [sorted(os.sched_getaffinity(int(thread))) for thread in workers]
        assert sorted(pinned) == sorted([cpus[(offset + i) % len(cpus)]] for i in range(3))
