"""All tasks equal highway-env 1.12.1 by ==, with every option."""

from typing import Any

import numpy as np
import pytest

from parallel_pool.envs.highway.reference import TASKS, Reference, action_of, our_options
from parallel_pool.testing.form import by_form, some
from parallel_pool.testing.side_by_side import SideBySide

ENVS = 2

Config = dict[str, Any]
FEATURES = [
    *("presence", "x", "y", "vx", "vy", "heading", "cos_h", "sin_h"),
    *("cos_d", "sin_d", "long_off", "lat_off", "ang_off"),
]


def see(kind: str, **keys: Any) -> Config:
    return {"observation": {"type": kind, **keys}}


def do(kind: str, **keys: Any) -> Config:
    return {"action": {"type": kind, **keys}}


def agents(observation: Config, action: Config, **more: Any) -> Config:
    return {
        "observation": {"type": "MultiAgentObservation", "observation_config": observation},
        "action": {"type": "MultiAgentAction", "action_config": action},
        **more,
    }


FAST, FEW = "highway-fast-v0", {"vehicles_count": 8}
_GRAY = {"observation_shape": (128, 64), "stack_size": 2, "weights": [0.2989, 0.587, 0.114]}
OBSERVATIONS: list[tuple[str, Config]] = [
    (FAST, {**FEW, **see("Kinematics", absolute=True)}),
    (FAST, {**FEW, **see("Kinematics", normalize=False, vehicles_count=15)}),
    (FAST, {**FEW, **see("Kinematics", clip=False, see_behind=True)}),
    (FAST, {**FEW, **see("Kinematics", features=FEATURES, observe_intentions=True)}),
    (
        FAST,
        {
            **FEW,
            **see(
                "Kinematics",
                features=FEATURES,
                order="shuffled",
                features_range={"x": [-50, 60], "vy": [-3, 4], "heading": [-1, 1]},
            ),
        },
    ),
    ("merge-v0", see("Kinematics", include_obstacles=False)),
    ("merge-v0", see("Kinematics", features=FEATURES, vehicles_count=9, normalize=False)),
    ("exit-v0", {"vehicles_count": 10, **see("ExitObservation", see_behind=True)}),
    ("roundabout-v0", see("OccupancyGrid")),
    (FAST, {**FEW, **see("OccupancyGrid", as_image=True, features=["vx", "on_road", "x"])}),
    (
        "roundabout-v0",
        see(
            "OccupancyGrid",
            features=[*FEATURES, "on_road"],
            align_to_vehicle_axes=True,
            grid_size=[[-30, 40], [-10, 12]],
            grid_step=[4, 3],
        ),
    ),
    (FAST, {**FEW, **see("OccupancyGrid", clip=False, features_range={"vx": [-10, 10]})}),
    ("intersection-v0", see("TimeToCollision", horizon=7)),
    ("merge-v1", {"policy_frequency": 2, **see("TimeToCollision")}),
    ("merge-v0", see("LidarObservation", cells=32, maximum_range=40.5, normalize=False)),
    ("racetrack-oval-v0", see("LidarObservation")),
    ("parking-v0", see("KinematicsGoal", features=["x", "vy", "cos_d"], scales=[2, 10, 3])),
    ("lane-keeping-v0", see("AttributesObservation", attributes=["derivative"])),
    (FAST, {**FEW, **see("GrayscaleObservation", **_GRAY)}),
]
ACTIONS: list[tuple[str, Config]] = [
    ("merge-v0", do("DiscreteMetaAction", lateral=False, target_speeds=[10, 15, 20, 25, 30])),
    (FAST, {**FEW, **do("DiscreteMetaAction", longitudinal=False)}),
    (FAST, {**FEW, **do("ContinuousAction", steering_range=[-0.05, 0.05], speed_range=[20, 26])}),
    (FAST, {**FEW, **do("ContinuousAction", dynamical=True, acceleration_range=[-2, 7])}),
    ("roundabout-v0", do("ContinuousAction", lateral=False)),
    ("intersection-v0", do("ContinuousAction", longitudinal=False, steering_range=[-0.1, 0.1])),
    (FAST, {**FEW, **do("DiscreteAction", clip=False, actions_per_axis=7)}),
    ("racetrack-v0", do("DiscreteAction", longitudinal=False, actions_per_axis=5)),
    ("parking-v0", do("DiscreteMetaAction", target_speeds=[-5, 0, 5])),
]
_LANE = {"type": "ContinuousAction", "longitudinal": False}
_GRID = {"type": "OccupancyGrid", "features": ["presence", "vx", "on_road"]}
_SPEEDS = {"type": "DiscreteMetaAction", "lateral": False, "target_speeds": [0, 3, 6, 9]}
_GOAL = {
    "type": "KinematicsGoal",
    "features": ["x", "y", "vx", "vy", "cos_h", "sin_h"],
    "scales": [100, 100, 5, 5, 1, 1],
}
PLAYERS: list[tuple[str, Config]] = [
    (
        FAST,
        agents(
            {"type": "Kinematics", "features": FEATURES},
            {"type": "DiscreteMetaAction"},
            controlled_vehicles=3,
            **FEW,
        ),
    ),
    *(
        (
            f"intersection-multi-agent-v{k}",
            agents({"type": "Kinematics"}, _SPEEDS, controlled_vehicles=4, destination=None),
        )
        for k in (0, 1, 2)
    ),
    ("racetrack-v0", agents(_GRID, _LANE, controlled_vehicles=3)),
    ("parking-v0", agents(_GOAL, {"type": "ContinuousAction"}, controlled_vehicles=3)),
]
DRIVER = "highway_env.vehicle.behavior.{}Vehicle"
WORLDS: list[tuple[str, Config]] = [
    *(
        (task, {"other_vehicles_type": DRIVER.format(kind)})
        for kind in ("Linear", "Aggressive", "Defensive")
        for task in ("merge-v0", "two-way-v0", "u-turn-v0", "roundabout-v1", "intersection-v2")
    ),
    (FAST, {**FEW, "lanes_count": 1}),
    (FAST, {**FEW, "lanes_count": 6, "initial_lane_id": 2, "ego_spacing": 0.7}),
    (FAST, {**FEW, "vehicles_density": 2.5, "neighbour_vehicles_connected_lanes": True}),
    (FAST, {**FEW, "collision_reward": -2.5, "right_lane_reward": 0.3, "lane_change_reward": 0.4}),
    (FAST, {**FEW, "normalize_reward": False, "reward_speed_range": [15, 33]}),
    (FAST, {**FEW, "simulation_frequency": 12, "policy_frequency": 5, "duration": 1}),
    (FAST, {**FEW, "controlled_vehicles": 3, "high_speed_reward": 0.7}),
    (FAST, {**FEW, "offroad_terminal": True, **do("ContinuousAction")}),
    ("merge-v0", {"merging_speed_reward": -0.8, "collision_reward": -2}),
    ("merge-generic-v0", {"lanes_count": 4, "vehicles_count": 12}),
    ("merge-generic-v0", {"before_merge_length": 90, "parallel_merge_length": 123}),
    ("merge-generic-v1", {"converge_merge_length": 61.5, "after_merge_length": 100}),
    ("two-way-v0", {"left_lane_constraint": 0.5, "left_lane_reward": 0.6}),
    ("u-turn-v0", {"left_lane_reward": 0.3, "duration": 4, "offroad_terminal": True}),
    ("exit-v0", {"vehicles_count": 10, "lanes_count": 3, "goal_reward": 0.5}),
    ("roundabout-v0", {"incoming_vehicle_destination": 1, "right_lane_reward": 0.2}),
    ("roundabout-generic-v0", {"roundabout_radius": 30, "roundabout_lanes": 3}),
    ("intersection-v0", {"destination": "o3", "initial_vehicle_count": 4}),
    ("intersection-v0", {"destination": None, "spawn_probability": 1, "arrived_reward": 2}),
    ("parking-v0", {"vehicles_count": 26, "add_walls": False}),
    ("parking-v0", {"reward_weights": [0.5, 1, 0.1, 0.2, 0.3, 0.4], "success_goal_reward": 0.9}),
    ("racetrack-v0", {"other_vehicles": 6, "lane_centering_cost": 2, "action_reward": -0.11}),
    ("racetrack-v0", {"terminate_off_road": False, "lane_centering_reward": 0.7}),
    ("racetrack-large-v0", {"speed_limit": 17.5}),
    ("racetrack-oval-v0", {"length": 150, "no_lanes": 2}),
    ("racetrack-oval-v0", {"block_lane": True, "force_decision": True}),
    ("lane-keeping-v0", {"state_noise": 0.2, "derivative_noise": 0}),
]
CASES = [*OBSERVATIONS, *ACTIONS, *PLAYERS, *WORLDS]


