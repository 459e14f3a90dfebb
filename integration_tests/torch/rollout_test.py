"""Rollouts and returns of tensors."""

from typing import Any

import numpy as np
import pytest
import torch

import parallel_pool

ENVS, STEPS = 6, 50


def play(mode: Any, **options: Any) -> Any:
    """A rollout with a policy and a critic of torch or NumPy, after its third loop."""
    with parallel_pool.make(
        "CartPole-v1", num_envs=ENVS, seed=2, max_episode_steps=15, autoreset_mode=mode
    ) as pool:
        rollout = parallel_pool.Rollout(pool, STEPS, **options)
        for _ in range(3):
            for obs in rollout:
                rollout.act((obs[:, 2] > 0) * 1, value=obs[:, 0] * 2, number=obs[:, 1])
            final = rollout.final_obs
            rollout.finish(rollout.last_obs[:, 0] * 2, None if final is None else final[:, 0] * 2)
        return rollout


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_tensors_have_the_numbers_of_arrays(mode: str) -> None:
    theirs = play(mode).batch()
    rollout = play(mode, torch=True)
    mine = rollout.batch()
    assert mine.keys() == theirs.keys()
    for name, tensor in mine.items():
        assert isinstance(tensor, torch.Tensor)
        np.testing.assert_array_equal(tensor.numpy(), theirs[name], name)
    assert rollout.obs.shape == (STEPS + 1, ENVS, 4)


def test_a_policy_with_gradients_leaves_none_in_the_rollout() -> None:
    net = torch.nn.Linear(4, 1)
    with parallel_pool.make("CartPole-v1", num_envs=ENVS) as pool:
        rollout = parallel_pool.Rollout(pool, 5, torch=True)
        for obs in rollout:
            rollout.act(torch.zeros(ENVS, dtype=torch.int64), value=net(obs)[:, 0])
        rollout.finish(net(rollout.last_obs)[:, 0])
        batch = rollout.batch()
        assert not any(tensor.requires_grad for tensor in batch.values())
        loss = (net(batch["obs"])[:, 0] - batch["target"]).square().mean()
        loss.backward()
        assert net.weight.grad is not None


def test_trajectories_of_tensors() -> None:
    found = []
    for options in ({}, {"torch": True}):
        with parallel_pool.make("CartPole-v1", num_envs=ENVS, seed=2, max_episode_steps=15) as pool:
            trajectories = parallel_pool.Trajectories(pool, STEPS, **options)
            for _ in range(2):
                for obs in trajectories:
                    trajectories.act((obs[:, 2] > 0) * 1, value=obs[:, :1] * 2)
                trajectories.finish()
            found.append(trajectories.batch())
    theirs, mine = found
    assert mine.keys() == theirs.keys()
    for name, tensor in mine.items():
        assert isinstance(tensor, torch.Tensor)
        np.testing.assert_array_equal(tensor.numpy(), theirs[name], name)


def test_returns_of_tensors_are_tensors() -> None:
    shape = (7, 3)
    reward, value = torch.randn(shape), torch.randn(shape, requires_grad=True)
    ended = torch.rand(shape) < 0.2
    never = torch.zeros(shape, dtype=torch.bool)
    last = torch.randn(3)
    advantage, target = parallel_pool.returns.gae(reward, value, ended, never, last)
    assert isinstance(advantage, torch.Tensor) and not advantage.requires_grad
    theirs, _ = parallel_pool.returns.gae(
        reward.numpy(), value.detach().numpy(), ended.numpy(), never.numpy(), last.numpy()
    )
    np.testing.assert_array_equal(advantage.numpy(), theirs)
    assert torch.equal(target, advantage + value.detach())


def test_a_device_of_torch() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2) as pool:
        rollout = parallel_pool.Rollout(pool, 2, torch=True, device="meta")
        for obs in rollout:
            assert obs.device.type == "meta"
            rollout.act(torch.zeros(2, dtype=torch.int64))
        assert rollout.batch()["obs"].device.type == "meta"
