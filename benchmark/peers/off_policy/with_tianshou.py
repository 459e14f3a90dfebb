"""Tianshou: Collector and VectorReplayBuffer."""

from typing import Any

import numpy as np
import torch
from tianshou.algorithm import DQN, SAC
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.sac import SACPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, ReplayBuffer
from tianshou.data import VectorReplayBuffer as Own
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import Net
from tianshou.utils.net.continuous import ContinuousActorProbabilistic, ContinuousCritic
from tianshou.utils.torch_utils import policy_within_training_step

import parallel_pool
from benchmark.peers.off_policy import common
from parallel_pool.integrations.tianshou_replay import VectorReplayBuffer


class _Values(torch.nn.Module):  # type: ignore[misc]
    """The values of Pong's actions."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            common.Features(), torch.nn.Linear(common.FEATURES, actions)
        )

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
        return self.layers(obs), state


class _Same(ReplayBuffer):  # type: ignore[misc]
    """The same batch again and again."""

    def __init__(self, batch: Any) -> None:
        super().__init__(len(batch))
        self.set_batch(batch)
        self._size = len(batch)

    def sample(self, batch_size: Any) -> Any:
        return Batch(self._meta), np.arange(self._size)

    def __getitem__(self, index: Any) -> Any:
        return self._meta


def _dqn(space: Any, actions: Any) -> Any:
    policy = DiscreteQLearningPolicy(
        model=_Values(int(actions.n)),
        action_space=actions,
        observation_space=space,
        eps_training=0.1,
    )
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-4), target_update_freq=500)


def _sac(space: Any, actions: Any) -> Any:
    both = {"state_shape": space.shape, "action_shape": actions.shape, "concat": True}
    optim = AdamOptimizerFactory(lr=1e-3)

    def critic() -> Any:
        return ContinuousCritic(preprocess_net=Net(hidden_sizes=common.HIDDEN, **both))

    actor = ContinuousActorProbabilistic(
        preprocess_net=Net(state_shape=space.shape, hidden_sizes=common.HIDDEN),
        action_shape=actions.shape,
        unbounded=True,
        conditioned_sigma=True,
    )
    return SAC(
        policy=SACPolicy(actor=actor, action_space=actions, observation_space=space),
        policy_optim=optim,
        critic=critic(),
        critic_optim=optim,
        critic2=critic(),
        critic2_optim=optim,
    )


def _envs(task: str, form: str) -> tuple[Any, Any]:
    """Envs and a buffer."""
    size, envs = common.CAPACITY, common.ENVS
    if form == "parallel_pool":
        pool = parallel_pool.make(common.IDS[task], num_envs=envs, seed=1)
        return pool, VectorReplayBuffer(size, envs, stack_num=common.STACK[task])
    frames = {"stack_num": 4, "ignore_obs_next": True, "save_only_last_obs": True}
    own = DummyVectorEnv([lambda: common.single_env(task)] * envs)
    return own, Own(size, envs, **(frames if task == "Pong" else {}))


def arm(task: str, form: str) -> common.Play:
    """collect() and update()."""
    single = common.single_env(task)
    make = _dqn if task == "Pong" else _sac
    algorithm = make(single.observation_space, single.action_space)
    envs, buffer = _envs(task, form)
    collector = Collector(algorithm, envs, buffer)
    collector.reset()
    collector.collect(n_step=common.BEGIN, random=True)

    def update(source: Any) -> None:
        with policy_within_training_step(algorithm.policy):
            for _ in range(common.UPDATES):
                algorithm.update(source, common.BATCH[task])

    def play() -> None:
        collector.collect(n_step=common.ENVS)
        update(buffer)

    if form != "networks":
        return play
    obs = Batch(obs=buffer[buffer.last_index].obs, info={})
    same = _Same(buffer.sample(common.BATCH[task])[0])

    def network() -> None:
        with torch.no_grad():
            algorithm.policy(obs)
        update(same)

    return network
