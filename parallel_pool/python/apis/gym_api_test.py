"""Pools of the gym 0.26 API, with gym installed and without."""

import pickle

import gym
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.processes import output_of


def test_reset_returns_infos_unless_asked() -> None:
    with parallel_pool.make("CartPole-v1", env_type="gym", num_envs=2) as pool:
        obs, info = pool.reset()
        assert obs.shape == (2, 4)
        assert info["env_id"].tolist() == [0, 1]
        assert len(pool.step(np.zeros(2, dtype=int))) == 5
    with parallel_pool.make_python("CartPole-v1", 2, env_type="gym") as pool:
        assert len(pool.reset()) == 2
    with parallel_pool.make_gym("CartPole-v1", gym_reset_return_info=False) as pool:
        assert pool.reset().shape == (1, 4)
        with pickle.loads(pickle.dumps(pool)) as other:
            assert not other.gym_reset_return_info
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
assert pool.reset()[0].shape == (1, 4)
"""
    output_of(code)


def test_importing_the_package_does_not_import_gym() -> None:
    output_of("import sys, parallel_pool; assert 'gym' not in sys.modules")
