"""Each task equals Gymnasium's own on the same MuJoCo, step for step, and so do its options."""

import functools
from typing import Any

import gymnasium
import mujoco
import pytest

from parallel_pool.python.config import task_options
from parallel_pool.python.gymnasium_parity import assert_same_spaces, compare
from parallel_pool.python.registry import registry

SEEDS = (0, 42, 1234567)
STEPS = 2000
NUM_ENVS = 4

_PLACE = "x_position y_position distance_from_origin x_velocity y_velocity"
_HEIGHT = "x_position z_distance_from_origin x_velocity reward_forward reward_ctrl reward_survive"

# The infos of each task.
INFOS = {
    "Ant": f"{_PLACE} reward_forward reward_ctrl reward_contact reward_survive",
    "HalfCheetah": "x_position x_velocity reward_forward reward_ctrl",
    "Hopper": _HEIGHT,
    "Humanoid": f"{_PLACE} tendon_length tendon_velocity "
    "reward_survive reward_forward reward_ctrl reward_contact",
    "HumanoidStandup": "x_position y_position z_distance_from_origin tendon_length tendon_velocity "
    "reward_linup reward_quadctrl reward_impact",
    "InvertedDoublePendulum": "reward_survive distance_penalty velocity_penalty",
    "InvertedPendulum": "reward_survive",
    "Pusher": "reward_dist reward_ctrl reward_near",
    "Reacher": "reward_dist reward_ctrl",
    "Swimmer": f"{_PLACE} reward_forward reward_ctrl",
    "Walker2d": _HEIGHT,
}

_SHOW_ALL = {"exclude_current_positions_from_observation": False}
_RUN = {"forward_reward_weight": 0.3, "ctrl_cost_weight": 0.07, "reset_noise_scale": 0.02}
_UNHEALTHY = {"terminate_when_unhealthy": False, "healthy_reward": 0.7}
_WITHOUT = [
    {f"include_{part}_in_observation": False} for part in ("cinert", "cvel", "qfrc_actuator")
]
_NO_FORCES = {"include_cfrc_ext_in_observation": False}

# Options other than the default, some at a time.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("Ant", {**_RUN, "frame_skip": 3, "contact_cost_weight": 0.01, "main_body": 2}),
    ("Ant", {**_SHOW_ALL, **_NO_FORCES, "healthy_z_range": (0.4, 0.8)}),
    ("Ant", {**_UNHEALTHY, "contact_force_range": (-0.1, 3.0), "healthy_z_range": (0.5, 0.6)}),
    ("HalfCheetah", {**_RUN, **_SHOW_ALL, "frame_skip": 2}),
    ("HalfCheetah", {"reset_noise_scale": 0.0}),
    ("HalfCheetah", {"reset_noise_scale": 1.5}),  # falls on its back and on its head
    ("HalfCheetah", {"reset_noise_scale": 1e4}),  # diverges, and MuJoCo begins anew
    ("HalfCheetah", {"xml_file": "walker2d_v5.xml"}),
    ("Hopper", {**_RUN, **_SHOW_ALL, "frame_skip": 2, "healthy_angle_range": (-0.1, 0.3)}),
    ("Hopper", {**_UNHEALTHY, "healthy_z_range": (1.0, 1.2), "healthy_state_range": (-3, 2.5)}),
    ("Humanoid", {**_RUN, **_SHOW_ALL, **_NO_FORCES, "frame_skip": 3}),
    ("Humanoid", {**_UNHEALTHY, **_WITHOUT[0], "healthy_z_range": (1.2, 1.5)}),
    ("Humanoid", {**_WITHOUT[1], "contact_cost_weight": 0.01, "contact_cost_range": (0.1, 2.0)}),
    ("Humanoid", {**_WITHOUT[2], "xml_file": "ant.xml", "healthy_z_range": (0, 1)}),
    ("HumanoidStandup", {**_SHOW_ALL, **_NO_FORCES, "frame_skip": 3, "ctrl_cost_weight": 0.3}),
    ("HumanoidStandup", {**_WITHOUT[0], "impact_cost_weight": 0.1, "impact_cost_range": (1, 2)}),
    ("HumanoidStandup", {**_WITHOUT[1], "reset_noise_scale": 0.1, "uph_cost_weight": 2.0}),
    ("HumanoidStandup", _WITHOUT[2]),
    ("InvertedDoublePendulum", {"frame_skip": 2, "healthy_reward": 3.5, "reset_noise_scale": 0.3}),
    ("InvertedPendulum", {"frame_skip": 3, "reset_noise_scale": 0.05}),
    ("Pusher", {"frame_skip": 3, "reward_near_weight": 0.3, "xml_file": "pusher.xml"}),
    ("Pusher", {"reward_dist_weight": 2.0, "reward_control_weight": 0.7}),
    ("Reacher", {"frame_skip": 3, "reward_dist_weight": 0.3, "reward_control_weight": 0.7}),
    ("Swimmer", {**_RUN, **_SHOW_ALL, "frame_skip": 2}),
    ("Walker2d", {**_RUN, **_SHOW_ALL, "frame_skip": 2, "healthy_angle_range": (-0.1, 0.3)}),
    ("Walker2d", {**_UNHEALTHY, "healthy_z_range": (1.0, 1.3), "xml_file": "walker2d.xml"}),
]


def play(task: str, seed: int, steps: int, **options: Any) -> dict[str, int]:
    return compare(
        f"{task}-v5",
        functools.partial(gymnasium.make, f"{task}-v5", disable_env_checker=True, **options),
        seed,
        steps=steps,
        num_envs=NUM_ENVS,
        infos=tuple(INFOS[task].split()),
        **options,
    )


@pytest.mark.parametrize("task", INFOS)
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_gymnasium(task: str, seed: int) -> None:
    assert mujoco.__version__ == "3.17.0"
    assert sum(play(task, seed, STEPS).values()) > 0, "an ending must have been compared"


@pytest.mark.parametrize(("task", "options"), OPTIONS)
def test_options_equal_gymnasiums(task: str, options: dict[str, Any]) -> None:
    play(task, 7, 300, **options)


@pytest.mark.parametrize("task", INFOS)
def test_task_facts(task: str) -> None:
    assert_same_spaces(f"{task}-v5", gymnasium.make(f"{task}-v5"))


@pytest.mark.parametrize("task", INFOS)
def test_every_option_is_compared_with_another_value(task: str) -> None:
    own = {option.name for option in task_options(registry().find(f"{task}-v5"))}
    compared = {name for other, options in OPTIONS if other == task for name in options}
    assert own - compared <= {"xml_file"}
