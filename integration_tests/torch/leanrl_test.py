"""LeanRL's PPO for Atari with EnvPool: the calls of leanrl_calls.py."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import torch

import parallel_pool

_HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("options", [[], ["--compile"]])
def test_rows_are_those_of_a_pool(options: list[str], tmp_path: pathlib.Path) -> None:
    page = (_HERE.parents[1] / "docs/integrations.md").read_text()
    (program,) = re.findall(r"^python -c '\n(.*?)^' ppo_atari", page, re.DOTALL | re.M)
    file = tmp_path / "rows.pt"
    command = [sys.executable, "-I", "-c", program, str(_HERE / "leanrl_calls.py"), str(file)]
    done = subprocess.run(command + options, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = torch.load(file)
    returns = rows.pop("returns")
    obs, dones, rewards, actions = (
        rows[name].numpy() for name in ("obs", "dones", "rewards", "actions")
    )
    assert dones.any() and rewards.any()
    steps, num_envs = actions.shape
    scores, expected = np.zeros(num_envs, np.float32), []
    with parallel_pool.make_gymnasium(
        "Breakout-v5", num_envs=num_envs, episodic_life=True, reward_clip=True, seed=1
    ) as pool:
        now, ends = pool.reset()[0], np.zeros(num_envs, bool)
        for t in range(steps):
            np.testing.assert_array_equal(obs[t], now)
            np.testing.assert_array_equal(dones[t], ends)
            now, reward, terminated, truncated, info = pool.step(actions[t])
            np.testing.assert_array_equal(rewards[t], reward)
            ends = terminated | truncated
            scores += info["reward"]
            expected += scores[ends & (info["lives"] == 0)].tolist()
            scores[info["terminated"] == 1] = 0
    assert returns == expected and len(returns) >= num_envs
