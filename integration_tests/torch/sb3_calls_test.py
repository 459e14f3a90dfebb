"""Calls of single envs through parallel_pool.integrations.sb3: action masks, indices."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3.common.monitor import Monitor

import parallel_pool
from parallel_pool.integrations.sb3 import VecEnv

ENVS = 3


def assert_same(a: Any, b: Any) -> None:
    assert np.asarray(a).dtype == np.asarray(b).dtype
    np.testing.assert_array_equal(a, b)


def test_action_masks() -> None:
    env = VecEnv("Taxi-v4", num_envs=ENVS, all_infos=True)
    with pytest.raises(RuntimeError, match=r"action_masks before the first reset\(\)"):
        env.env_method("action_masks")
    assert is_masking_supported(env)
    env.reset()
    assert_same([mask() for mask in env.get_attr("action_masks")], env.env_method("action_masks"))
    assert env.has_attr("action_masks")
    for _ in range(50):
        masks = np.stack(env.env_method("action_masks"))
        assert masks.shape == (ENVS, 6)
        assert masks.dtype == bool
        *_, infos = env.step(masks.argmax(1))
        expected = [info["action_mask"] for info in infos if "episode" not in info]
        assert_same(
            [
                m
                for m, i in zip(env.env_method("action_masks"), infos, strict=True)
                if "episode" not in i
            ],
            np.array(expected, bool),
        )
    assert not VecEnv("CartPole-v1").has_attr("action_masks")


def test_masked_ppo() -> None:
    env = VecEnv("Taxi-v4", num_envs=4, seed=2)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, seed=1)
    model.learn(256)
    assert is_masking_supported(env)
    obs, forbidden = env.reset(), 0
    for _ in range(50):
        masks = get_action_masks(env)
        actions, _ = model.predict(obs, action_masks=masks)
        assert masks[range(4), actions].all()
        forbidden += int((~masks).sum())
        obs, *_ = env.step(actions)
    assert forbidden > 100


class Corridor(gymnasium.Env[Any, Any]):
    """The usual form of an env for MaskablePPO: a method action_masks()."""

    observation_space = gymnasium.spaces.Box(0, 9, (1,))
    action_space = gymnasium.spaces.Discrete(3)  # to the left, to the right, nothing

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.place = 0
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> Any:
        assert self.action_masks()[action], "a forbidden action"
        self.place += (-1, 1, 0)[action]
        return np.array([self.place], np.float32), 1.0, self.place == 9, False, {}

    def action_masks(self) -> Any:
        return np.array([self.place > 0, True, False])


@pytest.mark.parametrize("wraps", [False, True])
def test_masked_ppo_with_envs_in_python(wraps: bool) -> None:
    def make() -> Any:
        env = Corridor()
        return ActionMasker(env, lambda env: env.unwrapped.action_masks()) if wraps else env

    spec = parallel_pool.make_python_spec(make, num_envs=4, num_workers=2, max_episode_steps=30)
    env = VecEnv(spec)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, seed=1)
    model.learn(256)
    assert evaluate_policy(model, VecEnv(spec), n_eval_episodes=4)[0] > 8
    with pytest.raises(ValueError, match="does not support action masking"):
        MaskablePPO("MlpPolicy", VecEnv("CartPole-v1"), n_steps=8).learn(8)
    env.close()


def test_options_and_actions_of_the_caller_stay_as_they_are() -> None:
    env = VecEnv("Pendulum-v1", num_envs=ENVS, clip_action=True)
    options = {"x_init": 0.5, "y_init": 0.25}
    env.set_options(options)
    env.reset()
    assert options == {"x_init": 0.5, "y_init": 0.25}
    actions = np.full((ENVS, 1), 9, np.float32)
    env.step(actions)
    assert (actions == 9).all()


def test_indices_from_the_end() -> None:
    env = VecEnv("Taxi-v4", num_envs=ENVS, render_mode="rgb_array")
    env.reset()
    last = [0, ENVS - 1]
    for name in ("action_masks", "render"):
        assert_same(env.env_method(name, indices=[0, -1]), env.env_method(name, indices=last))
    infos = [info for _, info in env.env_method("reset", indices=[0, -1])]
    assert [info["env_id"] for info in infos] == last
    assert env.get_attr("num_envs", indices=-1) == [ENVS]
    assert env.env_is_wrapped(Monitor, indices=[-1]) == [True]
    for name in ("action_masks", "render", "reset"):
        with pytest.raises(IndexError, match=rf"indices are \[{ENVS}\]; allowed are -{ENVS} to"):
            env.env_method(name, indices=[ENVS])
    spec = parallel_pool.make_python_spec(Corridor, num_envs=3, num_workers=2)
    python = VecEnv(spec)
    python.reset()
    python.set_attr("place", 5, indices=[-1])
    assert python.get_attr("place") == [0, 0, 5]
    assert python.env_method("action_masks", indices=-1)[0].tolist() == [True, True, False]
