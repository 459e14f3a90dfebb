"""PPO in one file learns eight of Atari's games at once from pixels, with one agent.

All envs are in one pool. The games have 3 to 18 actions; the pool has as many as the largest, and
the agent never chooses one that a game lacks. Draws a learning curve for each game; the same seed
gives the same curves. ppo_pong.py is the program for one game.
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

# The mean scores of random play and of people, of Mnih et al. (2015).
SCORES = {
    "Assault-v5": (222.4, 742.0),
    "Boxing-v5": (0.1, 12.1),
    "Breakout-v5": (1.7, 30.5),
    "CrazyClimber-v5": (10780.5, 35829.4),
    "Freeway-v5": (0.0, 29.6),
    "Krull-v5": (1598.0, 2665.5),
    "RoadRunner-v5": (11.5, 7845.0),
    "SpaceInvaders-v5": (148.0, 1668.7),
}
GOAL = 0.25  # the mean of the games; 0: as random play, 1: as people
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.1, 0.01
EPOCHS, BATCH, RATE = 4, 256, 5e-4


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value for each game over one small convolutional net."""

    def __init__(self, actions: torch.Tensor) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *(nn.Conv2d(4, 16, 8, stride=4), nn.ReLU()),
            *(nn.Conv2d(16, 32, 4, stride=2), nn.ReLU(), nn.Flatten()),
            *(nn.Linear(32 * 9 * 9, 256), nn.ReLU()),
        )
        games, most = len(actions), int(actions.max())
        self.actor, self.critic = nn.Linear(256, games * most), nn.Linear(256, games)
        for name, weights in self.named_parameters():
            gain = {"actor.weight": 0.01, "critic.weight": 1.0}.get(name, 2**0.5)
            nn.init.zeros_(weights) if "bias" in name else nn.init.orthogonal_(weights, gain)
        self.to(memory_format=torch.channels_last)  # several times faster on a CPU
        # Whether each game has each action: (games, actions).
        self.has = torch.arange(most) < actions[:, None]

    def forward(self, obs: torch.Tensor, task: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policy and the values (rows,) of observations (rows, 84, 84, 4) uint8 of games."""
        hidden = self.body((obs.float() / 255).permute(0, 3, 1, 2))
        rows = torch.arange(len(task))
        logits = self.actor(hidden).view(len(task), *self.has.shape)[rows, task]
        policy = Categorical(logits=logits.masked_fill(~self.has[task], -1e9))
        return policy, self.critic(hidden)[rows, task]


def picture(obs: Any) -> torch.Tensor:
    """Observations with their four frames side by side in each pixel: (num_envs, 84, 84, 4)."""
    return torch.from_numpy(obs).permute(0, 2, 3, 1).contiguous()


class Returns:
    """The scores of the last 20 episodes of each game, before the clipping of rewards."""

    def __init__(self, task: Any) -> None:
        self._task, self._running = task, np.zeros(len(task))
        self._last = [collections.deque[float](maxlen=20) for _ in SCORES]

    def add(self, reward: Any, ended: Any) -> None:
        """Adds one step of all envs."""
        self._running += reward
        for env in np.flatnonzero(ended):
            self._last[self._task[env]].append(float(self._running[env]))
            self._running[env] = 0

    def means(self) -> Any:
        """The mean of each game: 0 as random play, 1 as people; at first of running episodes."""
        means = []
        for k, (low, high) in enumerate(SCORES.values()):
            scores = self._last[k] or self._running[self._task == k]
            means.append((np.mean(scores) - low) / (high - low))
        return np.array(means)


def advantages(rows: dict[str, torch.Tensor], last: torch.Tensor) -> torch.Tensor:
    """Generalized advantage estimates, (steps, envs); `last` are the last observations' values."""
    result = torch.zeros_like(rows["value"])
    following, total = last, torch.zeros_like(last)
    for t in reversed(range(len(result))):
        delta = rows["reward"][t] + GAMMA * following * (1 - rows["terminated"][t])
        total = delta - rows["value"][t] + GAMMA * LAMBDA * (1 - rows["ended"][t]) * total
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
            policy, value = agent(flat["obs"][chosen], flat["task"][chosen])
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


def train(args: argparse.Namespace) -> tuple[list[tuple[int, Any]], float]:
    """Trains; returns the curves, as (env steps, mean of each game), and the seconds."""
    torch.manual_seed(args.seed)
    envs = parallel_pool.make(
        list(SCORES),
        num_envs=args.num_envs,
        seed=args.seed,
        action_padding=True,
        reward_clip=True,
    )
    obs, info = envs.reset()
    task = torch.from_numpy(info["task_id"]).long()
    agent = Agent(torch.tensor([spec.action_space.n for spec in envs.tasks]))
    returns = Returns(info["task_id"])
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5, fused=True)
    curve: list[tuple[int, Any]] = []
    bar = tqdm(total=args.max_steps, unit=" steps", disable=args.quiet)
    begin = time.perf_counter()
    steps = 0
    while steps < args.max_steps and returns.means().mean() < args.goal:
        rows: dict[str, list[torch.Tensor]] = collections.defaultdict(list)
        for _ in range(args.steps):
            seen = picture(obs)
            with torch.no_grad():
                policy, value = agent(seen, task)
            action = policy.sample()
            obs, reward, terminated, truncated, info = envs.step(action.numpy())
            ended = terminated | truncated
            returns.add(info["reward"], ended)
            row = {"reward": reward, "terminated": terminated, "ended": ended}
            for name, values in {**row, "resets": info["elapsed_step"] == 0}.items():
                rows[name].append(torch.from_numpy(values.astype(np.float32)))
            tensors = {"obs": seen, "action": action, "value": value, "task": task}
            for name, tensor in tensors.items():
                rows[name].append(tensor)
            rows["log_prob"].append(policy.log_prob(action))
        stacked = {name: torch.stack(row) for name, row in rows.items()}
        with torch.no_grad():
            last = agent(picture(obs), task)[1]
        update(agent, optimizer, stacked, advantages(stacked, last))
        steps += args.num_envs * args.steps
        curve.append((steps, returns.means()))
        bar.update(args.num_envs * args.steps)
        bar.set_postfix(mean=f"{returns.means().mean():.2f}")
    seconds = time.perf_counter() - begin
    bar.close()
    envs.close()
    return curve, seconds


