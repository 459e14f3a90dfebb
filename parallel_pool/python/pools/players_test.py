"""Envs with several players: a row for each player, with the env of each, and no other rows."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401
from parallel_pool.testing.crowd_model import (
    ALL_LEAVE,
    CLOSED,
    END,
    FILL,
    MISCOUNT,
    ONE_ENTERS,
    SOME_LEAVE,
    Env,
    Row,
    batch_of,
    shown,
)

DOORS = [*range(7)] * 4 + [MISCOUNT]


class Crowd:
    """A pool of Crowd-v0, and a model that receives the same calls."""

    def __init__(self, num_envs: int, most: int = 4, **kwargs: Any) -> None:
        self.pool: Any = parallel_pool.make(
            "Crowd-v0", num_envs=num_envs, max_num_players=most, max_episode_steps=9, **kwargs
        )
        self.envs = [Env(i, 42 + i, most, 9) for i in range(num_envs)]
        self.in_flight: dict[int, Row] = {}
        self.random = np.random.default_rng(num_envs)

    def moves(self, ids: list[int]) -> list[list[int]]:
        """Random moves, one for each player of these envs that the user has received."""
        return [self.random.integers(0, 5, self.envs[i].known).tolist() for i in ids]

    def action(self, ids: list[int], doors: list[int]) -> dict[str, Any]:
        """A random action for these envs, with which the model steps."""
        moves = self.moves(ids)
        for i, of_env, door in zip(ids, moves, doors, strict=True):
            self.in_flight[i] = self.envs[i].step(of_env, door)
        return {"players": {"move": [move for of_env in moves for move in of_env]}, "door": doors}

    def receive(self, call: Callable[[], tuple[Any, ...]]) -> dict[str, Any]:
        """The arrays that the call returned, after comparing them with the model's."""
        failed: list[int] = []
        try:
            result = call()
        except parallel_pool.EnvError as error:
            assert "NumPlayers() is " in str(error)
            result, failed = error.result, error.env_ids
        arrays = shown(result)
        rows = [self.in_flight.pop(i) for i in arrays["env_id"].tolist()]
        for row in rows:
            self.envs[row.env].known = len(row.players)
        assert failed == [row.env for row in rows if row.failed]
        wanted = batch_of(rows)
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, wanted[name], err_msg=name, strict=True)
        return arrays

    def step(self, ids: list[int], doors: list[int]) -> dict[str, Any]:
        """A step of these envs, with random moves."""
        action = self.action(ids, doors)
        return self.receive(lambda: self.pool.step(action, ids))

    def some(self) -> list[int]:
        """Some envs, in any order."""
        count = self.random.integers(1, len(self.envs) + 1)
        ids: list[int] = self.random.permutation(len(self.envs))[:count].tolist()
        return ids


