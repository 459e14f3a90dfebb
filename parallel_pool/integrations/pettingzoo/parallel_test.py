"""parallel_env() with PettingZoo's own tests, and compared with mpe2 by ==."""

import copy
import importlib
import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test
from pettingzoo.utils.conversions import parallel_to_aec

import parallel_pool.testing.testing_family  # noqa: F401
from parallel_pool.integrations.pettingzoo import ParallelEnv, parallel_env

TASKS = {
    "SimpleSpread-v3": "simple_spread_v3",
    "SimpleSpeakerListener-v4": "simple_speaker_listener_v4",
    "SimpleWorldComm-v3": "simple_world_comm_v3",
}


@pytest.mark.filterwarnings("ignore:.*reset\\(\\) leaves out the option 'options'")
@pytest.mark.parametrize("task_id", TASKS)
def test_passes_the_tests_of_pettingzoo(task_id: str) -> None:
    parallel_api_test(parallel_env(task_id, render_mode="rgb_array"), num_cycles=100)
    parallel_seed_test(lambda: parallel_env(task_id, continuous_actions=True), num_cycles=60)


def equal(mine: Any, other: Any) -> None:
    """Asserts that two dicts by player have the same arrays and numbers."""
    assert list(mine) == list(other)
    for name in mine:
        np.testing.assert_array_equal(mine[name], other[name], strict=True)


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("task_id", TASKS)
def test_equals_mpe2(task_id: str, continuous: bool) -> None:
    env = parallel_env(task_id, continuous_actions=continuous)
    other = importlib.import_module(f"mpe2.{TASKS[task_id]}").parallel_env(
        continuous_actions=continuous
    )
    assert env.possible_agents == other.possible_agents
    for k, name in enumerate(env.possible_agents):
        assert env.observation_space(name) == other.observation_space(name)
        env.action_space(name).seed(k)
    for episode in range(3):
        seed = 5 if episode == 0 else None
        equal(env.reset(seed=seed)[0], other.reset(seed=seed)[0])
        assert env.agents == other.agents
        np.testing.assert_array_equal(env.state(), other.state(), strict=True)
        while env.agents:
            action = {name: env.action_space(name).sample() for name in env.agents}
            mine, reference = env.step(action), other.step(action)
            equal(mine[0], reference[0])
            assert mine[1] == {name: float(value) for name, value in reference[1].items()}
            assert mine[2:4] == reference[2:4]
            assert env.agents == other.agents
            np.testing.assert_array_equal(env.state(), other.state(), strict=True)
    assert env.state_space == other.state_space
    env.close()
    env.close()


def test_rewards_and_infos_are_of_each_player() -> None:
    env = parallel_env("SimpleTag-v3", max_episode_steps=2)
    _, infos = env.reset()
    assert infos["agent_0"] == {"elapsed_step": 0, "role": 1}
    _, rewards, terminated, truncated, infos = env.step(dict.fromkeys(env.agents, 0))
    assert all(type(reward) is float for reward in rewards.values())
    assert infos["adversary_2"] == {"elapsed_step": 1, "role": 0}
    _, _, terminated, truncated, _ = env.step(dict.fromkeys(env.agents, np.int64(1)))
    assert terminated == dict.fromkeys(env.possible_agents, False)
    assert truncated == dict.fromkeys(env.possible_agents, True)
    assert env.agents == []


def test_pickles_render_and_become_an_aec_env() -> None:
    env = parallel_env("SimpleSpread-v3", render_mode="rgb_array", N=2, seed=4)
    again = pickle.loads(pickle.dumps(env))
    equal(env.reset()[0], again.reset()[0])
    assert env.render().shape == (700, 700, 3)
    assert env.metadata["name"] == str(env) == "SimpleSpread-v3"
    assert env.metadata["render_modes"] == ["rgb_array", "human"]
    aec = parallel_to_aec(env)
    aec.reset(seed=1)
    assert [name for name in aec.agent_iter(4) if aec.step(0) is None] == env.possible_agents * 2


def test_a_deep_copy_continues_as_the_original() -> None:
    env = parallel_env("SimpleTag-v3", max_episode_steps=5)
    env.reset(seed=2)
    actions = dict.fromkeys(env.agents, 1)
    env.step(actions)
    other = copy.deepcopy(env)
    for _ in range(2):
        for mine, theirs in zip(other.step(actions), env.step(actions), strict=True):
            assert str(mine) == str(theirs)
    np.testing.assert_array_equal(other.state(), env.state())
    mine, theirs = other.reset()[0], env.reset()[0]  # the random numbers go on, too
    assert str(mine) == str(theirs)
    new = copy.deepcopy(parallel_env("SimpleTag-v3"))  # before the first reset
    assert new.agents == []
    with pytest.raises(ValueError, match="call reset"):
        new.step(actions)


