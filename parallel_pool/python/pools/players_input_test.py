"""Tasks with several players: inputs of make() and send(), and the specs of each API."""

import copy
from typing import Any

import dm_env
import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401
from parallel_pool.testing.crowd_model import ALL_LEAVE, CLOSED, END, FILL

SIX = np.arange(6)  # one action for each player of three envs of Duo-v0
IDS = [0, 0, 1, 1, 2, 2]
ITSELF: dict[str, Any] = {}
ITSELF["action"] = ITSELF


@pytest.mark.parametrize(
    ("action", "env_id", "error", "words"),
    [
        (
            SIX[:5],
            None,
            ValueError,
            r"action has shape \(5,\); it must be \(6,\), one row for each ",
        ),
        (SIX[:3], None, ValueError, "one row for each player of these envs"),
        (SIX, [2, 0], ValueError, r"action has shape \(6,\); it must be \(4,\)"),
        (SIX + 6, None, ValueError, r"action\[4\] is 10; allowed are the integers 0 to 9"),
        (
            {"action": SIX, "players.env_id": [0, 0, 1, 2, 1, 2]},
            None,
            ValueError,
            r"players.env_id\[3\] is 2; it must be 1: the players of each env, in the order of",
        ),
        (
            {"action": SIX[:4], "players.env_id": [0, 0, 2, 2], "env_id": [2, 0]},
            None,
            ValueError,
            r"players.env_id\[0\] is 0; it must be 2",
        ),
        (
            {"action": SIX, "players": {"env_id": [0, 1, 2]}},
            None,
            ValueError,
            r"players.env_id has shape \(3,\); it must be \(6,\), one row for each player",
        ),
        ({"action": SIX, "players.env_id": [0.0] * 6}, None, TypeError, "has dtype float64"),
        ({"action": SIX, "players": {"hand": SIX}}, None, ValueError, "array 'players.hand'"),
        ({"action": SIX, "players": SIX}, None, ValueError, "unknown array 'players'"),
        ({"action": SIX, "env_id": [0, 1, 2]}, [0, 2, 1], ValueError, "env_id differs from the"),
        ({"action": SIX, "env_id": [0, 1, 3]}, None, ValueError, r"env_id\[2\] = 3: there is no"),
        ({"env_id": [0, 1, 2]}, None, ValueError, "action has no array action"),
        (ITSELF, None, ValueError, "action has an unknown array 'action.action.action"),
    ],
)
def test_refuses_and_goes_on(action: Any, env_id: Any, error: type[Exception], words: str) -> None:
    with parallel_pool.make("Duo-v0", num_envs=3) as pool:
        pool.reset()
        with pytest.raises(error, match=f"^Duo-v0: .*{words}"):
            pool.send(action, env_id)
        with pytest.raises(RuntimeError, match="would wait forever"):
            pool.recv()
        assert pool.step(SIX)[0].tolist() == SIX.tolist()


@pytest.mark.parametrize(
    ("action", "env_id"),
    [
        (SIX, None),
        (SIX.tolist(), [0, 1, 2]),
        ({"action": SIX}, None),
        ({"action": SIX, "env_id": [0, 1, 2]}, None),
        ({"action": SIX, "env_id": [0, 1, 2]}, np.arange(3)),
        ({"action": SIX, "env_id": None, "players.env_id": IDS}, None),
        ({"action": SIX, "players": {"env_id": np.array(IDS, np.int64)}}, [0, 1, 2]),
        ({"players": {"env_id": IDS, "action": SIX}}, None),
        ({"env_id": [0, 1, 2], "players.action": SIX}, None),
    ],
)
def test_takes_env_ids_in_the_action(action: Any, env_id: Any) -> None:
    with parallel_pool.make("Duo-v0", num_envs=3) as pool:
        pool.reset()
        obs, reward, *_, info = pool.step(action, env_id)
        assert obs.tolist() == SIX.tolist()
        assert reward.tolist() == [-1, -1, -1]
        assert info["env_id"].tolist() == [0, 1, 2]
        assert info["players"]["env_id"].tolist() == IDS


def test_the_order_is_that_of_the_ids() -> None:
    with parallel_pool.make("Duo-v0", num_envs=3) as pool:
        pool.reset()
        action = {"action": [1, 2, 3, 4], "env_id": [2, 0], "players": {"env_id": [2, 2, 0, 0]}}
        obs, *_, info = pool.step(action)
        assert obs.tolist() == [1, 2, 3, 4]
        assert info["env_id"].tolist() == [2, 0]
        assert pool.step(np.zeros(6, int))[0].tolist() == [3, 4, 0, 0, 1, 2]


def test_with_one_player_they_are_the_env_ids() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=3) as pool:
        pool.reset()
        good = {"action": [0, 1], "env_id": [2, 0], "players.env_id": [2, 0]}
        assert pool.step(good)[4]["env_id"].tolist() == [2, 0]
        with pytest.raises(ValueError, match=r"players.env_id\[0\] is 0; it must be 2"):
            pool.step({**good, "players.env_id": [0, 2]})
        with pytest.raises(ValueError, match=r"players.env_id has shape \(1,\)"):
            pool.step({**good, "players.env_id": [2]})


