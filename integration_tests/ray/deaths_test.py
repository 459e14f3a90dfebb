"""Pools whose worker processes or nodes die."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.integrations.ray import RayPool

pytestmark = pytest.mark.filterwarnings("ignore")
LONG = bool(os.environ.get("LONG"))
Pids = Callable[[Any], list[int]]


def test_a_worker_that_is_killed_loses_its_own_rows_only(pids: Pids) -> None:
    options: Any = {"max_episode_steps": 10**6}
    with RayPool("CartPole-v1", 6, **options) as pool:
        first = pool.reset()[0]
        random = np.random.default_rng(0)
        for kills in range(1, 21 if LONG else 5):
            victim = kills % 2
            os.kill(pids(pool)[victim], signal.SIGKILL)
            lost = np.arange(6) // 3 == victim
            info: Any = {}
            for _ in range(50):  # the actor may have answered before it died
                obs, reward, terminated, truncated, info = pool.step(random.integers(2, size=6))
                if "lost" in info:
                    break
            assert info["lost"].tolist() == lost.tolist()
            assert not obs[lost].any() and truncated[lost].all() and not reward[lost].any()
            assert obs[~lost].any() and not truncated[~lost].any()
            obs, _, _, truncated, info = pool.step(random.integers(2, size=6))
            assert "lost" not in info
            assert info["elapsed_step"][lost].tolist() == [0, 0, 0]
            assert (obs[lost] != first[lost]).any()  # another seed
            if LONG:
                time.sleep(10)
        assert sum(pool.lost) == kills


def test_async_pools_lose_no_env_when_workers_die(pids: Pids) -> None:
    with RayPool("CartPole-v1", 6, batch_size=2) as pool:
        pool.async_reset()
        lost, counts = 0, np.zeros(6, int)

        def play_until(done: Callable[[], bool]) -> None:
            nonlocal lost
            deadline = time.monotonic() + 60
            while not done():
                assert time.monotonic() < deadline, counts
                *_, info = pool.recv(timeout=60)
                counts[info["env_id"]] += 1
                lost += int(info["lost"].sum()) if "lost" in info else 0
                pool.send(np.zeros(2, int), info["env_id"])

        def play_all() -> None:  # the other worker may give most rows
            before = counts.copy()
            play_until(lambda: bool((counts > before + 10).all()))

        def kill(worker: int) -> None:
            kills = sum(pool.lost)
            os.kill(pids(pool)[worker], signal.SIGKILL)
            play_until(lambda: sum(pool.lost) > kills)  # Ray tells of the death later

        for worker in (0, 1, 0):
            play_all()
            kill(worker)
        play_all()
        assert 0 < lost < 30
        assert sum(pool.lost) == 3


def test_strict_pools_and_a_limit_of_restarts(pids: Pids) -> None:
    pool = RayPool("CartPole-v1", 4, strict=True, max_restarts=1)
    pool.reset()
    for _ in range(2):
        os.kill(pids(pool)[1], signal.SIGKILL)
        with pytest.raises(parallel_pool.EnvError, match="worker 1 has ended") as raised:
            for _ in range(50):
                pool.step(np.zeros(4, int))
        assert raised.value.env_ids == [2, 3]
    with pytest.raises(
        RuntimeError, match="worker 1 has ended 2 times, max_restarts is 1; the last"
    ):
        pool.step(np.zeros(4, int))
    assert pool._native.closed


def test_a_node_that_dies_loses_its_rows(cluster: Any) -> None:
    node = cluster.add_node(num_cpus=7)
    cluster.wait_for_nodes()
    with RayPool("CartPole-v1", 4, 2, num_cpus_per_worker=2) as pool:
        pool.reset()
        cluster.remove_node(node)
        info: Any = {}
        for _ in range(100):
            *_, info = pool.step(np.zeros(4, int))
            if "lost" in info:
                break
        # Its worker is placed on another node; or it was never on that one.
        for _ in range(5):
            pool.step(np.zeros(4, int))
