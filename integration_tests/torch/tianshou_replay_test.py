"""The replay buffers for Tianshou hold what its own hold, and its algorithms use them."""

import pickle
from typing import Any

import numpy as np
import pytest
from tianshou.algorithm import DQN, SAC
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.sac import SACPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, CollectStats
from tianshou.data import VectorReplayBuffer as Theirs
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.continuous import ContinuousActorProbabilistic, ContinuousCritic
from tianshou.utils.torch_utils import policy_within_training_step

import parallel_pool
from parallel_pool.integrations.tianshou_replay import (
    PrioritizedVectorReplayBuffer,
    VectorReplayBuffer,
)

ENVS = 4


def filled(task: str, steps: int, buffers: list[Any], **options: Any) -> list[list[Any]]:
    """Gives buffers the same steps of some of the envs; returns what add() has returned."""
    found = []
    with parallel_pool.make(
        task, num_envs=ENVS, seed=1, autoreset_mode="same_step", **options
    ) as pool:
        rng = np.random.default_rng(1)
        obs, _ = pool.reset()
        for _ in range(steps):
            action = pool.sample_actions()
            after, reward, terminated, truncated, info = pool.step(action)
            done = terminated | truncated
            last = after
            if done.any():
                last = np.where(done.reshape(-1, *[1] * (obs.ndim - 1)), info["final_obs"], after)
            step = Batch(
                obs=obs,
                act=action,
                rew=reward,
                terminated=terminated,
                truncated=truncated,
                obs_next=last,
                info=Batch(),
                policy=Batch(),
            )
            ids = rng.permutation(ENVS)
            found.append([buffer.add(step[ids], ids) for buffer in buffers])
            obs = after
    return found


@pytest.mark.parametrize(
    ("task", "stack", "options"),
    [("CartPole-v1", 1, {"max_episode_steps": 15}), ("Pong-v5", 4, {"max_episode_steps": 30})],
)
def test_holds_the_same_transitions(task: str, stack: int, options: Any) -> None:
    theirs, ours = Theirs(4000, ENVS), VectorReplayBuffer(4000, ENVS, stack_num=stack)
    for (_, *wanted), (_, *found) in filled(task, 100, [theirs, ours], **options):
        for a, b in zip(wanted[:2], found[:2], strict=True):
            np.testing.assert_array_equal(a, b)  # returns and lengths of episodes
    assert len(theirs) == len(ours) == 100 * ENVS
    wanted, found = theirs.sample_indices(0), ours.sample_indices(0)
    for key in ("obs", "act", "rew", "terminated", "truncated", "done", "obs_next"):
        np.testing.assert_array_equal(theirs[wanted][key], ours[found][key], key)
        if key in ("rew", "done", "terminated", "truncated"):
            column = getattr(ours, key)[found]
            np.testing.assert_array_equal(column, getattr(theirs, key)[wanted])
    for name in ("next", "prev"):
        np.testing.assert_array_equal(
            np.searchsorted(wanted, getattr(theirs, name)(wanted)),
            [np.flatnonzero(found == i)[0] for i in getattr(ours, name)(found)],
        )
    np.testing.assert_array_equal(
        theirs[theirs.unfinished_index()].obs_next, ours[ours.unfinished_index()].obs_next
    )
    np.testing.assert_array_equal(theirs[theirs.last_index].obs, ours[ours.last_index].obs)


