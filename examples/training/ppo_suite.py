"""PPO in one file learns eight tasks of the DeepMind Control Suite at once, with one agent.

All envs are in one pool. Observations and actions are padded to the sizes of the largest; the agent
is told the task of each row. Draws a learning curve for each task; the same seed gives the same
curves. ppo_mujoco.py is the program for one robot.
"""

import argparse
import collections
import math
import time
from typing import Any

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

import parallel_pool

TASKS = [
    "BallInCupCatch-v1",
    "CartpoleBalance-v1",
    "CartpoleSwingup-v1",
    "CheetahRun-v1",
    "FishUpright-v1",
    "ReacherEasy-v1",
    "WalkerStand-v1",
    "WalkerWalk-v1",
]
GOAL = 500.0  # the mean return of the eight tasks, of at most 1,000
GAMMA, LAMBDA, CLIP = 0.99, 0.95, 0.2
EPOCHS, BATCH, RATE = 8, 1024, 1e-3
HIDDEN = 128  # units of a layer
LOG_STD = -0.5  # of the first policy
LARGEST = 10.0  # normalized observations are clipped to +-10
SKIP = 4  # steps of an env for which an action is held, on top of the task's own
SCALE = 10.0  # rewards are divided by it, so that values are about 10


class Agent(nn.Module):  # type: ignore[misc]
    """A Gaussian policy and a value; one net for all tasks."""

    def __init__(self, observation: int, action: int, sizes: torch.Tensor) -> None:
        super().__init__()
        self.actor, self.critic = (
            nn.Sequential(
                *(layer(observation, HIDDEN, 2**0.5), nn.Tanh()),
                *(layer(HIDDEN, HIDDEN, 2**0.5), nn.Tanh(), layer(HIDDEN, outputs, gain)),
            )
            for outputs, gain in ((action, 0.01), (1, 1.0))
        )
        self.log_std = nn.Parameter(torch.full((len(sizes), action), LOG_STD))
        # Which elements of an action each task reads: (tasks, dimensions).
        self.reads = (torch.arange(action) < sizes[:, None]).float()

    def log_prob(self, mean: torch.Tensor, action: torch.Tensor, task: torch.Tensor) -> Any:
        """The log probability (rows,) of those elements of actions that the tasks read."""
        log_std = self.log_std[task]
        z = (action - mean) * torch.exp(-log_std)
        each = 0.5 * z.square() + log_std + 0.5 * math.log(2 * math.pi)
        return -(each * self.reads[task]).sum(-1)


