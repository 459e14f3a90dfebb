"""record_episode_statistics: returns and lengths of the episodes that end."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.testing.testing_family import END, FINE, THROW

ON: dict[str, Any] = {"record_episode_statistics": True}


def summary(info: dict[str, Any]) -> Any:
    """(mask, returns, lengths) as lists; None if no episode has ended."""
    if "episode" not in info:
        assert "_episode" not in info
        return None
    episode = info["episode"]
    assert (episode["r"].dtype, episode["l"].dtype) == (np.float64, np.int32)
    assert info["_episode"].any()
    return info["_episode"].tolist(), episode["r"].tolist(), episode["l"].tolist()


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1"])
def test_equals_gymnasiums_wrapper(task_id: str, mode: str) -> None:
    autoreset = gymnasium.vector.AutoresetMode[mode.upper()]
    theirs = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        gymnasium.make_vec(
            task_id,
            num_envs=3,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": autoreset},
        )
    )
    seen = 0
    with parallel_pool.make(task_id, num_envs=3, autoreset_mode=mode, **ON) as pool:
        pool.reset(seed=3)
        theirs.reset(seed=3)
        for _ in range(450):
            action = theirs.action_space.sample()
            mine, other = pool.step(action)[4], theirs.step(action)[4]
            assert ("episode" in mine) == ("episode" in other)
            if "episode" in mine:
                seen += 1
                for name in ("r", "l"):
                    np.testing.assert_array_equal(mine["episode"][name], other["episode"][name])
                np.testing.assert_array_equal(mine["_episode"], other["_episode"])
    theirs.close()
    assert seen >= 2


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("options", [{}, {"episodic_life": True, "reward_clip": True}])
def test_scores_of_whole_games(options: dict[str, Any], mode: str) -> None:
    """Neither a clipped reward nor a lost life changes them."""
    with parallel_pool.make(
        "SpaceInvaders-v5", num_envs=4, autoreset_mode=mode, max_episode_steps=400, **ON, **options
    ) as pool:
        pool.reset()
        rng = np.random.default_rng(0)
        scores, steps, games, lives_lost = np.zeros(4), np.zeros(4, int), 0, 0
        for _ in range(1200):
            _, reward, terminated, truncated, info = pool.step(rng.integers(0, 6, 4))
            final = info.get("final_info", info)
            over = truncated.copy()
            for i in range(4):
                ended = bool(terminated[i] | truncated[i])
                shown = final if mode == "same_step" and ended else info
                stepped = mode == "same_step" or info["elapsed_step"][i] > 0 or ended
                scores[i] += shown["reward"][i]
                steps[i] += stepped and (ended or info["elapsed_step"][i] != 0)
                over[i] |= bool(shown["terminated"][i]) and ended
                lives_lost += ended and not over[i]
            got = info.get("_episode", np.zeros(4, bool))
            np.testing.assert_array_equal(got, over)
            if over.any():
                games += int(over.sum())
                np.testing.assert_array_equal(info["episode"]["r"], np.where(over, scores, 0))
                scores[over] = steps[over] = 0
        assert games >= 4
        assert (lives_lost > 0) == bool(options)


def test_lengths_where_a_life_ends_an_episode() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=2, lives=2, max_episode_steps=9, **ON) as pool:
        pool.reset()
        assert summary(pool.step([FINE, FINE])[4]) is None
        assert summary(pool.step([END, FINE])[4]) == ([True, False], [2, 0], [2, 0])
        assert summary(pool.step([FINE, FINE])[4]) is None  # env 0 goes on in its world
        assert summary(pool.step([END, FINE])[4]) == ([True, False], [1, 0], [1, 0])


# The actions of Game-v0.
GO_ON, LOSE_LIFE, LOSE_LAST, END_GAME = range(4)


@pytest.mark.parametrize(
    ("mode", "actions", "seen"),
    [
        (
            "next_step",
            [GO_ON, LOSE_LAST, GO_ON, GO_ON, LOSE_LIFE, GO_ON, END_GAME],
            [None, None, ([True], [20], [2]), None, None, None, ([True], [30], [3])],
        ),
        (
            "same_step",
            [LOSE_LIFE, LOSE_LAST, GO_ON, LOSE_LIFE, END_GAME, LOSE_LAST],
            [None, ([True], [20], [2]), None, None, ([True], [30], [3]), ([True], [10], [1])],
        ),
    ],
)
def test_a_game_that_ends_between_two_episodes(mode: str, actions: Any, seen: Any) -> None:
    """The row that first shows another game has the statistics of the game that ended unseen."""
    with parallel_pool.make("Game-v0", autoreset_mode=mode, **ON) as pool:
        pool.reset()
        assert [summary(pool.step([action])[4]) for action in actions] == seen


def test_a_life_that_a_reset_cuts_off_is_no_episode() -> None:
    with parallel_pool.make("Game-v0", **ON) as pool:
        pool.reset()
        pool.step([LOSE_LAST])
        assert "episode" not in pool.reset()[1]
        assert summary(pool.step([LOSE_LIFE])[4]) is None
        state = pool.save()
        assert summary(pool.step([GO_ON])[4]) is None  # the next life
        assert summary(pool.step([LOSE_LAST])[4]) is None
        assert summary(pool.step([GO_ON])[4]) == ([True], [20], [2])
        pool.load(state)
        assert summary(pool.step([GO_ON])[4]) is None
        assert summary(pool.step([END_GAME])[4]) == ([True], [20], [2])


def test_a_reset_begins_again() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=2, **ON) as pool:
        pool.reset()
        pool.step([FINE, FINE])
        assert "episode" not in pool.reset(options={"reset_mask": np.array([True, False])})[1]
        assert summary(pool.step([END, END])[4]) == ([True, True], [1, 2], [1, 2])


def test_a_failed_env_has_no_statistics() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=2, **ON) as pool:
        pool.reset()
        pool.step([FINE, FINE])
        with pytest.raises(parallel_pool.EnvError) as error:
            pool.step([THROW, FINE])
        assert summary(error.value.result[4]) is None
        pool.step([FINE, FINE])
        assert summary(pool.step([END, END])[4]) == ([True, True], [1, 4], [1, 4])


def test_truncated_and_shown_ends() -> None:
    options: dict[str, Any] = {"lives": 9, "episode_continues": True, "max_episode_steps": 3}
    with parallel_pool.make("Trouble-v0", **options, **ON) as pool:
        pool.reset()
        seen = [summary(pool.step([action])[4]) for action in (END, FINE, FINE, FINE)]
        assert seen == [None, None, ([True], [3], [3]), None]


@pytest.mark.parametrize("num_threads", [1, 3])
def test_async_pools(num_threads: int) -> None:
    with parallel_pool.make(
        "CartPole-v1", num_envs=16, batch_size=5, num_threads=num_threads, **ON
    ) as pool:
        pool.async_reset()
        returns = np.zeros(16)
        ended = 0
        for _ in range(600):
            _, reward, terminated, truncated, info = pool.recv()
            ids = info["env_id"]
            returns[ids] += reward
            done = terminated | truncated
            assert ("episode" in info) == done.any()
            if done.any():
                np.testing.assert_array_equal(info["_episode"], done)
                np.testing.assert_array_equal(info["episode"]["r"][done], returns[ids][done])
                np.testing.assert_array_equal(
                    info["episode"]["l"][done], info["elapsed_step"][done]
                )
                returns[ids[done]] = 0
                ended += int(done.sum())
            pool.send(ids % 2, ids)
        assert ended > 100


def test_states_keep_them() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=1, **ON) as pool:
        pool.reset()
        pool.step([FINE])
        state = pool.save()
        pool.step([FINE])
        pool.load(state)
        assert summary(pool.step([END])[4]) == ([True], [2], [2])
        with parallel_pool.make("Trouble-v0", num_envs=1) as plain:
            plain.load(state)
            assert "episode" not in plain.step([END])[4]


def test_dm_env_always_has_them() -> None:
    with parallel_pool.make_dm("Trouble-v0", num_envs=2, **ON) as pool:
        pool.reset()
        spec = pool.observation_spec()
        for actions, returns in (([FINE, FINE], [0, 0]), ([END, FINE], [2, 0])):
            observation = pool.step(actions).observation
            assert observation._fields == spec._fields
            assert observation.episode.r.tolist() == observation.episode.l.tolist() == returns


def test_a_single_env() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=None, **ON) as env:
        env.reset()
        assert "episode" not in env.step(FINE)[4]
        info = env.step(END)[4]
        assert info["episode"] == {"r": 2.0, "l": 2}
        assert "_episode" not in info


@pytest.mark.parametrize("batch_size", [0, 1])
@pytest.mark.parametrize("task_id", ["TicTacToe-v0", "SimpleTag-v3", "Duo-v0", "Lesson-v0"])
def test_each_player_has_a_return(task_id: str, batch_size: int) -> None:
    options: dict[str, Any] = {"num_envs": 3, "batch_size": batch_size, "max_episode_steps": 9}
    has_rewards = parallel_pool.make_spec(task_id).has_player_rewards
    with parallel_pool.make(task_id, **options, **ON) as pool:
        players = len(pool.spec.players)
        returns = np.zeros((3, players if has_rewards else 1))
        pool.async_reset()
        rng = np.random.default_rng(0)
        ends = 0
        for _ in range(80):
            _, reward, terminated, truncated, info = pool.recv()
            env_id = info["players"]["env_id"]
            agent = info["players"].get("agent", np.arange(len(env_id)) % max(players, 1))
            where = (env_id, agent) if has_rewards else (info["env_id"], 0)
            np.add.at(returns, where, reward)
            done = terminated | truncated
            np.testing.assert_array_equal(info.get("_episode", np.zeros(len(done), bool)), done)
            if done.any():
                ends += int(done.sum())
                over = np.isin(where[0], info["env_id"][done])
                wanted = np.where(over, returns[where], 0)
                np.testing.assert_allclose(info["episode"]["r"], wanted, rtol=1e-6)
                assert (info["episode"]["l"][done] == info["elapsed_step"][done]).all()
                returns[info["env_id"][done]] = 0
            pool.send(random_actions(pool.spec, rng, len(done), info), info["env_id"])
        assert ends >= 4


def test_states_keep_the_returns_of_players() -> None:
    with parallel_pool.make("SimpleTag-v3", max_episode_steps=4, **ON) as pool:
        pool.reset(seed=1)
        total = pool.step([1, 2, 3, 4])[1].astype(float)
        total += pool.step([1, 2, 3, 4])[1]
        state = pool.save()
        pool.reset()
        pool.load(state)
        total += pool.step([1, 2, 3, 4])[1]
        *_, reward, _, _, info = pool.step([1, 2, 3, 4])
        np.testing.assert_allclose(info["episode"]["r"], total + reward, rtol=1e-6)
        spec = parallel_pool.make_spec("SimpleTag-v3", **ON)
        assert spec.episode_info[0].players == 4
        with parallel_pool.make("SimpleTag-v3", max_episode_steps=4) as plain:
            plain.load(state)
    with parallel_pool.make_dm("SimpleTag-v3", num_envs=2, **ON) as env:
        assert env.reset().observation.episode.r.shape == (8,)


def test_off_and_refused() -> None:
    with parallel_pool.make("Trouble-v0") as pool:
        pool.reset()
        assert "episode" not in pool.step([END])[4]
    with pytest.raises(ValueError, match=r"no info 'players\.agent' that says who has"):
        parallel_pool.make("Crowd-v0", **ON)
    with pytest.raises(TypeError, match="record_episode_statistics must be True or False, not 1"):
        parallel_pool.make("CartPole-v1", record_episode_statistics=1)
    assert "info         episode.r" in str(parallel_pool.make_spec("CartPole-v1", **ON))