def test_players_may_have_dicts_of_their_own() -> None:
    env = parallel_env("Lesson-v0")
    obs, _ = env.reset()
    assert {name: rows["force"].shape for name, rows in obs.items()} == {
        "teacher_0": (3,),
        "pupil_0": (2,),
    }
    teacher = {"word": 6, "marks": [2, 3], "force": [1.5, 2.5, 3.5]}
    pupil = {"word": 1, "marks": [1], "force": [0.5, -1.0]}
    obs, reward, _, _, _ = env.step({"pupil_0": pupil, "teacher_0": teacher})
    assert obs["teacher_0"]["force"].tolist() == teacher["force"]
    assert obs["pupil_0"]["force"].tolist() == pupil["force"]
    assert obs["pupil_0"]["marks"].tolist() == pupil["marks"]
    assert obs["pupil_0"] in env.observation_space("pupil_0")
    assert reward == {"teacher_0": 6 + 0.1, "pupil_0": 2 * (6 + 0.1)}
    with pytest.raises(TypeError, match=r"state\(\) needs observations that are Boxes"):
        env.state()


@pytest.mark.filterwarnings("ignore:.*leaves out the option 'options'")
def test_an_action_may_be_a_dict() -> None:
    env = parallel_env("VizdoomCig-v0", max_episode_steps=10, seed=1)
    parallel_api_test(env, num_cycles=12)
    env.reset(seed=1)
    still = {name: env.action_space(name).sample() for name in env.agents}
    for action in still.values():
        action["binary"][:] = 0
        action["continuous"][:] = 0
    _, _, _, _, infos = env.step(still)
    assert infos["player_1"]["health"] == 100
    del still["player_1"]["binary"]
    with pytest.raises(ValueError, match="the action of player_1 has no 'binary'"):
        env.step(still)
    env.close()


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ({"speaker_0": 0}, "SimpleSpeakerListener-v4: there is no action of listener_0"),
        (
            {"speaker_0": 0, "listener_0": 0, "listener": 0},
            "'listener' is no player who acts now; did you mean listener_0",
        ),
        (
            {"speaker_0": 3, "listener_0": 0},
            r"action\[0\] of speaker_0 is 3; allowed are the integers 0 to 2",
        ),
        (
            {"speaker_0": 0, "listener_0": [1, 2]},
            r"action of listener_0 has shape \(2,\); it must be \(\)",
        ),
    ],
)
def test_wrong_actions_are_refused(actions: dict[str, Any], words: str) -> None:
    env = parallel_env("SimpleSpeakerListener-v4", seed=3)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=words):
        env.step(actions)
    other = parallel_env("SimpleSpeakerListener-v4")
    other.reset(seed=0)
    good = {"speaker_0": 1, "listener_0": 2}
    equal(env.step(good)[0], other.step(good)[0])


def test_fractions_are_refused() -> None:
    env = parallel_env("SimpleSpread-v3")
    env.reset()
    with pytest.raises(ValueError, match=r"of agent_0 is 0\.5; allowed are the integers 0 to 4"):
        env.step(dict.fromkeys(env.agents, 0.5))


def test_a_step_needs_a_reset() -> None:
    env = parallel_env("Simple-v3", max_episode_steps=1)
    with pytest.raises(ValueError, match=r"Simple-v3: no episode runs; call reset\(\) first"):
        env.step({"agent_0": 0})
    env.reset()
    env.step({"agent_0": 0})
    with pytest.raises(ValueError, match="no episode runs"):
        env.step({"agent_0": 0})


@pytest.mark.parametrize(
    ("task_id", "options", "error", "words"),
    [
        ("Crowd-v0", {}, ValueError, "its action 'door' is of the env as a whole, not of a player"),
        ("CartPole-v1", {}, ValueError, "has one player; use Gymnasium's API: parallel_pool.make"),
        ("TicTacToe-v0", {}, ValueError, r"take turns; use aec_env\('TicTacToe-v0'\)"),
        ("SimpleTag-v3", {"num_envs": 2}, TypeError, "parallel_env sets num_envs itself"),
        ("SimpleTag-v3", {"num_goods": 2}, TypeError, "did you mean num_good"),
    ],
)
def test_other_tasks_are_refused(
    task_id: str, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=f"^{task_id}.*{words}"):
        parallel_env(task_id, **options)


def test_an_unknown_player_has_no_space() -> None:
    env = parallel_env("SimpleSpread-v3")
    with pytest.raises(ValueError, match="no player 'agent_3'; did you mean agent_2"):
        env.observation_space("agent_3")
    with pytest.raises(ValueError, match="SimpleSpread-v3: there is no player 'bob'; there are"):
        env.action_space("bob")


def test_an_unknown_reset_option_is_left_out_with_a_warning() -> None:
    env = ParallelEnv("Simple-v3")
    with pytest.warns(UserWarning, match="Simple-v3: .* leaves out the option 'x'; this task has"):
        env.reset(options={"x": 1})
