"""PPO in one file learns to shoot in ViZDoom's Basic from pixels, on a few CPU cores.

A monster stands at the other end of a room. A kill gives 106 points, a shot costs 5, and each tic
costs 1. Draws the learning curve; the same seed gives the same curve.
"""

import argparse
import collections
import time
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical
from tqdm import tqdm

import parallel_pool

TASK = "VizdoomBasic-v1"
GOAL = 50.0  # the mean return of the last 100 episodes, from -375 to about 95
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.1, 0.01
EPOCHS, BATCH, RATE = 4, 256, 5e-4
POINTS = 100.0  # rewards are divided by it


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value over one small convolutional net."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *(nn.Conv2d(1, 16, 8, stride=4), nn.ReLU()),
            *(nn.Conv2d(16, 32, 4, stride=2), nn.ReLU(), nn.Flatten()),
            *(nn.Linear(32 * 6 * 8, 128), nn.ReLU()),
        )
        self.actor, self.critic = nn.Linear(128, actions), nn.Linear(128, 1)
        for name, weights in self.named_parameters():
            gain = {"actor.weight": 0.01, "critic.weight": 1.0}.get(name, 2**0.5)
            nn.init.zeros_(weights) if "bias" in name else nn.init.orthogonal_(weights, gain)

    def forward(self, obs: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policy and the values (rows,) of observations (rows, 1, 60, 80) uint8."""
        hidden = self.body(obs.float() / 128 - 1)
        return Categorical(logits=self.actor(hidden)), self.critic(hidden)[:, 0]


def picture(obs: Any) -> torch.Tensor:
    """The screens of all envs, every second pixel of each row and column: (num_envs, 1, 60, 80)."""
    return torch.from_numpy(obs["screen"][:, ::2, ::2, 0]).unsqueeze(1)


class Returns:
    """The return of each episode, as it ends."""

    def __init__(self, num_envs: int) -> None:
        self._running = np.zeros(num_envs)
        self.last = collections.deque[float](maxlen=100)

    def add(self, reward: Any, ended: Any) -> None:
        """Adds one step of all envs."""
        self._running += reward
        self.last.extend(self._running[ended])
        self._running[ended] = 0

    def mean(self) -> float:
        """The mean return of the last 100 episodes, or of those that there are; -375: none."""
        return float(np.mean(self.last)) if self.last else -375.0

    def is_over(self, goal: float) -> bool:
        """Whether 100 episodes have reached the goal."""
        return len(self.last) == 100 and self.mean() >= goal


def advantages(rows: dict[str, torch.Tensor], last: torch.Tensor) -> torch.Tensor:
    """Generalized advantage estimates, (steps, envs); `last` are the last observations' values."""
    result = torch.zeros_like(rows["value"])
    following, total = last, torch.zeros_like(last)
    for t in reversed(range(len(result))):
        goes_on = 1 - rows["ended"][t]
        delta = rows["reward"][t] + GAMMA * following * goes_on - rows["value"][t]
        total = delta + GAMMA * LAMBDA * goes_on * total
        result[t], following = total, rows["value"][t]
    return result


def update(agent: Agent, optimizer: Any, rows: dict[str, torch.Tensor], target: Any) -> None:
    """Trains some epochs on the collected steps, without the steps that only reset an env."""
    counts = torch.nonzero(1 - rows["resets"].flatten())[:, 0]
    flat = {name: row.flatten(0, 1) for name, row in rows.items()}
    gain, value_target = target.flatten(), (target + rows["value"]).flatten()
    for _ in range(EPOCHS):
        for chosen in counts[torch.randperm(len(counts))].split(BATCH):
            if len(chosen) == 1:
                continue  # one row has no standard deviation
            policy, value = agent(flat["obs"][chosen])
            ratio = (policy.log_prob(flat["action"][chosen]) - flat["log_prob"][chosen]).exp()
            a = gain[chosen]
            a = (a - a.mean()) / (a.std() + 1e-8)
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            loss = loss + 0.5 * (value - value_target[chosen]).square().mean()
            loss = loss - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(args: argparse.Namespace) -> tuple[Agent, list[tuple[int, float]], float]:
    """Trains; returns the agent, the curve as (env steps, mean return), and the seconds."""
    torch.manual_seed(args.seed)
    envs = parallel_pool.make(
        TASK,
        num_envs=args.num_envs,
        seed=args.seed,
        frame_skip=4,
        screen_resolution="RES_160X120",
        screen_format="GRAY8",
    )
    obs, _ = envs.reset()
    agent, returns = Agent(int(envs.action_space.n)), Returns(args.num_envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5, fused=True)
    ended = np.zeros(args.num_envs, bool)
    curve: list[tuple[int, float]] = []
    bar = tqdm(total=args.max_steps, unit=" steps", disable=args.quiet)
    begin = time.perf_counter()
    steps = 0
    while steps < args.max_steps and not returns.is_over(args.goal):
        rows: dict[str, list[torch.Tensor]] = collections.defaultdict(list)
        for _ in range(args.steps):
            seen = picture(obs)
            with torch.no_grad():
                policy, value = agent(seen)
            action = policy.sample()
            resets = ended
            obs, reward, terminated, truncated, _ = envs.step(action.numpy())
            ended = terminated | truncated
            returns.add(reward, ended)
            row = {"reward": reward / POINTS, "ended": ended, "resets": resets}
            for name, values in row.items():
                rows[name].append(torch.from_numpy(values.astype(np.float32)))
            for name, tensor in {"obs": seen, "action": action, "value": value}.items():
                rows[name].append(tensor)
            rows["log_prob"].append(policy.log_prob(action))
        stacked = {name: torch.stack(row) for name, row in rows.items()}
        with torch.no_grad():
            last = agent(picture(obs))[1]
        update(agent, optimizer, stacked, advantages(stacked, last))
        steps += args.num_envs * args.steps
        curve.append((steps, returns.mean()))
        bar.update(args.num_envs * args.steps)
        bar.set_postfix(mean_return=f"{returns.mean():.1f}")
    seconds = time.perf_counter() - begin
    bar.close()
    envs.close()
    return agent, curve, seconds


def draw(curve: list[tuple[int, float]], goal: float, path: str) -> None:
    """Writes the curve as a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4))
    axes = figure.add_subplot(
        xlabel="env steps", ylabel="mean return of 100 episodes", title=f"PPO on {TASK}"
    )
    axes.plot(*zip(*curve, strict=True))
    axes.axhline(goal, linestyle=":", color="gray")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=16, help="number of envs (16)")
    parser.add_argument(
        "--steps", type=int, default=64, help="steps of each env between updates (64)"
    )
    parser.add_argument("--goal", type=float, default=GOAL, help="the mean return to reach (50)")
    parser.add_argument(
        "--max-steps", type=int, default=500_000, help="steps of all envs (500,000)"
    )
    parser.add_argument("--curve", default="ppo_doom.png", help="the picture to write")
    parser.add_argument("--quiet", action="store_true", help="print only the last line")
    args = parser.parse_args()
    if args.max_steps < 1:
        parser.error(f"--max-steps must be at least 1, not {args.max_steps}")
    if args.curve:
        draw([], args.goal, args.curve)  # so that a path that cannot be written is an error now
    _, curve, seconds = train(args)
    steps, mean = curve[-1]
    if args.curve:
        draw(curve, args.goal, args.curve)
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s")
    if mean < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
