"""The replay buffers for Stable-Baselines3 hold what its own hold, and its algorithms use them."""

import pathlib
from typing import Any

import numpy as np
import pytest
from stable_baselines3 import DQN, SAC, TD3
from stable_baselines3.common import buffers
from stable_baselines3.common.vec_env import VecNormalize
from stable_baselines3.her import HerReplayBuffer as TheirHerReplayBuffer

from parallel_pool.integrations.sb3 import VecEnv
from parallel_pool.integrations.sb3_replay import HerReplayBuffer, ReplayBuffer
from parallel_pool.learner.replay.batch import ReplayBatch

ENVS = 4


class Both:
    """Two buffers that are given the same steps, as OffPolicyAlgorithm does."""

    def __init__(self, theirs: Any, ours: Any) -> None:
        self.theirs, self.ours = theirs, ours

    def play(self, envs: Any, steps: int) -> None:
        obs = envs.reset()
        for _ in range(steps):
            action = np.stack([envs.action_space.sample() for _ in range(ENVS)])
            new_obs, reward, done, infos = envs.step(action)
            last = {k: v.copy() for k, v in new_obs.items()} if _is_dict(obs) else new_obs.copy()
            for i in np.flatnonzero(done):
                final = infos[i]["terminal_observation"]
                for key in last if _is_dict(obs) else [...]:
                    part = last[key] if _is_dict(obs) else last
                    part[i] = final[key] if _is_dict(obs) else final
            for buffer in (self.theirs, self.ours):
                buffer.add(obs, last, action, reward, done, infos)
            obs = new_obs


def _is_dict(obs: Any) -> bool:
    return isinstance(obs, dict)


@pytest.mark.parametrize(
    ("task", "stack", "options"),
    [("CartPole-v1", 1, {"max_episode_steps": 20}), ("Pong-v5", 4, {"max_episode_steps": 30})],
)
def test_holds_the_same_transitions(task: str, stack: int, options: Any) -> None:
    envs = VecEnv(task, num_envs=ENVS, seed=1, **options)
    envs.action_space.seed(1)
    spaces = envs.observation_space, envs.action_space
    theirs = buffers.ReplayBuffer(400, *spaces, device="cpu", n_envs=ENVS)
    ours = ReplayBuffer(4000, *spaces, device="cpu", n_envs=ENVS, stack_num=stack)
    Both(theirs, ours).play(envs, 90)
    envs.close()
    assert theirs.pos == ours.size() == 90
    batch = ours._rows.transitions()
    for env in range(ENVS):
        rows = np.flatnonzero(batch["index"] % ENVS == env)
        for name, wanted in (
            ("obs", theirs.observations),
            ("next_obs", theirs.next_observations),
            ("action", theirs.actions),
            ("reward", theirs.rewards),
            ("terminated", theirs.dones * (1 - theirs.timeouts)),
        ):
            np.testing.assert_array_equal(batch[name][rows], wanted[:90, env], name)
    sample = ours.sample(32)
    assert sample.observations.shape == (32, *envs.observation_space.shape)
    assert sample.rewards.shape == sample.dones.shape == (32, 1)


