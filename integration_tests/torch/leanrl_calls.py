"""A short form of LeanRL's leanrl/ppo_atari_envpool_torchcompile.py, of its commit 8dbb6336.

It calls envpool, gym and tensordict as that program does, up to CudaGraphModule, which needs a GPU.
Usage: leanrl_calls.py FILE [--compile]   FILE gets the rows of its rollouts
"""

import sys
from collections.abc import Callable
from typing import Any

import envpool
import gym
import numpy as np
import tensordict
import torch
from tensordict import from_module
from torch import nn
from torch.distributions.categorical import Categorical

ENVS, STEPS, ITERATIONS = 4, 80, 3


class Statistics(gym.Wrapper):  # type: ignore[misc]
    """Adds up unclipped rewards until all lives are lost."""

    def reset(self, **kwargs: Any) -> Any:
        """The first observations."""
        obs = super().reset(**kwargs)
        self.returns = np.zeros(self.num_envs, np.float32)
        return obs

    def step(self, action: Any) -> Any:
        """Adds `r`, the returns so far, to the infos."""
        obs, reward, done, info = super().step(action)
        self.returns += info["reward"]
        info["r"] = self.returns.copy()
        self.returns *= 1 - info["terminated"]
        return obs, reward, done, info


class Agent(nn.Module):  # type: ignore[misc]
    """A small net for four frames."""

    def __init__(self, envs: Any) -> None:
        super().__init__()
        self.network = nn.Sequential(nn.Conv2d(4, 8, 8, 8), nn.ReLU(), nn.Flatten())
        self.actor = nn.Linear(800, envs.single_action_space.n)
        self.critic = nn.Linear(800, 1)

    def get_action_and_value(self, obs: Any, action: Any = None) -> tuple[Any, Any, Any]:
        """The action, its log probability, and the value."""
        hidden = self.network(obs / 255.0)
        probs = Categorical(logits=self.actor(hidden))
        action = probs.sample() if action is None else action
        return action, probs.log_prob(action), self.critic(hidden).flatten()


def rollout(
    envs: Any, policy: Callable[..., Any], obs: Any, done: Any, returns: list[float]
) -> tuple[Any, Any, Any]:
    """Plays STEPS steps; the next obs and done, and a TensorDict of (STEPS, ENVS) rows."""
    rows = []
    for _ in range(STEPS):
        # LeanRL has no such line: before tensordict 0.14 this policy has no gradient anyway.
        with torch.no_grad():
            action, logprob, value = policy(obs=obs)
        following, reward, next_done, info = envs.step(action.cpu().numpy())
        next_done = torch.as_tensor(next_done)
        over = next_done & torch.as_tensor(info["lives"] == 0, dtype=torch.bool)
        returns.extend(torch.as_tensor(info["r"])[over].tolist())
        row = {"obs": obs, "dones": done, "vals": value, "actions": action, "logprobs": logprob}
        row["rewards"] = torch.as_tensor(reward)
        rows.append(tensordict.TensorDict._new_unsafe(**row, batch_size=(ENVS,)))
        obs, done = torch.as_tensor(following), next_done  # the pool's arrays, not copies
    return obs, done, torch.stack(rows, 0)


def update(agent: Agent, optimizer: Any, rows: Any) -> None:
    """One step of a policy gradient."""
    optimizer.zero_grad()
    _, logprob, value = agent.get_action_and_value(rows["obs"], rows["actions"])
    ratio = (logprob - rows["logprobs"]).exp()
    advantage = rows["rewards"] - rows["vals"]
    loss = (value - rows["rewards"]).square().mean() - (ratio * advantage).mean()
    loss.backward()
    optimizer.step()


def main() -> None:
    """Plays and learns."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    envs = envpool.make(
        "Breakout-v5", env_type="gym", num_envs=ENVS, episodic_life=True, reward_clip=True, seed=1
    )
    envs.num_envs = ENVS
    envs.single_action_space = envs.action_space
    envs.single_observation_space = envs.observation_space
    envs = Statistics(envs)
    assert isinstance(envs.action_space, gym.spaces.Discrete)

    agent, agent_inference = Agent(envs), Agent(envs)
    from_module(agent).data.to_module(agent_inference)
    optimizer = torch.optim.Adam(agent.parameters(), lr=torch.tensor(1e-3))
    policy = agent_inference.get_action_and_value
    if "--compile" in sys.argv:
        policy = torch.compile(policy)

    obs = torch.tensor(envs.reset(), dtype=torch.uint8)
    done = torch.zeros(ENVS, dtype=torch.bool)
    containers, returns = [], list[float]()
    for _ in range(ITERATIONS):
        obs, done, container = rollout(envs, policy, obs, done, returns)
        update(agent, optimizer, container.view(-1))
        containers.append(container)
    envs.close()
    torch.save({"returns": returns, **torch.cat(containers).to_dict()}, sys.argv[1])


main()