def play(task_id: str, config: Config, steps: int, seed: int) -> int:
    """Plays a pool and highway-env; the number of episodes that ended."""
    random = np.random.default_rng(seed)
    envs = [Reference(task_id, config) for _ in range(ENVS)]
    with SideBySide(task_id, seed, envs, **our_options(config)) as both:
        for _ in range(steps):
            both.step([action_of(both.pool.spec, random) for _ in range(ENVS)])
    return both.episodes


@pytest.mark.parametrize("task_id", TASKS)
def test_equals_highway_env(task_id: str) -> None:
    steps = by_form(4, 40) if task_id == "highway-v0" else by_form(15, 150)
    play(task_id, {}, steps, seed=5)


@pytest.mark.parametrize("task_id", ["highway-fast-v0", "roundabout-v0", "parking-parked-v0"])
def test_episodes_end_and_begin(task_id: str) -> None:
    assert play(task_id, {}, by_form(30, 300), seed=2) > 0


@pytest.mark.parametrize(("task_id", "config"), some(CASES, 4))
def test_options_equal_highway_env(task_id: str, config: Config) -> None:
    play(task_id, config, by_form(6, 30), seed=9)


def test_a_pool_of_intersections_leaves_other_drivers_alone() -> None:
    # In highway-env a reset of an intersection changes the drivers of all envs of the process.
    play("intersection-v0", {}, 2, seed=0)
    play("highway-fast-v0", FEW, 8, seed=0)
