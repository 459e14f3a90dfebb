"""Agents who share a robot equal those of Gymnasium-Robotics on the same MuJoCo, step for step."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.integrations.pettingzoo import ParallelEnv, parallel_env
from parallel_pool.testing.form import by_form
from parallel_pool.testing.robotics import multi_agent

SEEDS = by_form((3,), (0, 42, 1234567))
LIMIT = by_form(15, 200)  # steps of an episode
EPISODES = by_form(3, 4)

DIVISIONS: dict[str, list[str | None]] = {
    "Ant": ["2x4", "2x4d", "4x2", None],
    "HalfCheetah": ["2x3", "6x1", None],
    "Hopper": ["3x1", None],
    "Humanoid": ["9|8", None],
    "HumanoidStandup": ["9|8", None],
    "Reacher": ["2x1", None],
    "Swimmer": ["2x1", None],
    "Pusher": ["3p", None],
    "Walker2d": ["2x3", None],
    "InvertedPendulum": [None],
    "InvertedDoublePendulum": [None],
    "CoupledHalfCheetah": ["1p1", None],
    "ManySegmentSwimmer": ["2x1", "2x3", "10x2", "6x1"],
    "ManySegmentAnt": ["1x1", "2x3", "3x1", "11x1"],
}
PLAYED = [
    (robot, conf, distance)
    for robot, confs in DIVISIONS.items()
    for conf in confs
    for distance in ((0, 1, 2, 4) if conf else (1,))
]
OPTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("Ant", "4x2", {"local_categories": [["qvel"], ["cfrc_ext", "qpos"]]}),
    ("Ant", "2x4", {"global_categories": ("qvel",), "ctrl_cost_weight": 2.5}),
    ("Humanoid", "9|8", {"local_categories": [["qfrc_actuator", "cinert"], ["cvel"]]}),
    ("HalfCheetah", "6x1", {"local_categories": [["qfrc_actuator"], ["qpos"], ["qvel"]]}),
    ("Hopper", "3x1", {"global_categories": ("qvel", "qpos"), "frame_skip": 2}),
    ("ManySegmentAnt", "3x1", {"local_categories": [["qpos"], ["cfrc_ext"]]}),
]


def compare(mine: ParallelEnv, theirs: Any, seed: int) -> int:
    """Plays both with the same random actions; the number of terminated episodes."""
    random = np.random.default_rng(seed)
    assert mine.possible_agents == theirs.possible_agents
    for name in theirs.possible_agents:
        assert mine.observation_space(name) == theirs.observation_space(name)
        assert mine.action_space(name) == theirs.action_space(name)
    terminated = 0
    for episode in range(EPISODES):
        at = seed if episode == 0 else None
        expected: Any = theirs.reset(seed=at)
        results: Any = mine.reset(seed=at)
        while True:
            for name in theirs.possible_agents:
                np.testing.assert_array_equal(results[0][name], expected[0][name], strict=True)
                for key, value in expected[-1][name].items():
                    np.testing.assert_array_equal(results[-1][name][key], value, err_msg=key)
                assert [part[name] for part in results[1:-1]] == [
                    part[name] for part in expected[1:-1]
                ]
            np.testing.assert_array_equal(mine.state(), theirs.state(), strict=True)
            if len(results) == 5 and not mine.agents:
                assert theirs.agents == []
                terminated += any(results[2].values())
                break
            dtype = random.choice(["float32", "float64"])  # of all, as one array has them here
            actions = {
                name: random.uniform(*bounds(theirs.action_space(name))).astype(dtype)
                for name in theirs.possible_agents
            }
            expected, results = theirs.step(actions), mine.step(actions)
    return terminated


def bounds(space: Any) -> tuple[Any, Any]:
    """A little more than the allowed values."""
    return 1.2 * space.low, 1.2 * space.high


def make_both(robot: str, conf: str | None, **options: Any) -> tuple[ParallelEnv, Any]:
    """The env here, and Gymnasium-Robotics'. Its CoupledHalfCheetah takes no time limit."""
    limit = {} if robot == "CoupledHalfCheetah" else {"max_episode_steps": LIMIT}
    task_id = f"MaMuJoCo{robot}-v1"
    mine = parallel_env(task_id, agent_conf=conf or "", **{"max_episode_steps": LIMIT} | options)
    theirs = multi_agent(robot, conf, **limit | options)
    if not limit:
        theirs.single_agent_env._max_episode_steps = LIMIT
    return mine, theirs


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("robot", "conf", "distance"), PLAYED)
def test_equals_gymnasium_robotics(robot: str, conf: str | None, distance: int, seed: int) -> None:
    compare(*make_both(robot, conf, agent_obsk=distance), seed)


