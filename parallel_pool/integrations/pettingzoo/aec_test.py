"""aec_env() with PettingZoo's own tests, and compared with its games by ==."""

import copy
from typing import Any

import numpy as np
import pytest
from mpe2 import simple_speaker_listener_v4, simple_tag_v3
from pettingzoo.classic.connect_four import connect_four
from pettingzoo.classic.tictactoe import tictactoe
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils.env_logger import EnvLogger

import parallel_pool.integrations.pettingzoo as adapter
from parallel_pool.integrations.pettingzoo import aec_env
from parallel_pool.integrations.pettingzoo.players import PlayersOfRow

EnvLogger.suppress_output()  # it warns of each illegal move

TASKS = {"TicTacToe-v0": tictactoe, "ConnectFour-v0": connect_four}


@pytest.mark.filterwarnings("ignore:.*reset\\(\\) leaves out the option 'options'")
@pytest.mark.parametrize("task_id", TASKS)
def test_passes_the_tests_of_pettingzoo(task_id: str) -> None:
    api_test(aec_env(task_id, render_mode="rgb_array"), num_cycles=200)
    seed_test(lambda: aec_env(task_id), num_cycles=100)


@pytest.mark.parametrize("illegal", [0.0, 0.1])
@pytest.mark.parametrize("task_id", TASKS)
def test_equals_pettingzoo(task_id: str, illegal: float) -> None:
    random = np.random.default_rng(1)
    env, other = aec_env(task_id), TASKS[task_id].env()
    assert env.possible_agents == other.possible_agents
    ends = set()
    for _ in range(40):
        env.reset()
        other.reset()
        for agent in other.agent_iter():
            assert env.agent_selection == agent
            assert env.agents == other.agents
            obs, reward, terminated, truncated, _ = other.last()
            mine = env.last()
            for key in obs:
                np.testing.assert_array_equal(mine[0][key], obs[key], strict=True)
            assert mine[1:4] == (reward, terminated, truncated)
            action = None
            if terminated or truncated:
                ends.add((reward, truncated))
            else:
                p = np.maximum(obs["action_mask"], illegal)
                action = int(random.choice(len(p), p=p / p.sum()))
            env.step(action)
            other.step(action)
            assert env.rewards == other.rewards
        assert env.agents == []
    assert {(1, False), (-1, False)} <= ends
    assert ({(-1, True), (0, True)} <= ends) == (illegal > 0)


@pytest.mark.parametrize("moves", [0, 1, 3, 5])
def test_a_deep_copy_continues_as_the_original(moves: int) -> None:
    """As a search needs it; the copy and the original do not share a board."""
    env = aec_env("TicTacToe-v0")
    env.reset(seed=1)
    for square in (0, 3, 1, 4, 2)[:moves]:  # the fifth move wins
        env.step(square)
    other = copy.deepcopy(env)
    assert repr(other) == "aec_env('TicTacToe-v0')"
    for _ in range(4):
        for mine, theirs in zip(other.last(), env.last(), strict=True):
            assert str(mine) == str(theirs)
        assert (other.agent_selection, other.rewards) == (env.agent_selection, env.rewards)
        over = env.terminations[env.agent_selection]
        before = str(env.last())
        other.step(None if over else 8 - moves)
        assert str(env.last()) == before
        env.step(None if over else 8 - moves)
        if not env.agents or over or env.terminations[env.agent_selection]:
            break
    assert env.agents == other.agents


def test_a_time_limit_ends_the_game_of_both() -> None:
    env = aec_env("ConnectFour-v0", max_episode_steps=3)
    env.reset()
    for move in range(3):
        env.step(move)
    shown = []
    for agent in env.agent_iter():
        obs, reward, terminated, truncated, info = env.last()
        shown.append((agent, reward, terminated, truncated, int(obs["observation"].sum())))
        env.step(None)
    # player_0 was not there at the end, so it has its last observation.
    assert shown == [("player_0", 0, False, True, 2), ("player_1", 0, False, True, 3)]


