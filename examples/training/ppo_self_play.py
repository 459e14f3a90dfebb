"""PPO in one file learns Atari's Pong by playing both sides of each game.

One network plays both players; the second one sees the mirrored picture. In a quarter of the envs
the second player moves at random. Nothing is learned there: the first player's mean return in the
last 20 of these games is what the program shows, and where it ends. Draws its curve.
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
STEPS, EPOCHS, BATCH, RATE = 128, 3, 512, 7e-4
MOVES = torch.tensor(
    [1, 4, 5]
)  # stay, turn right, turn left; all press fire, which serves the ball
SIZE = 42  # pixels of a side


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value over one small convolutional net.

    Its input is the difference of a picture to `background`, (42, 42, 4): most pixels never change.
    """

    def __init__(self, background: torch.Tensor) -> None:
        super().__init__()
        self.background = background
        self.body = nn.Sequential(
            *(nn.Conv2d(4, 16, 6, stride=3), nn.ReLU()),
            *(nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(), nn.Flatten()),
            *(nn.Linear(32 * 6 * 6, 128), nn.ReLU()),
        )
        self.actor, self.critic = nn.Linear(128, len(MOVES)), nn.Linear(128, 1)
        for name, weights in self.named_parameters():
            gain = {"actor.weight": 0.01, "critic.weight": 1.0}.get(name, 2**0.5)
            nn.init.zeros_(weights) if "bias" in name else nn.init.orthogonal_(weights, gain)
        self.to(memory_format=torch.channels_last)  # several times faster on a CPU

    def forward(self, obs: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policies and the values (rows,) of observations (rows, 42, 42, 4) uint8."""
        hidden = self.body(((obs.float() - self.background) / 64).permute(0, 3, 1, 2))
        return Categorical(logits=self.actor(hidden)), self.critic(hidden)[:, 0]


def own_side(obs: torch.Tensor) -> torch.Tensor:
    """Observations (..., 2 * num_envs, 42, 42, 4), those of second players mirrored."""
    first, second = obs[..., ::2, :, :, :], obs[..., 1::2, :, :, :].flip(-2)
    return torch.stack([first, second], -4).flatten(-5, -4)


def batch_of(rollout: Any, last_value: torch.Tensor, learns: torch.Tensor) -> dict[str, Any]:
    """The steps of the rows that learn, with their advantages; each point is an end."""
    terminated, truncated, rows = (  # of envs: a row for each player
        flags.repeat_interleave(2, dim=1)
        for flags in (rollout.terminated, rollout.truncated, rollout.is_transition)
    )
    value, ends = rollout.extras["value"], terminated | (rollout.reward != 0)
    advantage, target = parallel_pool.returns.gae(
        rollout.reward, value, ends, truncated, last_value, gamma=GAMMA, gae_lambda=LAMBDA
    )
    rows = rows & learns
    own = {name: rollout.extras[name][rows] for name in ("move", "logprob")}
    obs = own_side(rollout.obs[:-1])[rows]
    return own | {"obs": obs, "advantage": advantage[rows], "target": target[rows]}


def ended_returns(info: dict[str, Any], games: int) -> list[float]:
    """The first player's returns of those of the first games that have ended in a step."""
    if "episode" not in info:
        return []
    returns: list[float] = info["episode"]["r"][::2][:games][info["_episode"][:games]].tolist()
    return returns


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
    """Trains; returns the learning curve: (env steps, mean return against random moves)."""
    torch.manual_seed(args.seed)
    options: Any = {"obs_type": "grayscale_image", "frame_skip": 4, "stack_num": 4}
    options |= {"img_height": SIZE, "img_width": SIZE, "record_episode_statistics": True}
    envs = parallel_pool.make("pong-v3", num_envs=args.num_envs, seed=args.seed, **options)
    rollout = parallel_pool.Rollout(envs, STEPS, torch=True)
    rollout.reset()
    agent = Agent(own_side(rollout.last_obs).float().mean(0))
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5, fused=True)
    against_random = torch.arange(2 * args.num_envs) < 2 * (args.num_envs // 4)
    is_random = against_random & (torch.arange(2 * args.num_envs) % 2 == 1)
    returns = collections.deque[float]([-21.0] * 20, maxlen=20)  # the least
    curve = [(0, -21.0)]
    bar = tqdm(total=args.max_steps, unit=" steps", disable=None)
    while curve[-1][0] < args.max_steps and curve[-1][1] < args.goal:
        for obs in rollout:
            with torch.no_grad():
                policy, value = agent(own_side(obs))
            move = policy.sample()
            move = torch.where(is_random, torch.randint_like(move, len(MOVES)), move)
            rollout.act(MOVES[move], move=move, logprob=policy.log_prob(move), value=value)
            returns.extend(ended_returns(rollout.info, args.num_envs // 4))
        with torch.no_grad():
            last_value = agent(own_side(rollout.last_obs))[1]
        update(agent, optimizer, batch_of(rollout, last_value, ~against_random))
        curve.append((curve[-1][0] + args.num_envs * STEPS, float(np.mean(returns))))
        bar.update(args.num_envs * STEPS)
        bar.set_postfix(mean_return=f"{curve[-1][1]:.1f}")
    return curve


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--goal", type=float, default=15.0, help="from -21 to 21 (15)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=16, help="number of envs, 4 or more (16)")
    parser.add_argument("--max-steps", type=int, default=2_000_000, help="of all envs (2,000,000)")
    parser.add_argument("--curve", default="ppo_self_play.png", help="the picture to write")
    args = parser.parse_args()
    pathlib.Path(args.curve).touch()  # a path that cannot be written is an error now
    begin = time.perf_counter()
    curve = train(args)
    (steps, mean), seconds = curve[-1], time.perf_counter() - begin
    figure = Figure(figsize=(6, 4), layout="tight")
    axes = figure.add_subplot(xlabel="env steps", ylabel="mean return against random moves")
    axes.plot(*zip(*curve, strict=True))
    figure.savefig(args.curve, dpi=150)
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s")
    if mean < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
