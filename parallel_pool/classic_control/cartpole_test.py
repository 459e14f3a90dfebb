"""CartPole equals Gymnasium's own, step for step."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool


@pytest.mark.parametrize("seed", [0, 42, 123456789])
@pytest.mark.parametrize("sutton_barto_reward", [False, True])
def test_equals_gymnasium(seed: int, sutton_barto_reward: bool) -> None:
    options: dict[str, Any] = {"sutton_barto_reward": sutton_barto_reward}
    theirs = gymnasium.make_vec("CartPole-v1", num_envs=8, vectorization_mode="sync", **options)
    ours = parallel_pool.make("CartPole-v1", num_envs=8, num_threads=2, **options)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.single_action_space == theirs.single_action_space
    np.testing.assert_array_equal(ours.reset(seed=seed)[0], theirs.reset(seed=seed)[0])
    actions = np.random.default_rng(seed)
    ended = np.zeros(2, int)
    obs = np.zeros((8, 4), np.float32)
    for _ in range(2000):
        # Some envs are balanced by their angular velocity, so that the time limit is met too.
        action = actions.integers(0, 2, 8)
        action[:2] = obs[:2, 3] + obs[:2, 2] > 0
        obs, *ours_rest, _ = ours.step(action)
        wanted, *theirs_rest, _ = theirs.step(action)
        np.testing.assert_array_equal(obs, wanted)
        for mine, other in zip(ours_rest, theirs_rest, strict=True):
            np.testing.assert_array_equal(mine, other)
        ended += [ours_rest[1].sum(), ours_rest[2].sum()]
    assert ended.min() > 0, "both kinds of ending must have been compared"


def test_seed_of_make_is_the_seed_of_reset() -> None:
    first = parallel_pool.make("CartPole-v1", num_envs=3, seed=5).reset()[0]
    pool = parallel_pool.make("CartPole-v1", num_envs=3, seed=9)
    assert (pool.reset()[0] != first).any()
    np.testing.assert_array_equal(pool.reset(seed=5)[0], first)


def test_task_facts() -> None:
    spec = parallel_pool.make_spec("CartPole-v1")
    assert spec.max_episode_steps == 500
    assert spec.reward_threshold == gymnasium.spec("CartPole-v1").reward_threshold
