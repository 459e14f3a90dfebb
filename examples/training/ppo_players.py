"""PPO in one file for players who work together: SimpleSpread-v3, or level-based foraging.

All players share one network; each has a row in every batch of a Rollout. It ends when the mean
return of a player over the last 200 episodes is the goal. Draws its learning curve.
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
from torch.distributions import Categorical
from tqdm import tqdm

import parallel_pool

# The mean return of a player to reach. Random players get -27 and 0.002; 0.5 is all food.
TASKS = {"SimpleSpread-v3": -14.0, "Foraging-8x8-2p-2f-coop-v3": 0.45}
GAMMA, LAMBDA, CLIP, ENTROPY = 0.95, 0.95, 0.2, 0.01
STEPS, EPOCHS, BATCH, RATE = 52, 8, 1024, 2e-3  # a rollout is two episodes of SimpleSpread


class Agent(nn.Module):  # type: ignore[misc]
    """The policy and the value of every player, each with two layers of its own."""

    def __init__(self, player: Any) -> None:
        """`player`: one of spec.players, which says what a player sees and can do."""
        super().__init__()
        size, moves = player.observation_space.shape[0], int(player.action_space.n)
        self.actor, self.critic = (
            nn.Sequential(
                *(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n))
            )
            for n in (moves, 1)
        )

    def forward(self, obs: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policies and the values (rows,) of observations (rows, size)."""
        return Categorical(logits=self.actor(obs)), self.critic(obs)[:, 0]


def update(agent: Agent, optimizer: Any, batch: dict[str, torch.Tensor]) -> None:
    """Trains some epochs on the steps of a rollout, a row for each player."""
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(batch["obs"])).split(BATCH):
            policy, value = agent(batch["obs"][rows])
            ratio = (policy.log_prob(batch["action"][rows]) - batch["logprob"][rows]).exp()
            a = batch["advantage"][rows]
            a = (a - a.mean()) / (a.std(correction=0) + 1e-8)
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            loss = loss + 0.5 * (value - batch["target"][rows]).square().mean()
            loss = loss - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(args: argparse.Namespace) -> list[tuple[int, float]]:
    """Trains; returns the learning curve: (env steps, mean return of a player)."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs = parallel_pool.make(
        args.task, num_envs=args.num_envs, seed=args.seed, record_episode_statistics=True
    )
    agent = Agent(envs.spec.players[0])
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    rollout = parallel_pool.Rollout(envs, STEPS, torch=True)
    returns = collections.deque[float](maxlen=200 * len(envs.spec.players))
    curve = [(0, -np.inf)]
    bar = tqdm(total=args.max_steps, unit=" steps", disable=None)
    while curve[-1][0] < args.max_steps and curve[-1][1] < args.goal:
        for obs in rollout:
            with torch.no_grad():
                policy, value = agent(obs)
            action = policy.sample()
            rollout.act(action, logprob=policy.log_prob(action), value=value)
        with torch.no_grad():
            last_value = agent(rollout.last_obs)[1]
        rollout.finish(last_value, gamma=GAMMA, gae_lambda=LAMBDA)
        update(agent, optimizer, rollout.batch())
        returns.extend(rollout.episode_returns)
        curve.append((curve[-1][0] + args.num_envs * STEPS, float(np.mean(returns))))
        bar.update(args.num_envs * STEPS)
        bar.set_postfix(mean_return=f"{curve[-1][1]:.2f}")
    return curve


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="?", choices=list(TASKS), default="SimpleSpread-v3")
    parser.add_argument("--goal", type=float, help="the mean return to reach (the task's)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=128, help="number of envs (128)")
    parser.add_argument("--max-steps", type=int, default=3_000_000, help="of all envs (3,000,000)")
    parser.add_argument("--curve", default="ppo_players.png", help="the picture to write")
    args = parser.parse_args()
    args.goal = TASKS[args.task] if args.goal is None else args.goal
    pathlib.Path(args.curve).touch()  # a path that cannot be written is an error now
    begin = time.perf_counter()
    curve = train(args)
    (steps, mean), seconds = curve[-1], time.perf_counter() - begin
    figure = Figure(figsize=(6, 4), layout="tight")
    axes = figure.add_subplot(xlabel="env steps", ylabel="mean return of a player")
    axes.plot(*zip(*curve, strict=True))
    figure.savefig(args.curve, dpi=150)
    print(f"mean return {mean:.2f} after {steps:,} steps in {seconds:.1f} s")
    if mean < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
