"""skrl trains on a pool, which its wrap_env() wraps as a vector env of Gymnasium."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from skrl.agents.torch.ppo import PPO_CFG
from skrl.agents.torch.ppo.ppo import compute_gae
from skrl.envs.wrappers.torch import wrap_env
from skrl.utils import set_seed

import parallel_pool


def test_wrap_env() -> None:
    env = wrap_env(
        parallel_pool.make("CartPole-v1", num_envs=4, render_mode="rgb_array"), "gymnasium"
    )
    assert env.num_envs == 4
    obs, _ = env.reset()
    assert obs.shape == (4, 4)
    obs, reward, terminated, truncated, _ = env.step(torch.zeros(4, 1, dtype=torch.int64))
    assert obs.shape == (4, 4)
    assert reward.shape == terminated.shape == truncated.shape == (4, 1)
    assert env.render()[0].shape == (400, 600, 3)
    env.close()


@pytest.mark.parametrize("bootstrap", [False, True])
def test_advantages_end_at_a_time_limit_if_they_bootstrap(bootstrap: bool) -> None:
    def column(*values: Any) -> torch.Tensor:
        return torch.tensor(values).reshape(-1, 1)

    returns = {
        compute_gae(
            rewards=column(1.0, 1.0, after_the_limit),
            terminated=column(False, False, False),
            truncated=column(False, True, False),
            values=torch.zeros(3, 1),
            last_values=torch.zeros(1),
            time_limit_bootstrap=bootstrap,
        )[0][0].item()
        for after_the_limit in (0.0, 100.0)
    }
    assert len(returns) == (1 if bootstrap else 2)
    assert PPO_CFG().time_limit_bootstrap is False


def test_the_wrapper_resets_once_by_its_own_seed() -> None:
    set_seed(5)
    env = wrap_env(parallel_pool.make("CartPole-v1", num_envs=2, seed=9), "gymnasium")
    first, _ = env.reset()
    with parallel_pool.make("CartPole-v1", num_envs=2, seed=5) as pool:
        np.testing.assert_array_equal(first.numpy(), pool.reset()[0])
    after, *_ = env.step(torch.zeros(2, 1, dtype=torch.int64))
    assert torch.equal(env.reset()[0], after)
    env.close()


def test_trains(
    snippet: Callable[[str], str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "the net has learned: True" in snippet("skrl")
