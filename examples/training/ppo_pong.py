"""PPO in one file learns Atari's Pong from pixels, on a few CPU cores.

A point ends the sum of rewards: earlier moves do not affect the next point. Draws its curve.
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

GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.1, 0.01
STEPS, EPOCHS, BATCH, RATE = 128, 4, 256, 5e-4
MOVES = torch.tensor([0, 2, 3])  # stay, up, down; the game's other three only press fire as well


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value over one small convolutional net.

    Its input is the difference of a picture to `background`, (84, 84, 4): most pixels never change.
    """

    def __init__(self, background: torch.Tensor) -> None:
        super().__init__()
        self.background = background
        self.body = nn.Sequential(
            *(nn.Conv2d(4, 16, 8, stride=4), nn.ReLU()),
            *(nn.Conv2d(16, 32, 4, stride=2), nn.ReLU(), nn.Flatten()),
            *(nn.Linear(32 * 9 * 9, 256), nn.ReLU()),
        )
        self.actor, self.critic = nn.Linear(256, len(MOVES)), nn.Linear(256, 1)
        for name, weights in self.named_parameters():
            gain = {"actor.weight": 0.01, "critic.weight": 1.0}.get(name, 2**0.5)
            nn.init.zeros_(weights) if "bias" in name else nn.init.orthogonal_(weights, gain)
        self.to(memory_format=torch.channels_last)  # several times faster on a CPU

    def forward(self, obs: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policies and the values (rows,) of observations (rows, 84, 84, 4) uint8."""
        hidden = self.body(((obs.float() - self.background) / 64).permute(0, 3, 1, 2))
        return Categorical(logits=self.actor(hidden)), self.critic(hidden)[:, 0]


def batch_of(rollout: Any, last_value: torch.Tensor) -> dict[str, torch.Tensor]:
    """The steps of a rollout with their advantages, each point being an end."""
    rows, ends = rollout.is_transition, rollout.terminated | (rollout.reward != 0)
    value, more = rollout.extras["value"], {"gamma": GAMMA, "gae_lambda": LAMBDA}
    advantage, target = parallel_pool.returns.gae(
        rollout.reward, value, ends, rollout.truncated, last_value, is_transition=rows, **more
    )
    return {**rollout.batch(), "advantage": advantage[rows], "target": target[rows]}


def update(agent: Agent, optimizer: Any, batch: dict[str, torch.Tensor]) -> None:
    """Trains some epochs on the steps of a rollout."""
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(batch["obs"])).split(BATCH):
            policy, value = agent(batch["obs"][rows])
            ratio = (policy.log_prob(batch["move"][rows]) - batch["logprob"][rows]).exp()
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
    """Trains; returns the learning curve: (env steps, mean return of 50 games)."""
    torch.manual_seed(args.seed)
    options: Any = {"channel_last": True, "record_episode_statistics": True}
    envs = parallel_pool.make("Pong-v5", num_envs=args.num_envs, seed=args.seed, **options)
    rollout = parallel_pool.Rollout(envs, STEPS, torch=True)
    rollout.reset()
    agent = Agent(rollout.last_obs.float().mean(0))
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5, fused=True)
    returns = collections.deque[float]([-21.0] * 50, maxlen=50)  # the least
    curve = [(0, -21.0)]
    bar = tqdm(total=args.max_steps, unit=" steps", disable=None)
    while curve[-1][0] < args.max_steps and curve[-1][1] < args.goal:
        for obs in rollout:
            with torch.no_grad():
                policy, value = agent(obs)
            move = policy.sample()
            rollout.act(MOVES[move], move=move, logprob=policy.log_prob(move), value=value)
        with torch.no_grad():
            last_value = agent(rollout.last_obs)[1]
        update(agent, optimizer, batch_of(rollout, last_value))
        returns.extend(rollout.episode_returns)
        curve.append((curve[-1][0] + args.num_envs * STEPS, float(np.mean(returns))))
        bar.update(args.num_envs * STEPS)
        bar.set_postfix(mean_return=f"{curve[-1][1]:.1f}")
    return curve


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--goal", type=float, default=0.0, help="from -21 to 21 (0: even)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=16, help="number of envs (16)")
    parser.add_argument("--max-steps", type=int, default=2_000_000, help="of all envs (2,000,000)")
    parser.add_argument("--curve", default="ppo_pong.png", help="the picture to write")
    args = parser.parse_args()
    pathlib.Path(args.curve).touch()  # a path that cannot be written is an error now
    begin = time.perf_counter()
    curve = train(args)
    (steps, mean), seconds = curve[-1], time.perf_counter() - begin
    figure = Figure(figsize=(6, 4), layout="tight")
    axes = figure.add_subplot(xlabel="env steps", ylabel="mean return of 50 games")
    axes.plot(*zip(*curve, strict=True))
    figure.savefig(args.curve, dpi=150)
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s")
    if mean < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
