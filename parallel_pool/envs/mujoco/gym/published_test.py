"""Tasks that no library runs on this MuJoCo equal the code that published them.

gym 0.26 has v3 and v2 for mujoco-py, which is not maintained; here its classes run on the current
MuJoCo. Gymnasium has Pusher-v4 and refuses to run it on MuJoCo 3.
"""

import importlib
import pathlib
from typing import Any

import gym.envs.mujoco.mujoco_env as gym_mujoco
import gymnasium
import mujoco
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.form import by_form
from parallel_pool.testing.gymnasium_parity import compare

MODELS = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets"
SEEDS = by_form((42,), (0, 42, 1234567))
STEPS = by_form(500, 2000)
OPTION_STEPS = by_form(100, 200)
NUM_ENVS = by_form(2, 4)
LONGEST = by_form(200, 1000)  # the time limit of episodes, in steps
_PLACE = "x_position y_position distance_from_origin x_velocity y_velocity forward_reward"

# The module and class of each task, its limit, its infos.
PUBLISHED = {
    "Ant-v3": (
        "ant_v3:AntEnv",
        1000,
        f"{_PLACE} reward_forward reward_ctrl reward_contact reward_survive",
    ),
    "HalfCheetah-v3": (
        "half_cheetah_v3:HalfCheetahEnv",
        1000,
        "x_position x_velocity reward_run reward_ctrl",
    ),
    "Hopper-v3": ("hopper_v3:HopperEnv", 1000, "x_position x_velocity"),
    "Humanoid-v3": (
        "humanoid_v3:HumanoidEnv",
        1000,
        f"{_PLACE} reward_linvel reward_quadctrl reward_alive reward_impact",
    ),
    "HumanoidStandup-v2": (
        "humanoidstandup:HumanoidStandupEnv",
        1000,
        "reward_linup reward_quadctrl reward_impact",
    ),
    "InvertedDoublePendulum-v2": (
        "inverted_double_pendulum:InvertedDoublePendulumEnv",
        1000,
        "",
    ),
    "InvertedPendulum-v2": ("inverted_pendulum:InvertedPendulumEnv", 1000, ""),
    "Pusher-v2": ("pusher:PusherEnv", 100, "reward_dist reward_ctrl reward_near"),
    "Reacher-v2": ("reacher:ReacherEnv", 50, "reward_dist reward_ctrl"),
    "Swimmer-v3": ("swimmer_v3:SwimmerEnv", 1000, f"{_PLACE} reward_fwd reward_ctrl"),
    "Walker2d-v3": ("walker2d_v3:Walker2dEnv", 1000, "x_position x_velocity"),
}
# Tasks whose code differs from their v4, which parity_test.py compares with more seeds.
DIFFERENT = ("Ant-v3", "Humanoid-v3", "Pusher-v2")

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("Ant-v3", {"ctrl_cost_weight": 0.3, "contact_cost_weight": 0.01}),
    ("Ant-v3", {"contact_force_range": (0, 2), "healthy_reward": 2.0, "healthy_z_range": (0.3, 1)}),
    ("Ant-v3", {"terminate_when_unhealthy": False, "reset_noise_scale": 0.02}),
    ("Ant-v3", {"exclude_current_positions_from_observation": False}),
    ("Humanoid-v3", {"contact_cost_weight": 0.01, "contact_cost_range": (0.1, 2.0)}),
    ("Humanoid-v3", {"terminate_when_unhealthy": False, "forward_reward_weight": 0.3}),
]


