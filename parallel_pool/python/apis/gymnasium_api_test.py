"""Pools of the Gymnasium API."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401


def test_is_a_vector_env() -> None:
    with parallel_pool.make_gymnasium("CartPole-v1", num_envs=3) as pool:
        assert isinstance(pool, gymnasium.vector.VectorEnv)
        assert pool.metadata["autoreset_mode"] is pool.autoreset_mode is AutoresetMode.NEXT_STEP
        assert pool.unwrapped is pool
        assert pool.num_envs == len(pool) == 3
        assert pool.spec.id == "CartPole-v1"
        assert pool.single_action_space == gymnasium.spaces.Discrete(2)
        assert pool.observation_space == pool.single_observation_space


def test_a_wrapper_works_on_it() -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=2)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(pool)
    env.reset(seed=1)
    for _ in range(300):
        *_, info = env.step(np.array([1, 0]))
        if "episode" in info:
            break
    assert info["episode"]["l"].max() > 5
    env.close()
    assert pool.closed


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_the_autoreset_mode_is_that_of_sync_vector_env(mode: Any) -> None:
    own = {"autoreset_mode": AutoresetMode[mode.upper()]}
    other: Any = gymnasium.make_vec("CartPole-v1", 2, vectorization_mode="sync", vector_kwargs=own)
    with parallel_pool.make("CartPole-v1", num_envs=2, autoreset_mode=mode) as pool:
        assert pool.autoreset_mode is other.autoreset_mode
    other.close()


def test_seeds_are_those_of_the_envs() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=3, batch_size=1, seed=5) as pool:
        assert pool.np_random_seed == pool.get_attr("np_random_seed") == (5, 6, 7)
        pool.reset(1, seed=9)
        assert pool.np_random_seed == (5, 9, 7)
        with pytest.raises(AttributeError, match=r"CartPole-v1: its random numbers are drawn in"):
            _ = pool.np_random
    with parallel_pool.make_python("CartPole-v1", 2, num_workers=0, seed=5) as pool:
        pool.reset()
        assert pool.np_random_seed == pool.get_attr("np_random_seed") == (5, 6)
        with pytest.raises(AttributeError, match=r"get_attr\('np_random'\)"):
            _ = pool.np_random
        assert len(pool.get_attr("np_random")) == 2


def test_results() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=3) as pool:
        obs, info = pool.reset(seed=1, options={})
        assert obs.shape == (3, 4)
        assert obs.dtype == np.float32
        assert info["players"]["env_id"].tolist() == [0, 1, 2]
        obs, reward, terminated, truncated, info = pool.step([0, 0, 0])
        assert reward.dtype == np.float32
        assert terminated.dtype == truncated.dtype == np.bool_
        assert info["env_id"].dtype == info["elapsed_step"].dtype == np.int32


def test_nan_of_an_env_is_given_to_the_user_and_stays_in_its_row() -> None:
    with parallel_pool.make("Ratio-v0", num_envs=4, num_threads=2) as pool:
        pool.reset()
        for nan in ([0, 2], [3], []):
            obs, reward, terminated, truncated, _ = pool.step(
                [0 if i in nan else 2 for i in range(4)]
            )
            expected = np.array([np.nan if i in nan else 1 for i in range(4)], np.float32)
            np.testing.assert_array_equal(obs, np.stack([expected, np.full(4, 2)], axis=1))
            np.testing.assert_array_equal(reward, expected)
            assert not (terminated | truncated).any()


def test_pictures_are_an_array_and_a_sequence() -> None:
    """As gymnasium.wrappers.vector.RecordVideo and EnvPool's users want them."""
    with parallel_pool.make("CartPole-v1", num_envs=3, render_mode="rgb_array") as pool:
        pool.reset()
        frames = pool.render()
        assert isinstance(frames, Sequence)
        assert isinstance(frames, np.ndarray)
        assert (len(frames), frames.shape, frames.dtype) == (3, (3, 400, 600, 3), np.uint8)
        np.testing.assert_array_equal(np.stack(list(frames)), np.asarray(frames))
        assert pool.render(1).shape == (1, 400, 600, 3)
    with parallel_pool.make("FrozenLake-v1", num_envs=2, render_mode="ansi") as pool:
        pool.reset()
        assert isinstance(pool.render(), tuple)