def test_full_rings_keep_the_newest() -> None:
    ours, more = VectorReplayBuffer(40 * ENVS, ENVS), VectorReplayBuffer(4000, ENVS)
    filled("CartPole-v1", 300, [ours, more], max_episode_steps=15)
    index = ours.sample_indices(0)
    assert 30 * ENVS <= len(index) < 40 * ENVS
    lines, newest = index // 40, more.sample_indices(0)
    for env in range(ENVS):
        own = index[lines == env]
        last = newest[newest // 1000 == env][-len(own) :]
        np.testing.assert_array_equal(ours[own].obs, more[last].obs)
        np.testing.assert_array_equal(ours[ours.next(own)].obs, more[more.next(last)].obs)
        np.testing.assert_array_equal(ours[ours.prev(own[1:])].obs, more[more.prev(last[1:])].obs)


def test_indices_of_any_form() -> None:
    ours = VectorReplayBuffer(400, ENVS)
    filled("CartPole-v1", 20, [ours])
    index = ours.sample_indices(8)
    flat = ours[index].obs
    np.testing.assert_array_equal(ours[index.reshape(2, 4)].obs, flat.reshape(2, 4, 4))
    np.testing.assert_array_equal(ours[list(index)].obs, flat)
    np.testing.assert_array_equal(ours[int(index[0])].obs, flat[0])
    np.testing.assert_array_equal(ours.get(index, "obs"), flat)
    assert len(ours[:]) == 20 * ENVS and not ours.hasnull()
    batch, index = ours.sample(6)
    np.testing.assert_array_equal(batch.obs_next, ours[index].obs_next)
    assert len(ours.sample(0)[1]) == 20 * ENVS
    with pytest.raises(IndexError, match="row 99 is no transition"):
        ours[99]
    with pytest.raises(IndexError, match="indices are 400 to 400 of 400 rows"):
        ours[400]
    with pytest.raises(AttributeError, match="no array 'reward'"):
        _ = ours.reward
    with pytest.raises(NotImplementedError, match="by add"):
        ours.set_batch(Batch())
    ours.reset()
    assert len(ours) == 0 and len(ours.sample_indices(0)) == 0


def test_a_pickle_has_all_rows_and_draws() -> None:
    ours = VectorReplayBuffer(400, ENVS, random_seed=3)
    filled("CartPole-v1", 20, [ours])
    again = pickle.loads(pickle.dumps(ours))
    wanted, index = ours.sample(16)
    found, same = again.sample(16)
    np.testing.assert_array_equal(index, same)
    np.testing.assert_array_equal(wanted.obs_next, found.obs_next)


def test_draws_by_priority() -> None:
    ours = PrioritizedVectorReplayBuffer(400, ENVS, alpha=0.6, beta=0.4)
    filled("CartPole-v1", 20, [ours])
    index = ours.sample_indices(0)
    errors = np.zeros(len(index))
    errors[:2] = 1.0, 8.0
    ours.update_weight(index, errors)
    batch, drawn = ours.sample(4000)
    share = [(drawn == i).mean() for i in index[:2]]
    assert share[1] / share[0] == pytest.approx(8**0.6, rel=0.2)
    assert batch.weight.max() == 1 and batch.weight[drawn == index[1]].max() < 1
    with pytest.raises(ValueError, match="alpha is 0"):
        PrioritizedVectorReplayBuffer(400, ENVS, alpha=0, beta=0.4)
    with pytest.raises(ValueError, match="beta is 2"):
        PrioritizedVectorReplayBuffer(400, ENVS, alpha=1, beta=2)


def dqn_for(env: Any) -> DQN:
    space, actions = env.observation_space, env.action_space
    net = Net(state_shape=space.shape, action_shape=actions.n, hidden_sizes=[32])
    policy = DiscreteQLearningPolicy(
        model=net, action_space=actions, observation_space=space, eps_training=0.1
    )
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), n_step_return_horizon=3)


def sac_for(env: Any) -> SAC:
    space, actions = env.observation_space, env.action_space
    net = Net(state_shape=space.shape, hidden_sizes=[32])
    actor = ContinuousActorProbabilistic(
        preprocess_net=net, action_shape=actions.shape, unbounded=True, conditioned_sigma=True
    )
    both = Net(state_shape=space.shape, action_shape=actions.shape, hidden_sizes=[32], concat=True)
    optim = AdamOptimizerFactory(lr=1e-3)
    return SAC(
        policy=SACPolicy(actor=actor, action_space=actions, observation_space=space),
        policy_optim=optim,
        critic=ContinuousCritic(preprocess_net=both),
        critic_optim=optim,
    )


@pytest.mark.parametrize(
    ("task", "make_algorithm", "buffer"),
    [
        ("CartPole-v1", dqn_for, VectorReplayBuffer(2000, ENVS)),
        ("CartPole-v1", dqn_for, PrioritizedVectorReplayBuffer(2000, ENVS, alpha=0.6, beta=0.4)),
        ("Pendulum-v1", sac_for, VectorReplayBuffer(2000, ENVS)),
    ],
)
def test_trains(task: str, make_algorithm: Any, buffer: Any) -> None:
    env = parallel_pool.make(task, num_envs=ENVS)
    algorithm = make_algorithm(env)
    collector = Collector[CollectStats](algorithm, env, buffer)
    collector.reset()
    collector.collect(n_step=100, random=True)
    before = [p.detach().clone() for p in algorithm.policy.parameters()]
    params = OffPolicyTrainerParams(
        training_collector=collector,
        test_collector=None,
        max_epochs=1,
        epoch_num_steps=400,
        collection_step_num_env_steps=20,
        update_step_num_gradient_steps_per_sample=0.1,
        batch_size=32,
        verbose=False,
    )
    with policy_within_training_step(algorithm.policy):
        algorithm.run_training(params)
    assert any((a != b).any() for a, b in zip(before, algorithm.policy.parameters(), strict=True))
    assert len(buffer) >= 500
    env.close()