@pytest.mark.parametrize("strategy", ["future", "final", "episode"])
def test_goals_equal_those_of_the_same_draws(strategy: str) -> None:
    envs = VecEnv("FetchReach-v4", num_envs=ENVS, seed=1, max_episode_steps=10)
    envs.action_space.seed(1)
    spaces = envs.observation_space, envs.action_space
    more: Any = {"env": envs, "device": "cpu", "n_envs": ENVS, "goal_selection_strategy": strategy}
    theirs = TheirHerReplayBuffer(400, *spaces, **more)
    ours = HerReplayBuffer(4000, *spaces, **more)
    Both(theirs, ours).play(envs, 45)
    rows = ours._rows
    assert len(rows) == (theirs.ep_length > 0).sum() == ENVS * 40
    index = np.random.default_rng(2).permutation(rows.transitions()["index"])[:50]
    batch = rows.transitions(index)
    env, number = index % ENVS, index // ENVS
    step = number - number // 11  # an episode of 10 steps has 11 rows

    class Draws:
        """SB3's global draws in the place of a Generator."""

        def integers(self, low: Any, high: Any) -> Any:
            return np.random.randint(low, high)

    obs = {f"obs.{name}": part.copy() for name, part in batch["obs"].items()}
    next_obs = {f"obs.{name}": part.copy() for name, part in batch["next_obs"].items()}
    reward = batch["reward"].copy()
    hindsight = ours._hindsight()
    hindsight._ratio = 1.0
    achieved = rows._columns.arrays["obs.achieved_goal"]
    np.random.seed(3)
    draws: Any = Draws()
    hindsight.relabel(rows._rows, achieved, index, ENVS, draws, obs, next_obs, reward)
    np.random.seed(3)
    wanted = theirs._get_virtual_samples(step, env)
    envs.close()
    for name in batch["obs"]:
        np.testing.assert_array_equal(obs[f"obs.{name}"], wanted.observations[name], name)
        np.testing.assert_array_equal(next_obs[f"obs.{name}"], wanted.next_observations[name])
    np.testing.assert_array_equal(reward, wanted.rewards[:, 0])
    np.testing.assert_array_equal(batch["action"], wanted.actions)
    assert (reward == 0).any()


@pytest.mark.parametrize(
    ("algorithm", "task"),
    [(DQN, "CartPole-v1"), (SAC, "Pendulum-v1"), (TD3, "Pendulum-v1"), (SAC, "FetchReach-v4")],
)
def test_algorithms_use_it(algorithm: Any, task: str, tmp_path: pathlib.Path) -> None:
    has_goals = task == "FetchReach-v4"
    envs = VecEnv(task, num_envs=ENVS, seed=1)
    made = HerReplayBuffer if has_goals else ReplayBuffer

    def learn() -> Any:
        model = algorithm(
            "MultiInputPolicy" if has_goals else "MlpPolicy",
            envs,
            replay_buffer_class=made,
            replay_buffer_kwargs={"seed": 4},
            buffer_size=4000,
            learning_starts=300,
            seed=1,
            device="cpu",
        )
        return model.learn(600)

    model = learn()
    buffer = model.replay_buffer
    assert buffer.size() > 100
    model.save_replay_buffer(tmp_path / "buffer")
    model.load_replay_buffer(tmp_path / "buffer")
    assert model.replay_buffer is not buffer
    first, second = buffer.sample(20), model.replay_buffer.sample(20)
    np.testing.assert_array_equal(first.rewards, second.rewards)
    np.testing.assert_array_equal(first.actions, second.actions)
    model.learn(200, reset_num_timesteps=False)
    envs.close()


def test_statistics_of_a_wrapper_are_applied() -> None:
    envs = VecNormalize(VecEnv("Pendulum-v1", num_envs=ENVS, seed=1))
    model = SAC(
        "MlpPolicy", envs, replay_buffer_class=ReplayBuffer, learning_starts=100, device="cpu"
    )
    model.learn(300)
    plain = model.replay_buffer._rows.sample(64)
    np.random.seed(0)
    found = model.replay_buffer._tensors(plain, envs)
    wanted = envs.normalize_obs(plain["obs"])
    np.testing.assert_array_equal(found.observations, wanted.astype(np.float32))
    assert (np.abs(wanted - plain["obs"]) > 0.01).any()
    envs.close()


def test_a_sample_is_nobody_elses() -> None:
    envs = VecEnv("CartPole-v1", num_envs=ENVS, seed=1)
    ours = ReplayBuffer(
        400, envs.observation_space, envs.action_space, device="cpu", n_envs=ENVS, n_steps=3
    )
    Both(ours, ReplayBuffer(400, envs.observation_space, envs.action_space, n_envs=ENVS)).play(
        envs, 30
    )
    first = ours.sample(50)
    before = first.observations.clone()
    ours.sample(50)
    assert (first.observations == before).all()
    assert ((first.discounts == 0) == (first.dones == 1)).all()
    ours.reset()
    assert ours.size() == 0
    assert isinstance(ReplayBatch(), dict)
    envs.close()
