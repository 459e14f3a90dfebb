"""Each task, also with options, equals Gymnasium-Robotics' on the same MuJoCo, step for step."""

import functools
import inspect
import pathlib
from typing import Any

import numpy as np
import pytest
from gymnasium.envs.mujoco.ant_v5 import AntEnv

import parallel_pool
from parallel_pool.testing import robotics
from parallel_pool.testing.form import by_form, some
from parallel_pool.testing.gymnasium_parity import (
    Array,
    Policy,
    compare,
    in_a_precision,
    uniform_policy,
)

SEEDS = by_form((42,), (0, 42, 1234567))
NUM_ENVS = by_form(2, 3)
STEPS = 150  # of the short form; the long one plays four whole episodes
# Short plays have a time limit of their own, to see the ends of episodes.
LIMIT: dict[str, Any] = by_form({"max_episode_steps": 60}, {})

_PLACE = "x_position y_position distance_from_origin x_velocity y_velocity"
_ANT = f"{_PLACE} reward_forward reward_ctrl reward_survive"
INFOS = {
    "AntMaze-v5": f"{_ANT} reward_contact success",
    "AntMaze-v4": f"{_ANT} forward_reward success",
    "AntMaze-v3": f"{_ANT} forward_reward",
    "PointMaze-v3": "success",
    "Fetch-v4": "is_success",
    "Hand-v1": "is_success",
    "AdroitHand-v1": "success",
}
TASKS = [task for task in robotics.ids() if task != "FrankaKitchen-v1"]
MAP = [[1, 1, 1, 1, 1, 1], [1, "r", 0, "g", 0, 1], [1, "c", 1, 1, "g", 1], [1, 1, 1, 1, 1, 1]]

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("PointMaze_UMaze-v3", {"continuing_task": False}),
    ("PointMaze_Open-v3", {"reset_target": True}),
    ("PointMaze_OpenDense-v3", {"reset_target": True, "maze_map": MAP}),
    ("PointMaze_UMaze-v3", {"reward_type": "dense", "maze_map": [[1, 0, 0, 0, 0, 1]]}),
    ("AntMaze_UMaze-v5", {"maze_map": MAP, "reset_target": True, "xml_file": "ant.xml"}),
    ("AntMaze_UMaze-v5", {"continuing_task": False, "include_cfrc_ext_in_observation": False}),
    ("AntMaze_Open-v5", {"ctrl_cost_weight": 0.3, "healthy_z_range": (0.5, 0.6), "frame_skip": 3}),
    ("AntMaze_Open-v4", {"use_contact_forces": True, "reward_type": "dense"}),
    ("AntMaze_Open-v3", {"continuing_task": False, "maze_map": MAP}),
    ("FetchPush-v4", {"reward_type": "dense"}),
    ("AdroitHandDoor-v1", {"reward_type": "sparse"}),
    ("HandReach-v3", {"reward_type": "dense", "distance_threshold": 0.2}),
    ("HandReach-v3", {"initial_qpos": {"robot0:WRJ0": -0.3, "robot0:FFJ2": 0.9}}),
    (
        "HandManipulateBlock_BooleanTouchSensors-v1",
        {"touch_get_obs": "log", "target_position": "fixed", "reward_type": "dense"},
    ),
    (
        "HandManipulateEgg-v1",
        {"target_rotation": "z", "target_position": "ignore", "rotation_threshold": 2.0},
    ),
    (
        "HandManipulateEgg-v1",
        {
            "target_rotation": "parallel",
            "randomize_initial_position": False,
            "randomize_initial_rotation": False,
            "distance_threshold": 0.05,
            "ignore_z_target_rotation": True,
        },
    ),
]


def family(task: str) -> str:
    """PointMaze-v3 of PointMaze_UMazeDense-v3."""
    name, version = task.split("-")
    if task.startswith("Hand"):
        return "Hand-v1"
    for robot in ("Fetch", "AdroitHand"):
        if name.startswith(robot):
            return f"{robot}-{version}"
    return name.split("_")[0] + "-" + version


