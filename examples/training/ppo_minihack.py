"""PPO in one file walks to the stairs of MiniHack's rooms, or plays NetHack for the score.

The agent sees what lies around it, the numbers below the map and the message above it. It ends when
the mean return of 100 episodes is the goal. Draws its learning curve.
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

# The mean return to reach, and the side of the square around the agent that it sees. Random players
# get 0.79, 0.19 and 22.
TASKS = {
    "MiniHack-Room-Random-5x5-v0": (0.99, 9),
    "MiniHack-Room-Random-15x15-v0": (0.95, 29),
    "NetHackScore-v0": (100.0, 9),
}
GLYPHS, LETTERS = 5977, 32  # the numbers of glyphs; the first letters of the message
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.2, 0.01
STEPS, EPOCHS, BATCH, RATE = 64, 3, 1024, 1e-3


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value on one body."""

    def __init__(self, side: int, actions: int) -> None:
        super().__init__()
        self.glyph = nn.Embedding(GLYPHS, 8)
        self.letter = nn.EmbeddingBag(LETTERS * 256, 64, mode="sum")
        self.map = nn.Sequential(
            *(nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU()),
            *(nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten()),
        )
        size = 32 * ((side + 3) // 4) ** 2 + 64 + 27
        self.body = nn.Sequential(nn.Linear(size, 256), nn.ReLU())
        self.actor, self.critic = nn.Linear(256, actions), nn.Linear(256, 1)
        nn.init.normal_(self.actor.weight, std=0.01)
        self.register_buffer("place", torch.arange(LETTERS) * 256)

    def forward(self, obs: dict[str, torch.Tensor]) -> tuple[Categorical, torch.Tensor]:
        """The policies and the values (rows,) of observations."""
        near = self.map(self.glyph(obs["glyphs_crop"].int()).permute(0, 3, 1, 2))
        text = self.letter(obs["message"][:, :LETTERS] + self.place)
        numbers = obs["blstats"].clamp(min=0).float().log1p() / 5
        hidden = self.body(torch.cat([near, text, numbers], 1))
        return Categorical(logits=self.actor(hidden)), self.critic(hidden)[:, 0]


def update(agent: Agent, optimizer: Any, batch: dict[str, Any]) -> None:
    """Trains some epochs on the steps of a rollout."""
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(batch["action"])).split(BATCH):
            policy, value = agent({name: array[rows] for name, array in batch["obs"].items()})
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
    """Trains; returns the learning curve: (env steps, mean return)."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    side = TASKS[args.task][1]
    options: dict[str, Any] = {"obs_crop_h": side, "obs_crop_w": side, "normalize_reward": True}
    options |= {"observation_keys": ["glyphs_crop", "blstats", "message"]}
    options |= {"num_envs": args.num_envs, "seed": args.seed, "record_episode_statistics": True}
    envs = parallel_pool.make(args.task, **options)
    agent = Agent(side, int(envs.action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5, fused=True)
    rollout = parallel_pool.Rollout(envs, STEPS, torch=True)
    returns = collections.deque[float](maxlen=100)
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
        mean = float(np.mean(returns)) if len(returns) == 100 else -np.inf
        curve.append((curve[-1][0] + args.num_envs * STEPS, mean))
        bar.update(args.num_envs * STEPS)
        bar.set_postfix(mean_return=f"{mean:.2f}")
    return curve


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="?", choices=list(TASKS), default=next(iter(TASKS)))
    parser.add_argument("--goal", type=float, help="the mean return to reach (the task's)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=64, help="number of envs (64)")
    parser.add_argument("--max-steps", type=int, default=3_000_000, help="of all envs (3,000,000)")
    parser.add_argument("--curve", default="ppo_minihack.png", help="the picture to write")
    args = parser.parse_args()
    args.goal = TASKS[args.task][0] if args.goal is None else args.goal
    pathlib.Path(args.curve).touch()  # a path that cannot be written is an error now
    begin = time.perf_counter()
    curve = train(args)
    (steps, mean), seconds = curve[-1], time.perf_counter() - begin
    figure = Figure(figsize=(6, 4), layout="tight")
    axes = figure.add_subplot(xlabel="env steps", ylabel="mean return of 100 episodes")
    axes.plot(*zip(*curve, strict=True))
    figure.savefig(args.curve, dpi=150)
    print(f"mean return {mean:.3f} after {steps:,} steps in {seconds:.1f} s")
    if mean < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