class Data:
    """An MjData with mujoco-py's interface."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._data, name)

    def get_body_xpos(self, name: str) -> Any:
        return self._data.body(name).xpos


class World:
    """The base of gym's classes for mujoco-py, on the current MuJoCo."""

    model: Any
    sim: Any

    def __init__(self, model_path: str, frame_skip: int, observation_space: Any) -> None:
        path = str(MODELS / model_path)
        gym_mujoco.BaseMujocoEnv.__init__(self, path, frame_skip, observation_space)

    def _initialize_simulation(self) -> None:
        self.model = mujoco.MjModel.from_xml_path(self.fullpath)  # type: ignore[attr-defined]
        self._data = mujoco.MjData(self.model)
        self.data = Data(self._data)
        self.sim = type("Sim", (), {"data": self.data, "model": self.model})

    def _reset_simulation(self) -> None:
        mujoco.mj_resetData(self.model, self._data)

    def set_state(self, qpos: Any, qvel: Any) -> None:
        self.data.qpos[:] = qpos
        self.data.qvel[:] = qvel
        mujoco.mj_forward(self.model, self._data)

    def _step_mujoco_simulation(self, ctrl: Any, n_frames: int) -> None:
        self.data.ctrl[:] = ctrl
        mujoco.mj_step(self.model, self._data, nstep=n_frames)
        # The formulas expect that a step computes the forces on bodies, as older MuJoCos did.
        mujoco.mj_rnePostConstraint(self.model, self._data)


class Published(gymnasium.Env[Any, Any]):
    """One of gym's envs with Gymnasium's interface."""

    def __init__(self, env: Any) -> None:
        self._env = env
        box = env.observation_space
        self.observation_space = gymnasium.spaces.Box(box.low, box.high, dtype=box.dtype.type)
        box = env.action_space
        self.action_space = gymnasium.spaces.Box(box.low, box.high, dtype=box.dtype.type)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return self._env.reset(seed=seed)

    def step(self, action: Any) -> Any:
        return self._env.step(action)


class WithNear(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds the info reward_near, which EnvPool has and the published Pusher only computes."""

    def step(self, action: Any) -> Any:
        env: Any = self.env.unwrapped
        env = getattr(env, "_env", env)
        near = -np.linalg.norm(env.get_body_com("object") - env.get_body_com("tips_arm"))
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward, terminated, truncated, {**info, "reward_near": near}


@pytest.fixture
def _on_todays_mujoco(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, member in vars(World).items():
        if name == "__init__" or not name.startswith("__"):
            monkeypatch.setattr(gym_mujoco.MuJocoPyEnv, name, member)


def play(task: str, seed: int, steps: int, **options: Any) -> dict[str, int]:
    where, limit, infos = PUBLISHED[task]
    limit = min(limit, LONGEST)
    module, name = where.split(":")
    made = getattr(importlib.import_module(f"gym.envs.mujoco.{module}"), name)

    def make() -> gymnasium.Env[Any, Any]:
        env: Any = Published(made(**options))
        if task.startswith("Pusher"):
            env = WithNear(env)
        return gymnasium.wrappers.TimeLimit(env, limit)

    return compare(
        task,
        make,
        seed,
        steps=steps,
        num_envs=NUM_ENVS,
        infos=tuple(infos.split()),
        max_episode_steps=limit,
        **options,
    )


@pytest.mark.usefixtures("_on_todays_mujoco")
@pytest.mark.parametrize(
    ("task", "seed"), [(t, s) for t in PUBLISHED for s in (SEEDS if t in DIFFERENT else SEEDS[:1])]
)
def test_equals_gyms_code(task: str, seed: int) -> None:
    assert sum(play(task, seed, STEPS).values()) > 0, "an ending must have been compared"


@pytest.mark.usefixtures("_on_todays_mujoco")
@pytest.mark.parametrize(("task", "options"), OPTIONS)
def test_options_equal_gyms(task: str, options: dict[str, Any]) -> None:
    play(task, 7, OPTION_STEPS, **options)


@pytest.mark.parametrize("seed", SEEDS)
def test_pusher_v4_equals_gymnasiums_code(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mujoco, "__version__", "2.3.7")
    counts = compare(
        "Pusher-v4",
        lambda: WithNear(gymnasium.make("Pusher-v4", disable_env_checker=True)),
        seed,
        steps=STEPS,
        num_envs=NUM_ENVS,
        infos=("reward_dist", "reward_ctrl", "reward_near"),
    )
    assert counts["truncated"] > 0
    fps = gymnasium.make("Pusher-v4", disable_env_checker=True).metadata["render_fps"]
    assert parallel_pool.make_spec("Pusher-v4").render_fps == fps
