"""The tasks where PettingZoo has no row to compare: players, batches, states and pictures."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.results import same

TASKS = {"TicTacToe-v0": ["player_1", "player_2"], "ConnectFour-v0": ["player_0", "player_1"]}


@pytest.mark.parametrize("task_id", TASKS)
def test_players_have_the_names_of_pettingzoo(task_id: str) -> None:
    spec = parallel_pool.make_spec(task_id)
    assert [player.name for player in spec.players] == TASKS[task_id]
    assert [player.role for player in spec.players] == ["player", "player"]
    assert spec.source.turn_based


def test_both_players_are_there_at_the_end() -> None:
    with parallel_pool.make("TicTacToe-v0", num_envs=2) as pool:
        _, info = pool.reset()
        for step, move in enumerate([0, 3, 1, 4]):  # the first player takes the first row
            assert info["players"]["agent"].tolist() == [step % 2] * 2
            _, reward, terminated, _, info = pool.step(np.array([move, move]))
            assert not reward.any()
            assert not terminated.any()
        obs, reward, terminated, truncated, info = pool.step(np.array([2, 1]))  # 1 is illegal
        assert info["players"]["env_id"].tolist() == [0, 0, 1, 1]
        assert info["players"]["agent"].tolist() == [0, 1, 0, 1]
        assert reward.tolist() == [1, -1, -1, 0]
        assert terminated.tolist() == [True, True]
        assert truncated.tolist() == [False, True]
        np.testing.assert_array_equal(obs["observation"][0], obs["observation"][1][..., ::-1])
        obs, _, _, _, info = pool.step(np.zeros(4, int))
        assert info["players"]["agent"].tolist() == [0, 0]
        assert not obs["observation"].any()
        assert obs["action_mask"].all()


def test_a_move_outside_of_the_space_is_refused() -> None:
    with parallel_pool.make("ConnectFour-v0") as pool:
        pool.reset()
        with pytest.raises(ValueError, match=r"ConnectFour-v0: action\[0\].* is 7; allowed are"):
            pool.send(np.array([7]))


def rows_of(pool: Any, steps: int) -> list[list[tuple[Any, ...]]]:
    """Each env's rows of `steps` steps in any order of batches; moves depend on env and step."""
    count = pool.num_envs
    rows: list[list[tuple[Any, ...]]] = [[] for _ in range(count)]
    if pool.is_async:
        pool.async_reset()
        result = pool.recv()
    else:
        obs, info = pool.reset()
        result = (obs, np.zeros(count, np.float32), *np.zeros((2, count), bool), info)
    while min(map(len, rows)) <= steps:
        obs, reward, terminated, truncated, info = result
        ids, owner = info["env_id"], info["players"]["env_id"]
        moves = np.zeros(len(owner), int)
        for k, env in enumerate(ids):
            mine = owner == env
            masks = obs["action_mask"][mine]
            agents = info["players"]["agent"][mine]
            state = obs["observation"][mine], masks, agents, reward[mine], terminated[k]
            rows[env].append((*state, truncated[k]))
            random = np.random.default_rng([env, len(rows[env])])
            weights = masks[0] + 0.02
            moves[mine] = random.choice(len(weights), p=weights / weights.sum())
        pool.send(moves, ids)
        result = pool.recv()
    return [own[: steps + 1] for own in rows]


@pytest.mark.parametrize("task_id", TASKS)
def test_async_pools_play_the_same(task_id: str) -> None:
    with (
        parallel_pool.make(task_id, num_envs=5, num_threads=1) as pool,
        parallel_pool.make(task_id, num_envs=5, num_threads=3, batch_size=2) as other,
    ):
        rows = rows_of(pool, 200)
        assert all(any(row[4] for row in own) for own in rows)
        same(rows, rows_of(other, 200))


def test_some_envs_may_be_reset() -> None:
    with parallel_pool.make("ConnectFour-v0", num_envs=3) as pool:
        pool.reset()
        pool.step(np.array([3, 4, 5]))
        obs, info = pool.reset([1])
        assert info["players"]["agent"].tolist() == [0]
        assert info["players"]["env_id"].tolist() == [1]
        assert not obs["observation"].any()
        obs, _, _, _, info = pool.step(np.array([0, 0, 0]))
        assert info["players"]["agent"].tolist() == [0, 1, 0]
        assert obs["observation"].sum(axis=(1, 2, 3)).tolist() == [2, 1, 2]


@pytest.mark.parametrize("moves", [[0, 3, 1, 4, 2], [0, 3, 3]])  # won, illegal
def test_a_saved_game_goes_on(moves: list[int]) -> None:
    with parallel_pool.make("TicTacToe-v0") as pool:
        pool.reset()
        states, rows = [], []
        for move in moves:
            states.append(pool.save())
            rows.append(pool.step(np.array([move])))
        states.append(pool.save())
        for state, move, row in zip(states, moves, rows, strict=False):
            pool.load(state)
            same(pool.step(np.array([move])), row)
        pool.load(states[-1])
        _, _, _, _, info = pool.step(np.array([0, 0]))
        assert info["elapsed_step"].tolist() == [0]


@pytest.mark.parametrize(("task_id", "size"), [("TicTacToe-v0", 9), ("ConnectFour-v0", 42)])
def test_pictures_and_text_show_the_stones(task_id: str, size: int) -> None:
    with (
        parallel_pool.make(task_id, render_mode="rgb_array") as pool,
        parallel_pool.make(task_id, render_mode="ansi") as text,
    ):
        pool.reset()
        text.reset()
        pictures = [pool.render()[0]]
        for move, stones in ((2, "X"), (6, "XO")):
            pool.step(np.array([move]))
            text.step(np.array([move]))
            pictures.append(pool.render()[0])
            letters = text.render()[0].split()
            assert len(letters) == size
            assert sorted(set(letters) - {"."}) == sorted(stones)
        height, width, _ = pictures[0].shape
        first = (pictures[1] != pictures[0]).any(-1)
        second = (pictures[2] != pictures[1]).any(-1)
        rows, columns = (3, 3) if size == 9 else (6, 7)
        last = rows - 1 if size == 42 else None
        for changed, move in ((first, 2), (second, 6)):
            row, column = (move // 3, move % 3) if last is None else (last, move)
            y, x = np.argwhere(changed).mean(0)
            assert (int(y * rows / height), int(x * columns / width)) == (row, column)
