"""Loops over a pool that others have moved: the rows that they begin with, and errors."""

import numpy as np
import pytest

import parallel_pool


def test_a_loop_begins_with_what_the_envs_show_after_others_have_moved_them() -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=2, seed=0)
    rollout = parallel_pool.Rollout(pool, 3)
    for _ in rollout:
        rollout.act([0, 0])
    obs, _ = pool.reset(seed=5)
    for _ in rollout:
        rollout.act([0, 1])
    np.testing.assert_array_equal(rollout.obs[0], obs)
    obs = pool.step([1, 1])[0]
    for _ in rollout:
        rollout.act([0, 1])
    np.testing.assert_array_equal(rollout.obs[0], obs)


def test_a_loop_that_begins_after_an_end_knows_that_its_first_row_is_no_transition() -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=2, seed=0, max_episode_steps=4)
    pool.reset()
    for _ in range(4):
        truncated = pool.step([0, 1])[3]
    assert truncated.all()
    rollout = parallel_pool.Rollout(pool, 2)
    for _ in rollout:
        rollout.act([0, 1])
    assert rollout.is_transition.tolist() == [[False, False], [True, True]]


def test_the_first_rows_of_trajectories_after_an_end_are_no_transitions() -> None:
    pool = parallel_pool.make(
        "CartPole-v1", num_envs=2, batch_size=1, num_threads=1, seed=0, max_episode_steps=4
    )
    pool.async_reset()
    elapsed = [0, 0]
    while elapsed != [4, 2]:
        info = pool.recv()[4]
        env = int(info["env_id"][0])
        elapsed[env] = int(info["elapsed_step"][0])
        if elapsed[env] < [4, 2][env]:
            pool.send([env], info["env_id"])
    trajectories = parallel_pool.Trajectories(pool, 3)
    for _ in trajectories:
        trajectories.act(trajectories.info["env_id"])
    batch = trajectories.batch()
    rows = {env: int((batch["env_id"] == env).sum()) for env in (0, 1)}
    assert rows == {0: 1, 1: 2}  # the first of env 0 begins an episode, the last ones are pending


def test_a_pool_that_others_move_within_a_loop_is_an_error() -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=2, seed=0)
    rollout = parallel_pool.Rollout(pool, 3)
    with pytest.raises(RuntimeError, match="by others"):
        for _ in rollout:
            rollout.act([0, 0])
            pool.reset()
    for _ in rollout:
        rollout.act([0, 0])
    assert rollout.reward.shape == (3, 2)


def test_an_env_in_flight_is_named_when_a_loop_begins() -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=2, seed=0)
    pool.reset()
    pool.send([0, 0])
    with pytest.raises(ValueError, match="in flight"):
        next(iter(parallel_pool.Rollout(pool, 3)))