def rows(obs: Any) -> Array:
    """The arrays of the dict side by side, as flatten_observation has them."""
    if not isinstance(obs, dict):
        obs = {"obs": obs}
    return np.concatenate([obs[key] for key in sorted(obs)], axis=-1)


class Seeker:
    """Moves what must be moved straight to the goal, with some noise, and counts arrivals."""

    def __init__(self, size: int, actions: int, speed: float, near: float) -> None:
        """For goals of `size` numbers; an action is `speed` times the way."""
        self.size, self.actions, self.speed, self.near = size, actions, speed, near
        self.precisions = np.random.default_rng(0)
        self.arrivals = 0

    def __call__(self, random: np.random.Generator, obs: Array) -> Array:
        """The actions."""
        way = obs[:, self.size : 2 * self.size] - obs[:, : self.size]
        self.arrivals += int((np.linalg.norm(way, axis=-1) < self.near).sum())
        action = random.normal(size=(len(obs), self.actions))
        action[:, : self.size] = 0.3 * action[:, : self.size] + self.speed * way
        return in_a_precision(self.precisions, action)


def play(task: str, seed: int, policy: Policy | None, steps: int, **options: Any) -> dict[str, int]:
    reference = functools.partial(robotics.make, task, **options)
    if options.get("xml_file") == "ant.xml":
        file = pathlib.Path(inspect.getfile(AntEnv)).with_name("assets") / "ant.xml"
        reference = functools.partial(robotics.make, task, **options | {"xml_file": str(file)})
    space = parallel_pool.make_spec(task).action_space
    return compare(
        task,
        reference,
        seed,
        policy=policy or uniform_policy(space),
        as_array=rows,
        steps=steps,
        num_envs=NUM_ENVS,
        infos=tuple(INFOS[family(task)].split()),
        flatten_observation=True,
        **options,
    )


@pytest.mark.parametrize("task", some(TASKS, 5))
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_the_reference(task: str, seed: int) -> None:
    whole = 4 * (parallel_pool.make_spec(task).max_episode_steps + 1)
    counts = play(task, seed, None, by_form(STEPS, whole), **LIMIT)
    assert sum(counts.values()) > 0, "an end must be compared"


@pytest.mark.parametrize(("task", "options"), OPTIONS)
def test_options_equal_the_references(task: str, options: dict[str, Any]) -> None:
    limit = {"max_episode_steps": 30}
    assert play(task, 7, None, by_form(100, 300), **options, **limit)["truncated"] > 0


@pytest.mark.parametrize(
    ("task", "options", "arrivals"),
    [
        ("PointMaze_Open-v3", {"reset_target": True}, 5),
        ("PointMaze_UMaze-v3", {"continuing_task": False, "maze_map": MAP}, 5),
        ("PointMaze_Open_Diverse_GRDense-v3", {}, 50),
        ("FetchReach-v4", {}, 50),
        ("FetchReachDense-v4", {}, 50),
    ],
)
def test_players_that_reach_goals(task: str, options: dict[str, Any], arrivals: int) -> None:
    is_fetch = task.startswith("Fetch")
    seeker = Seeker(3, 4, 10, 0.05) if is_fetch else Seeker(2, 2, 5, 0.45)
    play(task, 3, seeker, by_form(300, 2000), **options)
    assert seeker.arrivals >= arrivals


@pytest.mark.parametrize("task", TASKS)
def test_task_facts(task: str) -> None:
    reference = robotics.make(task)
    spec = parallel_pool.make_spec(task)
    assert spec.observation_space == reference.observation_space
    assert spec.action_space == reference.action_space
    assert reference.spec is not None
    assert spec.max_episode_steps == reference.spec.max_episode_steps
    assert spec.reward_threshold is reference.spec.reward_threshold is None
