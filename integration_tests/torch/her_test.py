"""Hindsight experience replay of Stable-Baselines3 over a pool."""

import numpy as np
import pytest
from stable_baselines3 import SAC, HerReplayBuffer

from parallel_pool.integrations.sb3 import VecEnv


@pytest.mark.parametrize(("task", "near"), [("FetchReach-v4", 0.05), ("PointMaze_UMaze-v3", 0.45)])
def test_replayed_steps_have_the_rewards_of_their_new_goals(task: str, near: float) -> None:
    env = VecEnv(task, num_envs=4, seed=0, max_episode_steps=20)
    model = SAC(
        "MultiInputPolicy",
        env,
        replay_buffer_class=HerReplayBuffer,
        learning_starts=10_000,  # random actions only
        seed=0,
    )
    model.learn(400)
    assert isinstance(model.replay_buffer, HerReplayBuffer)
    batch = model.replay_buffer.sample(2000)
    way = batch.next_observations["achieved_goal"] - batch.observations["desired_goal"]
    far = np.linalg.norm(way.numpy().astype(np.float64), axis=-1)
    found = batch.rewards.numpy()[:, 0]
    edge = np.abs(far - near) < 1e-6  # the buffer has rounded goals to float32
    wanted = -1.0 * (far > near) if task.startswith("Fetch") else 1.0 * (far <= near)
    assert np.array_equal(found[~edge], wanted[~edge])
    assert len(set(found.tolist())) == 2, "some new goals must be reached"
    env.close()


def test_one_call_of_the_pool_is_for_a_batch() -> None:
    env = VecEnv("FetchReach-v4", num_envs=2)
    goals = np.zeros((5, 3)), np.zeros((5, 3))
    (rewards,) = env.env_method("compute_reward", *goals, [{}] * 5, indices=[0])
    assert rewards.tolist() == [0.0] * 5
    env.close()
    env = VecEnv("CartPole-v1", num_envs=2)
    with pytest.raises(ValueError, match="the task has no goals"):
        env.env_method("compute_reward", *goals, [{}] * 5, indices=[0])
    env.close()