def draw(curve: list[tuple[int, Any]], path: str) -> None:
    """Writes the curves as a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4))
    axes = figure.add_subplot(
        xlabel="env steps of all games", ylabel="mean score: 0 random play, 1 people"
    )
    for k, game in enumerate(SCORES):
        axes.plot([s for s, _ in curve], [means[k] for _, means in curve], label=game)
    axes.legend(fontsize="x-small")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=32, help="number of envs (32)")
    parser.add_argument(
        "--steps", type=int, default=128, help="steps of each env between updates (128)"
    )
    parser.add_argument("--goal", type=float, default=GOAL, help="the mean to reach (0.25)")
    parser.add_argument(
        "--max-steps", type=int, default=1_000_000, help="steps of all envs (1,000,000)"
    )
    parser.add_argument("--curve", default="ppo_games.png", help="the picture to write")
    parser.add_argument("--quiet", action="store_true", help="print only the last line")
    args = parser.parse_args()
    if args.max_steps < 1:
        parser.error(f"--max-steps must be at least 1, not {args.max_steps}")
    if args.num_envs < len(SCORES):
        parser.error(f"--num-envs must be at least {len(SCORES)}, not {args.num_envs}")
    if args.curve:
        draw([], args.curve)  # so that a path that cannot be written is an error now
    curve, seconds = train(args)
    steps, means = curve[-1]
    if args.curve:
        draw(curve, args.curve)
    for game, mean in zip(SCORES, means, strict=True):
        if not args.quiet:
            print(f"{game:<18} {mean:5.2f}")
    # Like the others' mean return: here of scores that are 0 for random play and 1 for people.
    print(f"mean return {means.mean():.3f} after {steps:,} steps in {seconds:.1f} s")
    if means.mean() < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
