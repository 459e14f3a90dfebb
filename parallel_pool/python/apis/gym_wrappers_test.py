"""Wrappers of gym 0.26.2 for vector envs, on our pools and with NumPy 2."""

from typing import Any

import gym
import numpy as np
import pytest

import parallel_pool

ENVS = 3


def make(task_id: str = "CartPole-v1", **options: Any) -> Any:
    return parallel_pool.make_gym(task_id, num_envs=ENVS, **options)


def test_record_episode_statistics() -> None:
    """The wrapper counts every step, so no step may be only a reset: the mode is "same_step"."""
    env = gym.wrappers.RecordEpisodeStatistics(make(autoreset_mode="same_step"))
    env.reset(seed=1)
    lengths = []
    for _ in range(300):
        *_, info = env.step(np.array([1, 0, 1]))
        if "episode" in info:
            ended = info["_episode"]
            lengths += info["episode"]["l"][ended].tolist()
            assert (info["episode"]["l"] == info["final_info"]["elapsed_step"])[ended].all()
    assert len(lengths) == len(env.return_queue) > 10


def test_vector_list_info_needs_masks() -> None:
    """The wrapper drops infos without a "_key" mask; ours have a value for every env, no masks."""
    env = gym.wrappers.VectorListInfo(make())
    with pytest.raises(KeyError, match="_env_id"):
        env.reset()


def test_normalize() -> None:
    env = gym.wrappers.NormalizeReward(gym.wrappers.NormalizeObservation(make("Pendulum-v1")))
    env.reset()
    rows = [env.step(np.zeros((ENVS, 1)))[0] for _ in range(200)]
    assert np.abs(np.mean(rows)) < 0.5


def test_transforms() -> None:
    pool = make("Pendulum-v1")
    env = gym.wrappers.TransformReward(
        gym.wrappers.TransformObservation(gym.wrappers.ClipAction(pool), lambda obs: obs + 10),
        lambda reward: reward * 0 + 7,
    )
    first, _ = env.reset()
    assert (first > 8).all()
    obs, reward, *_ = env.step(np.full((ENVS, 1), 100))
    assert reward.tolist() == [7] * ENVS
    assert env.observation_space == pool.observation_space
    assert env.unwrapped is pool
