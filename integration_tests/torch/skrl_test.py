"""skrl trains on a pool, which its wrap_env() wraps as a vector env of Gymnasium."""

import pathlib
from collections.abc import Callable

import pytest
import torch
from skrl.envs.wrappers.torch import wrap_env

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


def test_trains(
    snippet: Callable[[str], str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "the net has learned: True" in snippet("skrl")
