"""Players, actions and rewards of the tasks, where mpe2 has no row to compare."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.mpe.reference import TASKS, reference_env
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.testing.any_order import assert_same_in_any_order

spaces = gymnasium.spaces


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("task_id", TASKS)
def test_players_are_those_of_mpe2(task_id: str, continuous: bool) -> None:
    spec = parallel_pool.make_spec(task_id, continuous_actions=continuous)
    env = reference_env(task_id, continuous_actions=continuous)
    assert [player.name for player in spec.players] == env.possible_agents
    for player in spec.players:
        assert player.role == player.name.rsplit("_", 1)[0]
        assert player.observation_space == env.observation_space(player.name)
        own = env.action_space(player.name)
        assert player.action_space.shape == own.shape
        if continuous:
            assert player.action_space == own
        else:
            assert player.action_space.n == own.n  # type: ignore[attr-defined]


def test_infos_name_the_player_of_each_row() -> None:
    with parallel_pool.make("SimpleWorldComm-v3", num_envs=2) as pool:
        players = pool.reset()[1]["players"]
        assert players["agent"].tolist() == [0, 1, 2, 3, 4, 5] * 2
        assert players["role"].tolist() == [0, 1, 1, 1, 2, 2] * 2
        assert players["env_id"].tolist() == [0] * 6 + [1] * 6
        assert players["agent"].dtype == players["role"].dtype == np.int32


def test_float32_rewards_are_rounded() -> None:
    rewards = []
    for dtype in ("float32", "float64"):
        with parallel_pool.make(
            "SimpleTag-v3", num_envs=3, max_episode_steps=60, reward_dtype=dtype
        ) as pool:
            random = np.random.default_rng(0)
            pool.reset()
            steps = [pool.step(random_actions(pool.spec, random, 3))[1] for _ in range(150)]
        rewards.append(np.array(steps))
    assert [reward.dtype for reward in rewards] == ["float32", "float64"]
    assert (rewards[0] != rewards[1]).any()
    np.testing.assert_array_equal(rewards[0], rewards[1].astype(np.float32), strict=True)


@pytest.mark.parametrize("task_id", ["SimpleSpeakerListener-v4", "SimpleTag-v3"])
def test_async_pools_play_the_same(task_id: str) -> None:
    assert_same_in_any_order(task_id, 60)


def test_some_envs_may_be_reset_and_loaded() -> None:
    task_id = "SimpleReference-v3"
    random = np.random.default_rng(1)
    with (
        parallel_pool.make(task_id, num_envs=3) as pool,
        parallel_pool.make(task_id, num_envs=3) as other,
    ):
        pool.reset()
        other.reset()
        for step in range(40):
            action = random_actions(pool.spec, random, 3)
            first = pool.step(action)
            for env in (2, 0, 1):
                own = other.step(action[2 * env : 2 * env + 2], [env])
                for a, b in zip(first[:2], own[:2], strict=True):
                    np.testing.assert_array_equal(a[2 * env : 2 * env + 2], b, strict=True)
            if step == 10:
                obs, _ = pool.reset([1])
                np.testing.assert_array_equal(obs, other.reset([1])[0])
            if step == 20:  # a pool with other goals, colors and random numbers goes on with it
                data = pool.save()
                other.reset(seed=1000)
                other.load(data)


@pytest.mark.parametrize(
    ("task_id", "options", "action", "words"),
    [
        (
            "SimpleSpeakerListener-v4",
            {},
            [3, 0],
            r"action\[0\] of speaker_0 is 3; allowed are the integers 0 to 2",
        ),
        (
            "SimpleWorldComm-v3",
            {},
            [19, 4, 5, 0, 0, 0],
            r"action\[2\] of adversary_1 is 5; allowed are the integers 0 to 4",
        ),
        ("SimpleSpread-v3", {}, [0, 0], r"action has shape \(2,\); it must be \(3,\)"),
        (
            "SimpleSpread-v3",
            {"continuous_actions": True, "N": 1},
            [[0, 0, np.nan, 0, 0]],
            r"action\[0\] \(element 2\) of agent_0 is nan; allowed are finite numbers",
        ),
    ],
)
def test_wrong_actions_are_refused(
    task_id: str, options: dict[str, Any], action: Any, words: str
) -> None:
    with parallel_pool.make(task_id, **options) as pool:
        pool.reset()
        with pytest.raises(ValueError, match=f"^{task_id}: {words}"):
            pool.send(action)
        with pytest.raises(RuntimeError, match="would wait forever"):
            pool.recv()


@pytest.mark.parametrize(
    ("task_id", "options", "words"),
    [
        ("SimpleSpread-v3", {"N": 0}, "N is 0; it must be between 1 and 100"),
        ("SimpleSpread-v3", {"local_ratio": 1.5}, "local_ratio is 1.5; it must be between 0 and 1"),
        ("SimpleTag-v3", {"num_agent_neighbors": -1}, "num_agent_neighbors is -1; it must be"),
        ("SimpleWorldComm-v3", {"num_food": 0}, "num_food is 0; it must be between 1 and 100"),
        ("SimpleTag-v3", {"autoreset_mode": "same_step"}, "allowed are 'next_step' and 'disabled'"),
    ],
)
def test_wrong_options_are_refused(task_id: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^{task_id}: .*{words}"):
        parallel_pool.make(task_id, **options)


def test_actions_outside_of_the_box_are_clipped() -> None:
    action = np.array([[0, 0.25, 3, -1, 0.5]], np.float32)
    with parallel_pool.make("Simple-v3", num_envs=2, continuous_actions=True, seed=[4, 4]) as pool:
        pool.reset()
        obs = pool.step(np.concatenate([action, action.clip(0, 1)]))[0]
        np.testing.assert_array_equal(obs[0], obs[1])
        # Half a time step later: force 5 * (1 - 0.25) and 5 * 0.5, times 0.1.
        np.testing.assert_array_equal(obs[0, :2], np.array([0.375, 0.25], np.float32))


@pytest.mark.parametrize("task_id", TASKS)
def test_dm_env_has_the_same_rows(task_id: str) -> None:
    random = np.random.default_rng(0)
    with (
        parallel_pool.make(task_id, num_envs=2) as pool,
        parallel_pool.make_dm(task_id, num_envs=2) as other,
    ):
        pool.reset()
        assert (other.reset().discount == 1).all()
        for _ in range(30):
            action = random_actions(pool.spec, random, 2)
            obs, reward, *_, info = pool.step(action)
            step = other.step(action)
            np.testing.assert_array_equal(step.observation.obs, obs, strict=True)
            np.testing.assert_array_equal(step.reward, reward, strict=True)
            players = step.observation.players
            np.testing.assert_array_equal(players.role, info["players"]["role"], strict=True)
            other.observation_spec().obs.validate(obs[0])


@pytest.mark.parametrize("task_id", TASKS)
def test_pictures_show_each_entity(task_id: str) -> None:
    with parallel_pool.make(task_id, render_mode="rgb_array") as pool:
        pool.reset()
        first = pool.render()[0]
        assert first.shape == (700, 700, 3)
        assert (first == 255).all(-1).mean() > 0.3
        assert len(np.unique(first.reshape(-1, 3), axis=0)) > 3
        for _ in range(5):
            pool.step(random_actions(pool.spec, np.random.default_rng(0), 1))
        assert (pool.render()[0] != first).any() or task_id == "SimpleCrypto-v3"
        assert pool.metadata["render_fps"] == 10