def layer(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A linear layer with orthogonal weights."""
    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, gain)
    nn.init.zeros_(linear.bias)
    return linear


class Moments:
    """The mean and the variance of the rows of each task so far."""

    def __init__(self, tasks: int, size: int) -> None:
        self.mean, self.var = np.zeros((tasks, size)), np.ones((tasks, size))
        self._count = np.full(tasks, 1e-4)

    def add(self, rows: Any, task: Any) -> None:
        """Merges the moments of more rows into those so far."""
        for k in range(len(self._count)):
            own = rows[task == k]
            total = self._count[k] + len(own)
            share, delta = len(own) / total, own.mean(0) - self.mean[k]
            self.var[k] += share * (own.var(0) - self.var[k] + (1 - share) * delta**2)
            self.mean[k] += share * delta
            self._count[k] = total


class Player:
    """The envs with normalized observations, and the returns of their episodes."""

    def __init__(self, num_envs: int, seed: int) -> None:
        self.pool = parallel_pool.make(
            TASKS, num_envs=num_envs, seed=seed, action_padding=True, observation_padding=True
        )
        obs, info = self.pool.reset()
        self.task = info["task_id"]
        self._one_hot = np.eye(len(TASKS))[self.task]
        self._moments = Moments(len(TASKS), flat(obs).shape[1])
        self._running = np.zeros(num_envs)
        self.returns = [collections.deque[float](maxlen=10) for _ in TASKS]
        self.obs = self._seen(obs)

    def step(self, action: Any) -> tuple[Any, Any, Any, Any]:
        """Holds an action for SKIP steps: (reward, terminated, truncated, resets)."""
        bounded = np.clip(action, -1, 1)
        total = np.zeros(len(action))
        for _ in range(SKIP):
            obs, reward, terminated, truncated, info = self.pool.step(bounded)
            total += reward
            ended = terminated | truncated
            self._running += reward
            for env in np.flatnonzero(ended):
                self.returns[self.task[env]].append(float(self._running[env]))
                self._running[env] = 0
            if ended.any():
                break  # all episodes of the suite's tasks end at the same step
        self.obs = self._seen(obs)
        return total, terminated, truncated, info["elapsed_step"] == 0

    def means(self) -> Any:
        """The mean return of the last 10 episodes of each task; at first of the running ones."""
        running = [self._running[self.task == k] for k in range(len(TASKS))]
        return np.array(
            [np.mean(own if own else now) for own, now in zip(self.returns, running, strict=True)]
        )

    def _seen(self, obs: dict[str, Any]) -> torch.Tensor:
        rows = flat(obs)
        self._moments.add(rows, self.task)
        moments = self._moments
        normal = (rows - moments.mean[self.task]) / np.sqrt(moments.var[self.task] + 1e-8)
        seen = np.concatenate([np.clip(normal, -LARGEST, LARGEST), self._one_hot], axis=1)
        return torch.from_numpy(seen.astype(np.float32))


def flat(obs: dict[str, Any]) -> Any:
    """The arrays of an observation side by side: (rows, numbers)."""
    return np.concatenate([array.reshape(len(array), -1) for array in obs.values()], axis=1)


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
    flat_rows = {name: row.flatten(0, 1) for name, row in rows.items()}
    gain, value_target = target.flatten(), (target + rows["value"]).flatten()
    for _ in range(EPOCHS):
        for chosen in counts[torch.randperm(len(counts))].split(BATCH):
            if len(chosen) == 1:
                continue  # one row has no standard deviation
            seen = flat_rows["seen"][chosen]
            log_prob = agent.log_prob(
                agent.actor(seen), flat_rows["action"][chosen], flat_rows["task"][chosen]
            )
            ratio = (log_prob - flat_rows["log_prob"][chosen]).exp()
            a = gain[chosen]
            a = (a - a.mean()) / (a.std() + 1e-8)
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            value = agent.critic(seen)[:, 0]
            loss = loss + 0.5 * (value - value_target[chosen]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(args: argparse.Namespace) -> tuple[list[tuple[int, Any]], float]:
    """Trains; returns the curves, as (env steps, mean return of each task), and the seconds."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    player = Player(args.num_envs, args.seed)
    pool, task = player.pool, torch.from_numpy(player.task).long()
    sizes = torch.tensor([spec.action_arrays[0].shape[0] for spec in pool.tasks])
    agent = Agent(player.obs.shape[1], int(sizes.max()), sizes)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    curve: list[tuple[int, Any]] = []
    bar = tqdm(total=args.max_steps, unit=" steps", disable=args.quiet)
    begin = time.perf_counter()
    steps = 0
    while steps < args.max_steps and player.means().mean() < args.goal:
        optimizer.param_groups[0]["lr"] = RATE * (1 - steps / args.max_steps)
        rows: dict[str, list[torch.Tensor]] = collections.defaultdict(list)
        for _ in range(args.steps):
            seen = player.obs
            with torch.no_grad():
                mean, value = agent.actor(seen), agent.critic(seen)[:, 0]
                action = mean + torch.exp(agent.log_std[task]) * torch.randn_like(mean)
                log_prob = agent.log_prob(mean, action, task)
            reward, terminated, truncated, resets = player.step(action.numpy())
            ended = terminated | truncated
            row = {"reward": reward / SCALE, "terminated": terminated, "ended": ended}
            for name, values in {**row, "resets": resets}.items():
                rows[name].append(torch.from_numpy(values.astype(np.float32)))
            tensors = {"seen": seen, "action": action, "value": value, "log_prob": log_prob}
            for name, tensor in {**tensors, "task": task}.items():
                rows[name].append(tensor)
        stacked = {name: torch.stack(row) for name, row in rows.items()}
        with torch.no_grad():
            last = agent.critic(player.obs)[:, 0]
        update(agent, optimizer, stacked, advantages(stacked, last))
        steps += args.num_envs * args.steps * SKIP
        curve.append((steps, player.means()))
        bar.update(args.num_envs * args.steps * SKIP)
        bar.set_postfix(mean_return=f"{player.means().mean():.0f}")
    seconds = time.perf_counter() - begin
    bar.close()
    pool.close()
    return curve, seconds


def draw(curve: list[tuple[int, Any]], path: str) -> None:
    """Writes the curves as a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4))
    axes = figure.add_subplot(
        xlabel="env steps of all tasks", ylabel="mean return of 10 episodes", ylim=(0, 1000)
    )
    for k, task in enumerate(TASKS):
        axes.plot([s for s, _ in curve], [means[k] for _, means in curve], label=task)
    axes.legend(fontsize="x-small")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=64, help="number of envs (64)")
    parser.add_argument("--steps", type=int, default=125, help="actions between updates (125)")
    parser.add_argument("--goal", type=float, default=GOAL, help="the mean return to reach (500)")
    parser.add_argument(
        "--max-steps", type=int, default=6_000_000, help="steps of all envs (6,000,000)"
    )
    parser.add_argument("--curve", default="ppo_suite.png", help="the picture to write")
    parser.add_argument("--quiet", action="store_true", help="print only the last line")
    args = parser.parse_args()
    if args.max_steps < 1:
        parser.error(f"--max-steps must be at least 1, not {args.max_steps}")
    if args.num_envs < len(TASKS):
        parser.error(f"--num-envs must be at least {len(TASKS)}, not {args.num_envs}")
    if args.curve:
        draw([], args.curve)  # so that a path that cannot be written is an error now
    curve, seconds = train(args)
    steps, means = curve[-1]
    if args.curve:
        draw(curve, args.curve)
    for task, mean in zip(TASKS, means, strict=True):
        if not args.quiet:
            print(f"{task:<20} {mean:5.0f}")
    print(f"mean return {means.mean():.1f} after {steps:,} steps in {seconds:.1f} s")
    if means.mean() < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
