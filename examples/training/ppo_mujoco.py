"""PPO in one file learns to run with MuJoCo's robots: HalfCheetah-v5 or Ant-v5.

The pool normalizes observations and rewards, and clips actions. An evaluation with its statistics
shows what the policy reaches without noise. Draws the learning curve.
"""

import argparse
import collections
import pathlib
import time
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import nn
from torch.distributions import Independent, Normal
from tqdm import tqdm

import parallel_pool

# The mean return of 100 episodes to reach, and the rate of learning at first; it falls to 0.
TASKS = {"HalfCheetah-v5": (4000.0, 3e-3), "Ant-v5": (1500.0, 1e-3)}
GAMMA, LAMBDA, CLIP = 0.99, 0.9, 0.2
ENVS, STEPS, EPOCHS, BATCH = 64, 64, 10, 1024
# Observations have a mean of about 0 and a deviation of about 1.
OPTIONS: dict[str, Any] = {
    "normalize_observation": True,
    "clip_observation": 10.0,
    "clip_action": True,
    "obs_dtype": "float32",
}


class Agent(nn.Module):  # type: ignore[misc]
    """A Gaussian policy, whose deviations do not depend on the observation, and a value."""

    def __init__(self, size: int, action: int) -> None:
        super().__init__()
        self.actor, self.critic = (
            nn.Sequential(
                *(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n))
            )
            for n in (action, 1)
        )
        nn.init.zeros_(self.actor[-1].weight)
        self.log_std = nn.Parameter(torch.full((action,), -1.0))

    def forward(self, obs: torch.Tensor) -> tuple[Independent, torch.Tensor]:
        """The policies and the values (rows,) of observations (rows, size)."""
        return Independent(Normal(self.actor(obs), self.log_std.exp()), 1), self.critic(obs)[:, 0]


def update(agent: Agent, optimizer: Any, batch: dict[str, torch.Tensor]) -> None:
    """Trains some epochs on the steps of a rollout."""
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(batch["obs"])).split(BATCH):
            policy, value = agent(batch["obs"][rows])
            ratio = (policy.log_prob(batch["action"][rows]) - batch["logprob"][rows]).exp()
            a = batch["advantage"][rows]
            a = (a - a.mean()) / (a.std(correction=0) + 1e-8)
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            loss = loss + 0.5 * (value - batch["target"][rows]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(args: argparse.Namespace) -> list[tuple[int, float]]:
    """Trains; returns the learning curve: (env steps, mean return)."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    training = {"normalize_reward": True, "record_episode_statistics": True, **OPTIONS}
    envs = parallel_pool.make(args.task, num_envs=ENVS, seed=args.seed, **training)
    agent = Agent(envs.observation_space.shape[0], envs.action_space.shape[0])
    optimizer = torch.optim.Adam(agent.parameters(), eps=1e-5, fused=True)
    rollout = parallel_pool.Rollout(envs, STEPS, torch=True)
    last = collections.deque[float](maxlen=100)  # returns of episodes
    curve = [(0, 0.0)]
    bar = tqdm(total=args.max_steps, unit=" steps", disable=None)
    while curve[-1][0] < args.max_steps and curve[-1][1] < args.goal:
        optimizer.param_groups[0]["lr"] = TASKS[args.task][1] * (1 - curve[-1][0] / args.max_steps)
        for obs in rollout:
            with torch.no_grad():
                policy, value = agent(obs)
            action = policy.sample()
            rollout.act(action, logprob=policy.log_prob(action), value=value)
        with torch.no_grad():
            last_value = agent(rollout.last_obs)[1]
        rollout.finish(last_value, gamma=GAMMA, gae_lambda=LAMBDA)
        update(agent, optimizer, rollout.batch())
        last.extend(rollout.episode_returns)
        curve.append((curve[-1][0] + ENVS * STEPS, float(np.mean(last or [0.0]))))
        bar.update(ENVS * STEPS)
        bar.set_postfix(mean_return=f"{curve[-1][1]:.0f}")

    def without_noise(obs: Any) -> Any:
        return agent.actor(torch.from_numpy(obs)).detach().numpy()

    statistics = envs.statistics()
    print(parallel_pool.evaluate(without_noise, args.task, 16, statistics=statistics, **OPTIONS))
    return curve


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="?", choices=list(TASKS), default="HalfCheetah-v5")
    parser.add_argument("--goal", type=float, help="the mean return to reach (the task's)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--max-steps", type=int, default=1_000_000, help="of all envs (1,000,000)")
    parser.add_argument("--curve", default="ppo_mujoco.png", help="the picture to write")
    args = parser.parse_args()
    args.goal = args.goal or TASKS[args.task][0]
    pathlib.Path(args.curve).touch()  # a path that cannot be written is an error now
    begin = time.perf_counter()
    curve = train(args)
    (steps, mean), seconds = curve[-1], time.perf_counter() - begin
    figure = Figure(figsize=(6, 4), layout="tight")
    axes = figure.add_subplot(xlabel="env steps", ylabel="mean return", title=args.task)
    axes.plot(*zip(*curve, strict=True))
    figure.savefig(args.curve, dpi=150)
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s")
    if mean < args.goal < np.inf:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
