"""CleanRL's PPO for Atari with EnvPool, as published, and a loop with gym's calls before 0.26."""

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from torch import nn
from torch.distributions import Categorical

import parallel_pool

ENVS, STEPS, UPDATES = 4, 16, 3


@pytest.fixture
def envpool() -> Iterator[Any]:
    """The module `envpool` with the calls of gym before 0.26."""
    parallel_pool.install_as_envpool(legacy_gym=True)
    import envpool

    yield envpool
    parallel_pool.install_as_envpool()


class Statistics:
    """Adds up unclipped rewards until all lives are lost."""

    def __init__(self, envs: Any) -> None:
        self.envs = envs
        self.returns = np.zeros(envs.num_envs, np.float32)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.envs, name)

    def step(self, action: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        obs, reward, done, info = self.envs.step(action)
        self.returns += info["reward"]
        info["r"] = self.returns.copy()
        self.returns *= 1 - info["terminated"]
        return obs, reward, done, info


class Agent(nn.Module):  # type: ignore[misc]
    """A small net for four frames."""

    def __init__(self, envs: Any) -> None:
        super().__init__()
        assert envs.single_observation_space.shape == (4, 84, 84)
        self.body = nn.Sequential(
            nn.Conv2d(4, 8, 8, 4), nn.ReLU(), nn.Conv2d(8, 8, 4, 4), nn.ReLU(), nn.Flatten()
        )
        self.actor = nn.Linear(8 * 5 * 5, envs.single_action_space.n)
        self.critic = nn.Linear(8 * 5 * 5, 1)

    def forward(self, obs: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        hidden = self.body(obs / 255)
        return Categorical(logits=self.actor(hidden)), self.critic(hidden).flatten()


def collect(envs: Any, agent: Agent, obs: torch.Tensor) -> tuple[torch.Tensor, dict[str, Any]]:
    """Plays STEPS steps of all envs; the next observation, and the rows, (STEPS, ENVS, ...)."""
    rows: dict[str, list[torch.Tensor]] = {}
    for _ in range(STEPS):
        with torch.no_grad():
            policy, value = agent(obs)
            action = policy.sample()
        following, reward, done, info = envs.step(action.cpu().numpy())
        assert done.dtype == bool
        assert not (info["TimeLimit.truncated"] & ~done).any()
        assert (info["lives"][done] < 5).all()
        now = {
            "obs": obs,
            "action": action,
            "log_prob": policy.log_prob(action),
            "value": value,
            "reward": torch.tensor(reward),
            "done": torch.Tensor(done),
        }
        for name, row in now.items():
            rows.setdefault(name, []).append(row)
        obs = torch.Tensor(following)
    return obs, {name: torch.stack(row) for name, row in rows.items()}


def update(agent: Agent, optimizer: torch.optim.Optimizer, rows: dict[str, Any], last: Any) -> None:
    """One update of PPO on the collected rows."""
    returns, following = [], last
    for t in reversed(range(STEPS)):
        following = rows["reward"][t] + 0.99 * following * (1 - rows["done"][t])
        returns.append(following)
    target = torch.stack(returns[::-1]).flatten()
    advantage = target - rows["value"].flatten()
    policy, value = agent(rows["obs"].flatten(0, 1))
    ratio = (policy.log_prob(rows["action"].flatten()) - rows["log_prob"].flatten()).exp()
    loss = -torch.min(ratio * advantage, ratio.clamp(0.9, 1.1) * advantage).mean()
    loss = loss + 0.5 * (value - target).square().mean() - 0.01 * policy.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


@pytest.mark.parametrize(
    ("tasks", "options"),
    [
        ("Breakout-v5", {}),
        (["Breakout-v5", "Pong-v5"], {"full_action_space": True}),
        ("Breakout-v5", {"per_env": {"repeat_action_probability": [0.25] * ENVS}}),
    ],
)
def test_ppo(envpool: Any, tasks: Any, options: dict[str, Any]) -> None:
    torch.manual_seed(1)
    made = envpool.make(
        tasks, env_type="gym", num_envs=ENVS, episodic_life=True, reward_clip=True, **options
    )
    made.num_envs = ENVS
    made.single_action_space = made.action_space
    made.single_observation_space = made.observation_space
    assert made.is_vector_env
    envs = Statistics(made)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    before = [p.detach().clone() for p in agent.parameters()]
    obs = torch.Tensor(envs.reset())
    for _ in range(UPDATES):
        obs, rows = collect(envs, agent, obs)
        with torch.no_grad():
            last = agent(obs)[1]
        update(agent, optimizer, rows, last)
    assert all((a != b).any() for a, b in zip(before, agent.parameters(), strict=True))
    assert rows["obs"].shape == (STEPS, ENVS, 4, 84, 84)
    envs.close()


def run_script(name: str, page: str, folder: pathlib.Path, *options: str) -> str:
    """Runs a script of CleanRL as published, with the lines of a page before it; its output."""
    text = (pathlib.Path(__file__).parents[2] / "docs" / page).read_text()
    (program,) = re.findall(rf"^python -c '\n(.*?)^' {name}", text, re.DOTALL | re.M)
    script = pathlib.Path(gymnasium.__file__).parents[1] / "cleanrl" / name
    few = "--env-id Breakout-v5 --num-envs 2 --update-epochs 1 --num-minibatches 1 --cuda False"
    command = [sys.executable, "-I", "-c", program, str(script), *few.split(), *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(folder.glob("runs/Breakout-v5__*/events.*"))
    return done.stdout


def test_its_own_script(tmp_path: pathlib.Path) -> None:
    options = ["--num-steps=256", "--total-timesteps=512"]
    out = run_script("ppo_atari_envpool.py", "integrations.md", tmp_path, *options)
    assert out.count("SPS:") == 1
    games = re.findall(r"global_step=\d+, episodic_return=(\d+)\.0", out)
    assert games
    assert all(0 <= int(points) < 20 for points in games)


def test_its_script_for_jax(tmp_path: pathlib.Path) -> None:
    # The script compiles each step of a rollout again, so few take half a minute.
    options = ["--num-steps=16", "--total-timesteps=640"]
    out = run_script("ppo_atari_envpool_xla_jax.py", "jax.md", tmp_path, *options)
    assert out.count("SPS:") == 20
    means = re.findall(r"global_step=\d+, avg_episodic_return=([\d.]+)", out)
    assert len(means) == 20
    assert 0 <= float(means[-1]) < 20
