"""Tianshou 2: its collectors and trainer on a pool itself, and its factory of EnvPool's envs."""

import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, VectorEnvWrapper
from tianshou.highlevel.env import EnvFactoryRegistered, EnvMode, EnvPoolFactory, VectorEnvType
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

import parallel_pool

ENVS = 4


def algorithm_for(env: Any) -> DQN:
    space, actions = env.observation_space, env.action_space
    net = Net(state_shape=space.shape, action_shape=actions.n, hidden_sizes=[32])
    policy = DiscreteQLearningPolicy(
        model=net, action_space=actions, observation_space=space, eps_training=0.1
    )
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3))


def test_collector_sees_whole_episodes() -> None:
    env = parallel_pool.make("CartPole-v1", num_envs=ENVS, max_episode_steps=15)
    buffer = VectorReplayBuffer(4000, ENVS)
    collector = Collector[CollectStats](algorithm_for(env), env, buffer)
    collector.reset()
    stats = collector.collect(n_episode=40, random=True)
    assert stats.n_collected_episodes == 40
    # The reward is 1 per step, and no step is only a reset.
    np.testing.assert_array_equal(stats.returns, stats.lens)
    assert stats.lens.max() == 15
    index = buffer.sample_indices(0)  # all indices
    steps, following = buffer[index], buffer.next(index)
    assert steps.truncated.any()
    assert steps.terminated.any()
    # Within an episode, obs_next is the obs of the next step: no row was lost or swapped.
    inside = ~steps.done & (following != index)
    np.testing.assert_array_equal(steps.obs_next[inside], buffer[following].obs[inside])
    env.close()


def test_the_first_episode_is_that_of_the_seed() -> None:
    """With Tianshou's own vector envs it is the second one: seed() resets, too."""
    single = gymnasium.make("CartPole-v1")
    first, second = single.reset(seed=5)[0], single.reset()[0]
    env = parallel_pool.make("CartPole-v1", num_envs=ENVS, seed=5)
    collector = Collector[CollectStats](algorithm_for(env), env, VectorReplayBuffer(100, ENVS))
    for given in (None, {"seed": 5}):
        obs, _ = collector.reset(gym_reset_kwargs=given)
        np.testing.assert_array_equal(obs[0], first)
    env.close()
    theirs = DummyVectorEnv([lambda: gymnasium.make("CartPole-v1")])
    theirs.seed(5)
    np.testing.assert_array_equal(theirs.reset()[0][0], second)
    theirs.close()


def test_trains() -> None:
    env = parallel_pool.make("CartPole-v1", num_envs=ENVS)
    algorithm = algorithm_for(env)
    collector = Collector[CollectStats](algorithm, env, VectorReplayBuffer(2000, ENVS))
    collector.reset()
    collector.collect(n_step=100, random=True)
    before = [p.detach().clone() for p in algorithm.policy.parameters()]
    params = OffPolicyTrainerParams(
        training_collector=collector,
        test_collector=None,
        max_epochs=1,
        epoch_num_steps=400,
        collection_step_num_env_steps=40,
        batch_size=32,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        info = algorithm.run_training(params)
    assert info.train_step == 400
    after = list(algorithm.policy.parameters())
    assert any((a != b).any() for a, b in zip(before, after, strict=True))
    env.close()


class WithMasks(VectorEnvWrapper):  # type: ignore[misc]
    """Observations as Tianshou's policies for discrete actions expect them: "obs" and "mask"."""

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        obs, info = self.venv.reset(*args, **kwargs)
        return self._with_mask(obs, info), info

    def step(self, *args: Any, **kwargs: Any) -> Any:
        obs, *rest, info = self.venv.step(*args, **kwargs)
        return self._with_mask(obs, info), *rest, info

    @staticmethod
    def _with_mask(obs: Any, info: Any) -> Any:
        rows = zip(obs, info["action_mask"] == 1, strict=True)
        return np.array([{"obs": row[None], "mask": mask} for row, mask in rows], object)


def test_action_masks() -> None:
    env = parallel_pool.make("Taxi-v3", num_envs=ENVS, max_episode_steps=30)
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=(1,), action_shape=6, hidden_sizes=[16]),
        action_space=env.action_space,
        eps_training=0.5,
    )
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3))
    buffer = VectorReplayBuffer(2000, ENVS)
    collector = Collector[CollectStats](algorithm, WithMasks(env), buffer)
    collector.reset()
    with policy_within_training_step(policy):
        collector.collect(n_step=400)
    steps = buffer[buffer.sample_indices(0)]
    assert steps.obs.mask[np.arange(400), steps.act].all()
    assert 0 < steps.obs.mask.sum(axis=1).min() < 6
    assert len(np.unique(steps.act)) > 2
    env.close()


def test_its_envpool_factory() -> None:
    factory = EnvFactoryRegistered(
        task="CartPole-v1", venv_type=VectorEnvType.DUMMY, envpool_factory=EnvPoolFactory()
    )
    env = factory.create_venv(ENVS, EnvMode.TRAINING, seed=3)
    assert type(env).__module__.startswith("parallel_pool.")
    assert len(env) == ENVS
    assert env.config["seed"] != 42  # the factory drew another seed
    env.close()


def test_snippet(snippet: Callable[[str], str]) -> None:
    snippet("Tianshou")
