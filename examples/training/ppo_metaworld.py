"""PPO in one file learns MetaWorld's benchmark MT10: ten tasks of a robot arm, with one policy.

The observation has a one-hot id of the task, and info["task_id"] its number. Draws the share of
episodes of each task that succeed. Needs the models: pip install --no-deps metaworld==3.1.1
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

GAMMA, LAMBDA, CLIP, RATE = 0.99, 0.95, 0.2, 5e-4
STEPS, EPOCHS, BATCH, SCALE = 250, 8, 2000, 100.0  # SCALE: of returns, which are up to 1,000


class Agent(nn.Module):  # type: ignore[misc]
    """A Gaussian policy with deviations for each task, and a value."""

    def __init__(self, size: int, action: int, tasks: int) -> None:
        super().__init__()
        ends = (nn.Linear(256, n) for n in (action, 1))
        self.actor, self.critic = (
            nn.Sequential(nn.Linear(size, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), end)
            for end in ends
        )
        nn.init.zeros_(self.actor[-1].weight)
        self.log_std = nn.Parameter(torch.full((tasks, action), -0.5))
        self.mean, self.std = torch.zeros(size), torch.ones(size)  # of observations

    def forward(self, obs: torch.Tensor, task: Any) -> tuple[Independent, torch.Tensor]:
        """The policies and the values (rows,) of observations (rows, size) of tasks (rows,)."""
        obs = ((obs - self.mean) / self.std).clamp(-5, 5)
        std = self.log_std[task].clamp(-2.5, 0.5).exp()
        return Independent(Normal(self.actor(obs), std), 1), SCALE * self.critic(obs)[:, 0]


def update(agent: Agent, optimizer: Any, batch: dict[str, torch.Tensor]) -> None:
    """Trains some epochs on the steps of a rollout; tasks with high rewards count no more."""
    for task in batch["task"].unique():
        a = batch["advantage"][batch["task"] == task]
        batch["advantage"][batch["task"] == task] = (a - a.mean()) / (a.std() + 1e-8)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(batch["obs"])).split(BATCH):
            policy, value = agent(batch["obs"][rows], batch["task"][rows])
            ratio = (policy.log_prob(batch["action"][rows]) - batch["logprob"][rows]).exp()
            a = batch["advantage"][rows]
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            loss = loss + 0.5 * ((value - batch["target"][rows]) / SCALE).square().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(args: argparse.Namespace) -> tuple[list[str], list[tuple[int, Any]]]:
    """Trains; returns the tasks, and the curves: (env steps, success of each task)."""
    torch.manual_seed(args.seed)
    options: Any = {"obs_dtype": "float32", "clip_action": True, "record_episode_statistics": True}
    envs = parallel_pool.make(args.benchmark, num_envs=args.num_envs, seed=args.seed, **options)
    rollout = parallel_pool.Rollout(envs, STEPS, torch=True)
    rollout.reset()
    task = torch.from_numpy(rollout.info["task_id"]).long()
    names = [spec.task_id for spec in envs.tasks]
    agent = Agent(envs.observation_space.shape[0], envs.action_space.shape[0], len(names))
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5, fused=True)
    last = [collections.deque([0.0], maxlen=20) for _ in names]  # successes
    curve = [(0, np.zeros(len(names)))]
    bar = tqdm(total=args.max_steps, unit=" steps", disable=None)
    while curve[-1][0] < args.max_steps and curve[-1][1].mean() < args.goal:
        for obs in rollout:
            with torch.no_grad():
                policy, value = agent(obs, task)
            action = policy.sample()
            info = rollout.act(action, logprob=policy.log_prob(action), value=value, task=task)
            for env in np.flatnonzero(info.get("_episode", False)):
                last[task[env]].append(float(info["success_once"][env]))
        with torch.no_grad():
            last_value = agent(rollout.last_obs, task)[1]
        rollout.finish(last_value, gamma=GAMMA, gae_lambda=LAMBDA)
        batch = rollout.batch()
        if len(curve) == 1:  # places differ by centimeters: this makes them numbers of about 1
            agent.mean, agent.std = batch["obs"].mean(0), batch["obs"].std(0) + 1e-3
        else:
            update(agent, optimizer, batch)
        success = np.array([np.mean(results) for results in last])
        curve.append((curve[-1][0] + args.num_envs * STEPS, success))
        bar.update(args.num_envs * STEPS)
        bar.set_postfix(success=f"{success.mean():.2f}")
    return names, curve


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("benchmark", nargs="?", default="MetaWorld/MT10", help="or MetaWorld/MT50")
    parser.add_argument("--goal", type=float, default=0.7, help="mean success to reach (0.7)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=80, help="number of envs (80)")
    parser.add_argument("--max-steps", type=int, default=6_000_000, help="of all envs (6,000,000)")
    parser.add_argument("--curve", default="ppo_metaworld.png", help="the picture to write")
    args = parser.parse_args()
    pathlib.Path(args.curve).touch()  # a path that cannot be written is an error now
    begin = time.perf_counter()
    names, curve = train(args)
    (steps, success), seconds = curve[-1], time.perf_counter() - begin
    figure = Figure(figsize=(6, 4), layout="tight")
    axes = figure.add_subplot(xlabel="env steps", ylabel="success of 20 episodes")
    axes.plot([s for s, _ in curve], [m for _, m in curve], label=names)
    axes.legend(fontsize="x-small")
    figure.savefig(args.curve, dpi=150)
    for name, share in zip(names, success, strict=True):
        print(f"{name:<28} {share:.2f}")
    print(f"mean success {success.mean():.3f} after {steps:,} steps in {seconds:.1f} s")
    if success.mean() < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
