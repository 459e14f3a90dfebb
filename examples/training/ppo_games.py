"""PPO in one file learns eight of Atari's games at once from pixels, with one agent.

All envs are in one pool. The games have 3 to 18 actions; the pool has as many as the largest, and
masks say which a game has. Draws a learning curve for each game.
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

GAMES = ["Assault", "Boxing", "Breakout", "CrazyClimber"]
GAMES += ["Freeway", "Krull", "RoadRunner", "SpaceInvaders"]
RANDOM = np.array([222.4, 0.1, 1.7, 10780.5, 0.0, 1598.0, 11.5, 148.0])  # scores; Mnih et al. 2015
PEOPLE = np.array([742.0, 12.1, 30.5, 35829.4, 29.6, 2665.5, 7845.0, 1668.7])
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.1, 0.01
STEPS, EPOCHS, BATCH, RATE = 128, 4, 256, 5e-4


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value for each game over one small convolutional net."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *(nn.Conv2d(4, 16, 8, stride=4), nn.ReLU()),
            *(nn.Conv2d(16, 32, 4, stride=2), nn.ReLU(), nn.Flatten()),
            *(nn.Linear(32 * 9 * 9, 256), nn.ReLU()),
        )
        self.actor, self.critic = nn.Linear(256, 8 * actions), nn.Linear(256, 8)
        for name, weights in self.named_parameters():
            gain = {"actor.weight": 0.01, "critic.weight": 1.0}.get(name, 2**0.5)
            nn.init.zeros_(weights) if "bias" in name else nn.init.orthogonal_(weights, gain)
        self.to(memory_format=torch.channels_last)  # several times faster on a CPU

    def forward(self, obs: Any, game: Any, mask: Any) -> tuple[Categorical, torch.Tensor]:
        """The policies and the values (rows,) of observations (rows, 84, 84, 4) uint8 of games."""
        hidden = self.body((obs.float() / 255).permute(0, 3, 1, 2))
        rows = torch.arange(len(game))
        logits = self.actor(hidden).view(len(game), 8, -1)[rows, game]
        policy = Categorical(logits=logits.masked_fill(mask == 0, -1e9))
        return policy, self.critic(hidden)[rows, game]


def update(agent: Agent, optimizer: Any, batch: dict[str, torch.Tensor]) -> None:
    """Trains some epochs on the steps of a rollout."""
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(batch["obs"])).split(BATCH):
            policy, value = agent(batch["obs"][rows], batch["game"][rows], batch["mask"][rows])
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


def train(args: argparse.Namespace) -> list[tuple[int, Any]]:
    """Trains; returns the curves: (env steps, mean score of each game, 0 random play, 1 people)."""
    torch.manual_seed(args.seed)
    options: Any = {"action_padding": True, "channel_last": True, "record_episode_statistics": True}
    options |= {"num_envs": args.num_envs, "seed": args.seed, "reward_clip": True}
    envs = parallel_pool.make([f"{game}-v5" for game in GAMES], **options)
    rollout = parallel_pool.Rollout(envs, STEPS, torch=True)
    rollout.reset()
    game, mask = (torch.from_numpy(rollout.info[name]) for name in ("task_id", "action_mask"))
    agent = Agent(mask.shape[1])
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5, fused=True)
    scores = [collections.deque([low], maxlen=20) for low in RANDOM]
    curve = [(0, np.zeros(8))]
    bar = tqdm(total=args.max_steps, unit=" steps", disable=None)
    while curve[-1][0] < args.max_steps and curve[-1][1].mean() < args.goal:
        for obs in rollout:
            with torch.no_grad():
                policy, value = agent(obs, game, mask)
            action = policy.sample()
            known = {"logprob": policy.log_prob(action), "value": value, "game": game, "mask": mask}
            info = rollout.act(action, **known)
            for env in np.flatnonzero(info.get("_episode", False)):
                scores[game[env]].append(float(info["episode"]["r"][env]))
        with torch.no_grad():
            last_value = agent(rollout.last_obs, game, mask)[1]
        rollout.finish(last_value, gamma=GAMMA, gae_lambda=LAMBDA)
        update(agent, optimizer, rollout.batch())
        means = (np.array([np.mean(last) for last in scores]) - RANDOM) / (PEOPLE - RANDOM)
        curve.append((curve[-1][0] + args.num_envs * STEPS, means))
        bar.update(args.num_envs * STEPS)
        bar.set_postfix(mean=f"{curve[-1][1].mean():.2f}")
    return curve


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--goal", type=float, default=0.25, help="the mean score (0.25)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=32, help="number of envs, at least 8 (32)")
    parser.add_argument("--max-steps", type=int, default=1_000_000, help="of all envs (1,000,000)")
    parser.add_argument("--curve", default="ppo_games.png", help="the picture to write")
    args = parser.parse_args()
    pathlib.Path(args.curve).touch()  # a path that cannot be written is an error now
    begin = time.perf_counter()
    curve = train(args)
    (steps, means), seconds = curve[-1], time.perf_counter() - begin
    figure = Figure(figsize=(6, 4), layout="tight")
    axes = figure.add_subplot(xlabel="env steps", ylabel="score: 0 random play, 1 people")
    axes.plot([s for s, _ in curve], [m for _, m in curve], label=GAMES)
    axes.legend(fontsize="x-small")
    figure.savefig(args.curve, dpi=150)
    print(f"mean return {means.mean():.3f} after {steps:,} steps in {seconds:.1f} s")
    if means.mean() < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
