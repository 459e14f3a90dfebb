"""Each task, also with options, equals Gymnasium's on the same MuJoCo, step for step."""

import functools
import inspect
from typing import Any

import gymnasium
import mujoco
import pytest

import parallel_pool
from parallel_pool.python.specs.registry import registry
from parallel_pool.testing.form import by_form
from parallel_pool.testing.gymnasium_parity import assert_same_spaces, compare

SEEDS = by_form((42,), (0, 42, 1234567))
STEPS = by_form(500, 2000)
OPTION_STEPS = by_form(100, 200)
NUM_ENVS = by_form(2, 4)
# Short plays have their own time limit, because they do not reach that of the tasks, 1,000 steps.
LIMIT: dict[str, Any] = by_form({"max_episode_steps": 200}, {})

_PLACE = "x_position y_position distance_from_origin x_velocity y_velocity"
_HEIGHT = "x_position z_distance_from_origin x_velocity reward_forward reward_ctrl reward_survive"
_TENDONS = "tendon_length tendon_velocity"

# The infos of each task.
INFOS = {
    "Ant-v4": f"{_PLACE} reward_forward reward_ctrl reward_survive forward_reward",
    "Ant-v5": f"{_PLACE} reward_forward reward_ctrl reward_contact reward_survive",
    "HalfCheetah-v4": "x_position x_velocity reward_run reward_ctrl",
    "HalfCheetah-v5": "x_position x_velocity reward_forward reward_ctrl",
    "Hopper-v4": "x_position x_velocity",
    "Hopper-v5": _HEIGHT,
    "Humanoid-v4": f"{_PLACE} reward_linvel reward_quadctrl reward_alive forward_reward",
    "Humanoid-v5": f"{_PLACE} {_TENDONS} reward_survive reward_forward reward_ctrl reward_contact",
    "HumanoidStandup-v4": "reward_linup reward_quadctrl reward_impact",
    "HumanoidStandup-v5": f"x_position y_position z_distance_from_origin {_TENDONS} "
    "reward_linup reward_quadctrl reward_impact",
    "InvertedDoublePendulum-v4": "",
    "InvertedDoublePendulum-v5": "reward_survive distance_penalty velocity_penalty",
    "InvertedPendulum-v4": "",
    "InvertedPendulum-v5": "reward_survive",
    "Pusher-v5": "reward_dist reward_ctrl reward_near",
    "Reacher-v4": "reward_dist reward_ctrl",
    "Reacher-v5": "reward_dist reward_ctrl",
    "Swimmer-v4": f"{_PLACE} reward_fwd reward_ctrl forward_reward",
    "Swimmer-v5": f"{_PLACE} reward_forward reward_ctrl",
    "Walker2d-v4": "x_position x_velocity",
    "Walker2d-v5": _HEIGHT,
}

_SHOW_ALL = {"exclude_current_positions_from_observation": False}
_RUN = {"forward_reward_weight": 0.3, "ctrl_cost_weight": 0.07, "reset_noise_scale": 0.02}
_UNHEALTHY = {"terminate_when_unhealthy": False, "healthy_reward": 0.7}
_WITHOUT = [
    {f"include_{part}_in_observation": False} for part in ("cinert", "cvel", "qfrc_actuator")
]
_NO_FORCES = {"include_cfrc_ext_in_observation": False}