@pytest.mark.parametrize(("robot", "conf", "options"), OPTIONS)
def test_with_options(robot: str, conf: str, options: dict[str, Any]) -> None:
    distance = len(options.get("local_categories", "--")) - 1
    compare(*make_both(robot, conf, agent_obsk=distance, **options), 5)


def test_episodes_that_terminate() -> None:
    mine, theirs = make_both("Hopper", "3x1", max_episode_steps=100)
    assert compare(mine, theirs, 1) == EPISODES


def test_a_pool_has_the_rows_of_single_envs() -> None:
    options: dict[str, Any] = {"agent_conf": "6x1", "max_episode_steps": 12}
    pool = parallel_pool.make_gymnasium("MaMuJoCoHalfCheetah-v1", num_envs=9, seed=2, **options)
    envs = [parallel_env("MaMuJoCoHalfCheetah-v1", **options) for _ in range(9)]
    obs, info = pool.reset()
    rows = [row for i, env in enumerate(envs) for row in env.reset(seed=2 + i)[0].values()]
    action = np.random.default_rng(0).uniform(-1, 1, (10, 54, 1)).astype(np.float32)
    for step in range(10):
        assert obs.shape == (54, 9)
        for mine, own in zip(obs, rows, strict=True):
            np.testing.assert_array_equal(mine, np.pad(own, (0, 9 - len(own))))
        assert info["state"].shape == (9, 17)
        obs, reward, *_, info = pool.step(action[step])
        played = [
            env.step(dict(zip(env.agents, action[step, 6 * i : 6 * i + 6], strict=True)))
            for i, env in enumerate(envs)
        ]
        rows = [row for result in played for row in result[0].values()]
        assert reward.shape == (9,)
        np.testing.assert_array_equal(
            reward, np.array([result[1]["agent_0"] for result in played], np.float32)
        )


@pytest.mark.parametrize(
    ("robot", "options", "words"),
    [
        ("Ant", {"agent_conf": "3x3"}, "'3x3'; allowed are '2x4', '2x4d', '4x2', and ''"),
        ("InvertedPendulum", {"agent_conf": "2x1"}, "allowed is '' for one agent"),
        ("ManySegmentAnt", {"agent_conf": "2y3"}, "'2y3'; it must be 'AxB'"),
        ("ManySegmentAnt", {"agent_conf": "33x1"}, "1 to 32 segments in all"),
        ("ManySegmentAnt", {"agent_conf": "99999999999x1"}, "it must be 'AxB'"),
        ("ManySegmentSwimmer", {"agent_conf": "1x1"}, "2 to 32 segments in all"),
        ("ManySegmentSwimmer", {"agent_conf": ""}, "it must be 'AxB'"),
        ("Ant", {"local_categories": ["qpos qwel"]}, "has 'qwel'; allowed are cfrc_ext, cinert"),
        ("Ant", {"global_categories": ["cvel"]}, "has 'cvel'; allowed are qpos, qvel"),
        ("Ant", {"agent_obsk": -1}, "agent_obsk"),
        ("Ant", {"from_pixels": True}, "from_pixels"),
        ("ManySegmentAnt", {"xml_file": "ant.xml"}, "xml_file"),
        ("Ant", {"xml_file": "reacher.xml"}, "4 positions, 2 motors .* it must have those of Ant"),
        ("HalfCheetah", {"xml_file": "humanoid.xml"}, "it must have those of HalfCheetah"),
    ],
)
def test_what_is_refused(robot: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        parallel_pool.make(f"MaMuJoCo{robot}-v1", **options)
