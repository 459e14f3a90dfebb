"""Pools of the gym 0.26 API, with gym installed and without."""

import pickle
import subprocess
import sys

import gym
import numpy as np
import pytest

import parallel_pool


def test_reset_gives_the_observation_alone_unless_asked() -> None:
    with parallel_pool.make("CartPole-v1", env_type="gym", num_envs=3) as pool:
        assert pool.reset().shape == (3, 4)
        assert len(pool.step(np.zeros(3, dtype=int))) == 5
    with parallel_pool.make_gym("CartPole-v1", gym_reset_return_info=True) as pool:
        _, info = pool.reset()
        assert info["env_id"].tolist() == [0]
        with pickle.loads(pickle.dumps(pool)) as other:
            assert other.gym_reset_return_info
    with pytest.raises(TypeError, match="gym_reset_return_info must be True or False, not 1"):
        parallel_pool.make_gym("CartPole-v1", gym_reset_return_info=1)  # type: ignore[call-overload]


def test_spaces_are_gyms() -> None:
    with parallel_pool.make_gym("CartPole-v1") as pool:
        assert pool.action_space == gym.spaces.Discrete(2)
        assert isinstance(pool.observation_space, gym.spaces.Box)
        assert pool.is_vector_env


def test_without_gym_the_spaces_are_gymnasiums() -> None:
    code = """
import sys
sys.modules["gym"] = None  # as if it were not installed
import gymnasium, parallel_pool
pool = parallel_pool.make_gym("CartPole-v1")
assert pool.action_space == gymnasium.spaces.Discrete(2)
assert pool.reset().shape == (1, 4)
"""
    environment = {"PYTHONPATH": ":".join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_importing_the_package_does_not_import_gym() -> None:
    code = "import sys, parallel_pool; assert 'gym' not in sys.modules"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