# Options other than the defaults, some of them together.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("Ant-v5", {**_RUN, "frame_skip": 3, "contact_cost_weight": 0.01, "main_body": 2}),
    ("Ant-v5", {"main_body": "aux_1"}),
    ("Ant-v5", {**_SHOW_ALL, **_NO_FORCES, "healthy_z_range": (0.4, 0.8)}),
    ("Ant-v5", {**_UNHEALTHY, "contact_force_range": (-0.1, 3.0), "healthy_z_range": (0.5, 0.6)}),
    ("HalfCheetah-v5", {**_RUN, **_SHOW_ALL, "frame_skip": 2}),
    ("HalfCheetah-v5", {"reset_noise_scale": 0.0}),
    ("HalfCheetah-v5", {"reset_noise_scale": 1.5}),  # falls on its back and on its head
    ("HalfCheetah-v5", {"reset_noise_scale": 1e4}),  # diverges, and MuJoCo resets it
    ("HalfCheetah-v5", {"xml_file": "walker2d_v5.xml"}),
    ("Hopper-v5", {**_RUN, **_SHOW_ALL, "frame_skip": 2, "healthy_angle_range": (-0.1, 0.3)}),
    ("Hopper-v5", {**_UNHEALTHY, "healthy_z_range": (1.0, 1.2), "healthy_state_range": (-3, 2.5)}),
    ("Humanoid-v5", {**_RUN, **_SHOW_ALL, **_NO_FORCES, "frame_skip": 3}),
    ("Humanoid-v5", {**_UNHEALTHY, **_WITHOUT[0], "healthy_z_range": (1.2, 1.5)}),
    ("Humanoid-v5", {**_WITHOUT[1], "contact_cost_weight": 0.01, "contact_cost_range": (0.1, 2.0)}),
    ("Humanoid-v5", {**_WITHOUT[2], "xml_file": "ant.xml", "healthy_z_range": (0, 1)}),
    ("HumanoidStandup-v5", {**_SHOW_ALL, **_NO_FORCES, "frame_skip": 3, "ctrl_cost_weight": 0.3}),
    ("HumanoidStandup-v5", {**_WITHOUT[0], "impact_cost_weight": 0.1, "impact_cost_range": (1, 2)}),
    ("HumanoidStandup-v5", {**_WITHOUT[1], "reset_noise_scale": 0.1, "uph_cost_weight": 2.0}),
    ("HumanoidStandup-v5", _WITHOUT[2]),
    (
        "InvertedDoublePendulum-v5",
        {"frame_skip": 2, "healthy_reward": 3.5, "reset_noise_scale": 0.3},
    ),
    ("InvertedPendulum-v5", {"frame_skip": 3, "reset_noise_scale": 0.05}),
    ("Pusher-v5", {"frame_skip": 3, "reward_near_weight": 0.3, "xml_file": "pusher.xml"}),
    ("Pusher-v5", {"reward_dist_weight": 2.0, "reward_control_weight": 0.7}),
    ("Reacher-v5", {"frame_skip": 3, "reward_dist_weight": 0.3, "reward_control_weight": 0.7}),
    ("Swimmer-v5", {**_RUN, **_SHOW_ALL, "frame_skip": 2}),
    ("Walker2d-v5", {**_RUN, **_SHOW_ALL, "frame_skip": 2, "healthy_angle_range": (-0.1, 0.3)}),
    ("Walker2d-v5", {**_UNHEALTHY, "healthy_z_range": (1.0, 1.3), "xml_file": "walker2d.xml"}),
    ("Ant-v4", {**_SHOW_ALL, "use_contact_forces": True, "contact_cost_weight": 0.01}),
    ("Ant-v4", {"ctrl_cost_weight": 0.3, "contact_force_range": (0, 2), "healthy_reward": 2.0}),
    ("Ant-v4", {**_UNHEALTHY, "healthy_z_range": (0.5, 0.6), "reset_noise_scale": 0.02}),
    ("HalfCheetah-v4", {**_RUN, **_SHOW_ALL}),
    ("Hopper-v4", {**_RUN, **_SHOW_ALL, "healthy_angle_range": (-0.1, 0.3)}),
    ("Hopper-v4", {**_UNHEALTHY, "healthy_z_range": (1.0, 1.2), "healthy_state_range": (-3, 2.5)}),
    ("Humanoid-v4", {**_RUN, **_SHOW_ALL, **_UNHEALTHY, "healthy_z_range": (1.2, 1.5)}),
    ("Swimmer-v4", {**_RUN, **_SHOW_ALL}),
    ("Walker2d-v4", {**_RUN, **_SHOW_ALL, "healthy_angle_range": (-0.1, 0.3)}),
    ("Walker2d-v4", {**_UNHEALTHY, "healthy_z_range": (1.0, 1.3)}),
]


def play(task: str, seed: int, steps: int, **options: Any) -> dict[str, int]:
    return compare(
        task,
        functools.partial(gymnasium.make, task, disable_env_checker=True, **options),
        seed,
        steps=steps,
        num_envs=NUM_ENVS,
        infos=tuple(INFOS[task].split()),
        **options,
    )


@pytest.mark.parametrize("task", INFOS)
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_gymnasium(task: str, seed: int) -> None:
    assert mujoco.__version__ == parallel_pool.make_spec(task).config["mujoco_version"]
    assert sum(play(task, seed, STEPS, **LIMIT).values()) > 0, "an ending must have been compared"


@pytest.mark.parametrize(("task", "options"), OPTIONS)
def test_options_equal_gymnasiums(task: str, options: dict[str, Any]) -> None:
    assert_same_spaces(task, gymnasium.make(task, **options), **options)
    play(task, 7, OPTION_STEPS, **options)


@pytest.mark.parametrize("task", INFOS)
def test_task_facts(task: str) -> None:
    assert_same_spaces(task, gymnasium.make(task))


@pytest.mark.parametrize("task", INFOS)
def test_every_option_is_compared_with_another_value(task: str) -> None:
    taken = inspect.signature(type(gymnasium.make(task).unwrapped)).parameters
    own = {option.name for option in registry().find(task).options} & set(taken)
    compared = {name for other, options in OPTIONS if other == task for name in options}
    assert own - compared <= {"xml_file"}