@pytest.mark.parametrize("task_id", ["SimpleTag-v3", "SimpleSpeakerListener-v4"])
def test_players_who_act_at_the_same_time_equal_mpe2s_aec(task_id: str) -> None:
    module: Any = {"SimpleTag-v3": simple_tag_v3}.get(task_id, simple_speaker_listener_v4)
    histories = []
    for env in (aec_env(task_id, max_episode_steps=6), module.env(max_cycles=6)):
        env.reset(seed=2)
        seen: dict[str, list[Any]] = {agent: [] for agent in env.possible_agents}
        for agent in env.agent_iter():
            obs, reward, terminated, truncated, _ = env.last()
            seen[agent].append((obs.tolist(), reward, terminated, truncated))
            over = terminated or truncated
            env.step(None if over else len(seen[agent]) % 3)
        histories.append(seen)
        env.close()
    assert list(histories[0]) == list(histories[1])
    assert histories[0] == histories[1]
    assert {len(rows) for rows in histories[0].values()} == {7}


def test_last_returns_the_rewards_since_the_turn_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both games have no rewards before their ends, so each step gets one here."""
    env = aec_env("TicTacToe-v0")
    step = env._env.step
    monkeypatch.setattr(env._env, "step", lambda actions: rewarded(step(actions)))
    env.reset()
    assert env.last()[1] == 0
    for move in range(4):
        env.step(move)
        assert env.last()[1] == 0.5


def rewarded(rows: PlayersOfRow) -> PlayersOfRow:
    """The rows with a reward of 0.5 for each player who is there."""
    return rows._replace(reward=dict.fromkeys(rows.reward, 0.5))


def test_what_a_player_observes_before_its_turn() -> None:
    env = adapter.env("TicTacToe-v0", render_mode="ansi")
    env.reset()
    assert not env.observe("player_2")["observation"].any()
    env.step(4)
    assert env.observe("player_1")["action_mask"].sum() == 9
    assert env.observe("player_2")["action_mask"].tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    assert env.render() == ". . .\n. X .\n. . .\n"
    assert env.metadata["is_parallelizable"] is False


@pytest.mark.parametrize(
    ("task_id", "options", "error", "words"),
    [
        ("CartPole-v1", {}, ValueError, "has one player; use Gymnasium's API"),
        ("TicTacToe-v0", {"autoreset_mode": "next_step"}, TypeError, "sets autoreset_mode itself"),
    ],
)
def test_other_tasks_are_refused(
    task_id: str, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=f"^{task_id}.*{words}"):
        aec_env(task_id, **options)


def test_wrong_moves_are_refused() -> None:
    env = aec_env("TicTacToe-v0")
    for call, argument in ((env.step, 0), (env.observe, "player_1")):
        with pytest.raises(ValueError, match=r"no episode runs; call reset\(\) first"):
            call(argument)
    env.reset()
    with pytest.raises(ValueError, match=r"'bob'.*player_1"):
        env.observe("bob")
    with pytest.raises(ValueError, match="action is None, but player_1 has a move to make"):
        env.step(None)
    with pytest.raises(ValueError, match=r"action\[0\] is 9; allowed are the integers 0 to 8"):
        env.step(9)
    env.step(0)
    with pytest.raises(ValueError, match=r"action\[0\] is -1"):
        env.step(-1)


@pytest.mark.parametrize(
    ("limit", "is_truncated"),
    [(5, True), (6, False)],
)
def test_a_win_in_the_step_of_the_time_limit_has_both_flags(limit: int, is_truncated: bool) -> None:
    env = aec_env("TicTacToe-v0", max_episode_steps=limit)
    env.reset()
    for move in (0, 3, 1, 4, 2):  # the upper row
        env.step(move)
    assert env.rewards == {"player_1": 1.0, "player_2": -1.0}
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {is_truncated}