class Kept:
    """The last batches, and copies of them from when they were received."""

    def __init__(self) -> None:
        self.batches: list[tuple[dict[str, Any], dict[str, bytes]]] = []

    def keep(self, arrays: dict[str, Any]) -> None:
        """Adds one; all others must be unchanged."""
        content = {name: array.tobytes() for name, array in arrays.items()}
        self.batches = [*self.batches[-3:], (arrays, content)]
        for batch, before in self.batches:
            assert {name: array.tobytes() for name, array in batch.items()} == before


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("most", [1, 4, 8])
def test_sync_equals_the_model(num_threads: int, most: int) -> None:
    crowd = Crowd(6, most, num_threads=num_threads)
    kept = Kept()
    present = set()
    for _ in range(400):
        ids = crowd.some()
        arrays = crowd.step(ids, crowd.random.choice(DOORS, len(ids)).tolist())
        present |= set(np.bincount(arrays["players.env_id"], minlength=6)[ids].tolist())
        kept.keep(arrays)
    assert present == set(range(most + 1))


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("batch_size", [1, 5])
def test_async_equals_the_model(num_threads: int, batch_size: int) -> None:
    crowd = Crowd(11, batch_size=batch_size, num_threads=num_threads)
    crowd.in_flight = {env.env: env.reset() for env in crowd.envs}
    crowd.pool.async_reset()
    kept = Kept()
    for _ in range(1500 // batch_size):
        arrays = crowd.receive(crowd.pool.recv)
        kept.keep(arrays)
        ids = crowd.random.permutation(arrays["env_id"]).tolist()
        crowd.pool.send(crowd.action(ids, crowd.random.choice(DOORS, len(ids)).tolist()), ids)


def test_several_sends_under_way() -> None:
    crowd = Crowd(4)
    for _ in range(50):
        for ids in ([2, 0], [3], [1]):
            crowd.pool.send(crowd.action(ids, [SOME_LEAVE, FILL][: len(ids)]), ids)
        for _ in range(3):
            crowd.receive(crowd.pool.recv)


def test_a_reset_gives_no_reward() -> None:
    crowd = Crowd(3)
    crowd.step([0, 1, 2], [CLOSED] * 3)  # resets
    assert crowd.step([0, 1, 2], [FILL] * 3)["reward"].all()
    crowd.step([0, 1, 2], [END] * 3)
    arrays = crowd.step([0, 1, 2], [END] * 3)
    assert len(arrays["reward"]) > 0
    assert not arrays["reward"].any()
    crowd.step([0, 1, 2], [FILL] * 3)
    crowd.in_flight = {2: crowd.envs[2].reset(), 0: crowd.envs[0].reset()}
    crowd.receive(lambda: crowd.pool.reset([2, 0]))
    crowd.step([1, 0, 2], [ONE_ENTERS] * 3)
    crowd.in_flight = {
        i: crowd.envs[i].reset() if i == 1 else crowd.envs[i].look() for i in range(3)
    }
    mask = np.array([False, True, False])
    crowd.receive(lambda: crowd.pool.reset(options={"reset_mask": mask}))
    crowd.step([1, 0, 2], [CLOSED] * 3)


def test_envs_may_be_empty() -> None:
    crowd = Crowd(2)
    crowd.step([0, 1], [CLOSED] * 2)
    crowd.step([0, 1], [ALL_LEAVE, FILL])
    arrays = crowd.step([0, 1], [ALL_LEAVE] * 2)
    assert arrays["position"].shape == (0, 2)
    assert arrays["reward"].shape == arrays["players.env_id"].shape == (0,)
    crowd.pool.send({"players": {"move": []}, "door": [CLOSED, FILL]})
    assert len(crowd.pool.recv()[1]) == 4


def test_arrays_are_views_of_the_batch() -> None:
    def owners(info: dict[str, Any], *arrays: Any) -> set[int]:
        assert type(info["env_id"].base).__name__ == "PyCapsule"
        return {id(array.base) for array in (info["env_id"], info["players"]["env_id"], *arrays)}

    duo = parallel_pool.make("Duo-v0", num_envs=3)
    obs, info = duo.reset()
    assert len(owners(info, obs)) == 1
    crowd = Crowd(3)
    for door in (CLOSED, FILL, SOME_LEAVE):
        arrays = crowd.step([0, 1, 2], [door] * 3)
        info = {"env_id": arrays["env_id"], "players": {"env_id": arrays["players.env_id"]}}
        assert len(owners(info, *arrays.values())) == 1
        assert all(array.flags.c_contiguous for array in arrays.values())


def test_save_and_load_know_the_players() -> None:
    crowd = Crowd(5)
    every = list(range(5))
    for round_ in range(20):
        for _ in range(6):
            crowd.step(every, crowd.random.choice(DOORS[:7], 5).tolist())
        data, saved = crowd.pool.save(), copy.deepcopy(crowd.envs)
        for door in (FILL, SOME_LEAVE):
            crowd.step(every, [door] * 5)
        crowd.pool.load(data)
        crowd.envs = copy.deepcopy(saved)
        crowd.step(every, [CLOSED] * 5)
        other = Crowd(5, num_threads=round_ % 2 + 1)
        other.pool.load(data)  # a pool that has not received a batch
        other.envs = saved
        other.step(every, [CLOSED] * 5)


def test_a_failed_env_shows_all_players_as_zeros() -> None:
    crowd = Crowd(3, num_threads=1)
    crowd.step([0, 1, 2], [CLOSED] * 3)
    crowd.step([0, 1, 2], [FILL, ALL_LEAVE, FILL])
    action = crowd.action([0, 1, 2], [CLOSED, MISCOUNT, CLOSED])
    with pytest.raises(parallel_pool.EnvError) as e:
        crowd.pool.step(action)
    assert str(e.value) == ("Crowd-v0 env 1 step 2: NumPlayers() is 5; it must be between 0 and 4")
    arrays = shown(e.value.result)
    np.testing.assert_array_equal(arrays["players.env_id"], np.repeat([0, 1, 2], 4))
    assert not arrays["position"][4:8].any()
    assert not arrays["reward"][4:8].any()
    assert arrays["position"][:4].all()
    crowd.envs[1].known = 4
    crowd.in_flight.clear()
    crowd.step([2, 1], [CLOSED] * 2)
