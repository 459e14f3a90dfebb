"""Flights: a pool in parts, whose parts are pools of this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import parallel_pool
from parallel_pool.integrations.shards.flights import Call, Flights
from parallel_pool.integrations.shards.split import split
from parallel_pool.python.apis.gymnasium_api import Pool
from parallel_pool.python.backend import Backend


class Parts:
    """A pool in `num_workers` parts. Each call is answered when the test says so."""

    def __init__(self, task: Any, num_workers: int, **options: Any) -> None:
        spec = parallel_pool.make_spec(task, **options)
        shards = split(spec, num_workers, 1)
        self.flights = Flights(spec, [shard.env_ids for shard in shards])
        self.backends: list[Backend] = []
        for shard in shards:
            own = shard.spec(shard.seeds)
            self.backends.append(own.source.open(own, Pool))
        self.lives = [0] * num_workers

    def reset(self, env_id: Any = None) -> dict[int, Call]:
        """The calls of a reset, by ticket."""
        calls = self.flights.send(self.flights.envs.send_reset(env_id), self.lives)
        for call in calls.values():
            self.backends[call.part.worker].send_reset(call.part.local, None)
        return calls

    def send(self, action: Any, env_id: Any = None) -> dict[int, Call]:
        """The calls of a send, by ticket."""
        calls = self.flights.send(self.flights.envs.send(action, env_id), self.lives)
        for call in calls.values():
            own = self.flights.envs.action_of(call.part.env_ids)
            self.backends[call.part.worker].send(own, call.part.local)
        return calls

    def answer(self, calls: Sequence[int]) -> None:
        """The workers answer these calls."""
        for ticket in calls:
            call = self.flights.take(ticket)
            assert call is not None and self.flights.take(ticket) is None
            batch = self.backends[call.part.worker].recv(None)
            self.flights.answer(call, batch)


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("CartPole-v1", {"autoreset_mode": "disabled"}),
        ("CartPole-v1", {"autoreset_mode": "same_step", "record_episode_statistics": True}),
        ("SimpleTag-v3", {"max_episode_steps": 5}),
        (["CartPole-v1", "MountainCar-v0"], {"observation_padding": True, "action_padding": True}),
    ],
)
def test_parts_equal_the_whole_pool(task: Any, options: dict[str, Any]) -> None:
    options = {"num_envs": 5, "seed": 3, "max_episode_steps": 9} | options
    parts, random = Parts(task, 2, **options), np.random.default_rng(0)
    with parallel_pool.make(task, **options) as whole:
        obs, info = whole.reset()
        parts.answer(list(parts.reset())[::-1])
        batch = parts.flights.batch()
        assert data_equivalence((batch[0], batch[4]), (obs, info), exact=True)
        for _ in range(30):
            players = whole.spec.setup.most_players or 1
            action = random.integers(2, size=5 * players)
            parts.answer(list(parts.send(action))[::-1])
            batch = whole.step(action)
            assert data_equivalence(parts.flights.batch(), batch, exact=True)
            over = np.flatnonzero(batch[2] | batch[3])
            if options.get("autoreset_mode") == "disabled" and len(over):
                with pytest.raises(ValueError, match="its episode has ended; reset it first"):
                    parts.send(action)
                parts.answer(list(parts.reset(over)))
                parts.flights.batch()
                whole.reset(over)


def test_async_batches_have_the_rows_that_were_done_first() -> None:
    parts = Parts("CartPole-v1", 3, num_envs=6, batch_size=3)
    first, second, third = parts.reset()
    parts.answer([third])
    assert not parts.flights.is_ready()
    parts.answer([first])
    assert parts.flights.is_ready()
    assert parts.flights.batch()[4]["env_id"].tolist() == [4, 5, 0]
    assert not parts.flights.is_ready(), "one row is left"
    parts.answer([second])
    assert parts.flights.batch()[4]["env_id"].tolist() == [1, 2, 3]
    with pytest.raises(RuntimeError, match="0 of the 3 rows of a batch are in flight"):
        parts.flights.envs.check_recv(None)


def test_rows_that_do_not_come_are_zero_and_truncated() -> None:
    parts = Parts("CartPole-v1", 2, num_envs=4)
    parts.answer(list(parts.reset()))
    parts.flights.batch()
    first, second = parts.send([0, 1, 0, 1])
    parts.answer([first])
    call = parts.flights.take(second)
    assert call is not None
    parts.flights.lose(call, "it is gone", raises=False)
    obs, reward, terminated, truncated, info = parts.flights.batch()
    assert truncated.tolist() == [False, False, True, True] == info["lost"].tolist()
    assert not obs[2:].any() and not reward[2:].any() and not terminated.any()
    assert obs[:2].any() and info["env_id"].tolist() == [0, 1, 2, 3]


def test_a_failure_names_the_env_of_the_whole_pool() -> None:
    parts = Parts("CartPole-v1", 2, num_envs=4)
    for ticket in parts.reset():
        call = parts.flights.take(ticket)
        assert call is not None
        batch = parts.backends[call.part.worker].recv(None)
        failed, text = ([1], "CartPole-v1 env 1 step 0: thrown") if call.part.worker else ([], "")
        parts.flights.answer(call, batch, failed, text)
    with pytest.raises(parallel_pool.EnvError, match="CartPole-v1 env 3 step 0: thrown") as raised:
        parts.flights.batch()
    assert raised.value.env_ids == [3]
    parts.send([0, 0, 0, 0])  # all are idle


def test_calls_that_last_too_long_are_taken() -> None:
    parts = Parts("CartPole-v1", 2, num_envs=4)
    first, second = parts.reset()
    late = list(parts.flights.late(lambda worker: [None, -1.0][worker]))
    assert [(call.part.worker, limit) for call, limit in late] == [(1, -1.0)]
    assert parts.flights.take(second) is None and parts.flights.take(first) is not None


@pytest.mark.parametrize(
    ("action", "env_id"),
    [
        ([0] * 5, None),
        ([0, 0, 0, 2], None),
        ([0, 0, 0, 0.5], None),
        (["0"] * 4, None),
        ({"acton": [0] * 4}, None),
        ({"action": [0], "env_id": [2]}, [3]),
        ([0], [4]),
        ([0], [0.0]),
        ([0, 0], [1, 1]),
        ([], []),
        ([0], [[0]]),
    ],
)
def test_errors_are_those_of_a_pool_and_change_nothing(action: Any, env_id: Any) -> None:
    parts = Parts("CartPole-v1", 2, num_envs=4)
    parts.answer(list(parts.reset()))
    parts.flights.batch()
    with parallel_pool.make("CartPole-v1", num_envs=4) as whole:
        whole.reset()
        with pytest.raises((ValueError, TypeError)) as wanted:
            whole.send(action, env_id)
    with pytest.raises(wanted.type) as raised:
        parts.send(action, env_id)
    assert str(raised.value) == str(wanted.value)
    with pytest.raises(RuntimeError, match="would wait forever: 0 of the 4 rows"):
        parts.flights.envs.check_recv(None)
    parts.send([0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"env_id\[0\] = 2 is in flight"):
        parts.send([0], [2])


@pytest.mark.parametrize("timeout", ["soon", True, float("nan")])
def test_a_bad_timeout_has_the_error_of_a_pool(timeout: Any) -> None:
    parts = Parts("CartPole-v1", 2, num_envs=4)
    parts.reset()
    with parallel_pool.make("CartPole-v1", num_envs=4) as whole:
        whole.async_reset()
        with pytest.raises((ValueError, TypeError)) as wanted:
            whole.recv(timeout=timeout)
    with pytest.raises(wanted.type) as raised:
        parts.flights.envs.check_recv(timeout)
    assert str(raised.value) == str(wanted.value)
    assert parts.flights.envs.check_recv(2) == 2.0


def test_a_recv_that_takes_too_long_has_the_error_of_a_pool() -> None:
    with pytest.raises(TimeoutError, match=r"CartPole-v1: no batch within 0\.500000 s"):
        Parts("CartPole-v1", 2, num_envs=4).flights.envs.time_out(0.5)