def test_arrays_of_players_and_of_envs_have_rows_of_their_own() -> None:
    with parallel_pool.make("Crowd-v0", num_envs=2) as pool:
        move, door = np.zeros(8, int), np.zeros(2, int)  # before the first batch: 4 per env
        bad: list[tuple[dict[str, Any], str]] = [
            (
                {"players.move": move[:7], "door": door},
                r"\(7,\); it must be \(8,\), .* each player",
            ),
            (
                {"players.move": move, "door": move},
                r"\(8,\); it must be \(2,\), one row for each env",
            ),
            ({"players.move": move}, "action has no array door"),
        ]
        for action, words in bad:
            with pytest.raises(ValueError, match=words):
                pool.step(action)
        pool.step({"players": {"move": move}, "door": door})


def test_make_refuses() -> None:
    for number in (0, 9):
        with pytest.raises(
            ValueError, match=f"max_num_players is {number}; it must be between 1 a"
        ):
            parallel_pool.make("Crowd-v0", max_num_players=number)
    with pytest.raises(ValueError, match="max_num_players is 1; only 2"):
        parallel_pool.make("Duo-v0", max_num_players=1)
    for task_id in ("Crowd-v0", "Duo-v0"):
        with pytest.raises(ValueError, match="allowed are 'next_step' and 'disabled'"):
            parallel_pool.make(task_id, autoreset_mode="same_step")


def test_an_action_alone_may_be_of_players() -> None:
    with parallel_pool.make("Duo-v0", num_envs=2, shared=True, autoreset_mode="same_step") as pool:
        pool.reset()
        for _ in range(2):
            obs, reward, *_, info = pool.step([9, 1, 0, 5])
        assert (obs.tolist(), reward.tolist()) == ([[18, 2], [0, 10]], [8, -5])
        obs, _, terminated, _, info = pool.step([9, 1, 0, 5])
        assert terminated.tolist() == [True, False]
        assert obs.tolist() == [[0, 0], [0, 15]]
        assert info["final_obs"].tolist() == [[27, 3], [0, 0]]
        assert info["players"]["env_id"].tolist() == [0, 0, 1, 1]


def test_an_ended_env_may_wait_for_its_reset() -> None:
    with parallel_pool.make("Crowd-v0", autoreset_mode="disabled") as pool:
        obs, _ = pool.reset()
        pool.step({"players.move": [0] * len(obs["name"]), "door": [END]})
        with pytest.raises(ValueError, match="its episode has ended; reset it first"):
            pool.step({"players.move": [0] * len(obs["name"]), "door": [CLOSED]})
        obs, _ = pool.reset()
        pool.step({"players.move": [0] * len(obs["name"]), "door": [CLOSED]})


def test_max_num_players_is_what_the_env_has() -> None:
    for task_id, most in (("Duo-v0", 2), ("Crowd-v0", 4), ("Trouble-v0", 1)):
        spec = parallel_pool.make_spec(task_id)
        assert spec.config["max_num_players"] == most
        assert next(o for o in spec.options if o.name == "max_num_players").default == most
        with (
            parallel_pool.make(task_id, max_num_players=most) as pool,
            copy.deepcopy(pool) as again,
        ):
            assert again.config == pool.config


def test_options_and_spaces() -> None:
    spec = parallel_pool.make_spec("Crowd-v0", max_num_players=3)
    names = [option.name for option in spec.options]
    assert names.count("max_num_players") == 1
    assert names[-1] == "max_num_players"
    assert spec.config["max_num_players"] == 3
    observation = spec.observation_space
    assert isinstance(observation, gymnasium.spaces.Dict)
    assert set(observation) == {"where", "name", "moves", "room"}
    assert observation["where"]["position"].shape == (2,)  # type: ignore[index]
    assert spec.action_space["players"]["move"] == gymnasium.spaces.Discrete(5)  # type: ignore[index]
    text = str(spec)
    for line in (
        "per player   players.move int32[players]",
        "per player   obs:where.position float32[players, 2]",
        "per player   reward float32[players]",
        "info         players.id int32[players]",
        "info         players.env_id int32[players]",
        "info         env_id int32[]",
    ):
        assert f"  {line}\n" in text
    assert "int32[]\n  info         players.env_id int32[]" in str(
        parallel_pool.make_spec("CartPole-v1")
    ).replace("elapsed_step int32[]", "int32[]")


def test_dm_has_rewards_and_discounts_of_players() -> None:
    with parallel_pool.make_dm("Crowd-v0", num_envs=3, max_episode_steps=50) as pool:
        first = pool.reset()
        assert first.observation._fields == pool.observation_spec()._fields
        assert first.observation.players._fields == pool.observation_spec().players._fields
        players = len(first.reward)
        step = pool.step({"players.move": [1] * players, "door": [FILL] * 3})
        assert (step.reward != 0).all()
        step = pool.step({"players.move": [1] * 12, "door": [END, CLOSED, ALL_LEAVE]}, [2, 0, 1])
        types = dm_env.StepType
        assert step.step_type.tolist() == [types.LAST, types.MID, types.MID]
        assert step.observation.players.env_id.tolist() == [2] * 4 + [0] * 4
        assert step.discount.tolist() == [0] * 4 + [1] * 4
        assert step.discount.dtype == step.reward.dtype == np.float32
        assert step.reward.shape == (8,)
    with parallel_pool.make_dm("Duo-v0", num_envs=2) as pool:
        pool.reset()
        step = pool.step([9, 0, 0, 9])
        assert step.reward.tolist() == [9, -9]
        assert step.discount.tolist() == [1, 1]
        assert step.observation.obs.tolist() == [9, 0, 0, 9]


def test_gym_and_pickles() -> None:
    with parallel_pool.make_gym("Crowd-v0", num_envs=2) as pool:
        obs, info = pool.reset()
        assert len(obs["name"]) == len(info["players"]["env_id"])
        assert pool.action_space["door"].n == 8
