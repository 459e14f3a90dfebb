"""SAC (Haarnoja et al. 2018) in one file teaches robots to run, to reach and to push.

A replay buffer keeps the steps of all envs, and copies the next batch while the networks learn from
the one before. In tasks with goals it plays steps again with goals that their episode has reached
(HER). Prints the mean return, or the share of episodes that succeed; the same seed gives the same.
"""

import argparse
import copy
import dataclasses
import itertools
import time
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.distributions import Normal
from tqdm import tqdm

import parallel_pool

BATCH, RATE, BEGIN = 256, 1e-3, 4000  # BEGIN: steps with random actions


@dataclasses.dataclass(frozen=True)
class Task:
    """A task, and settings that suit it."""

    goal: float  # the mean return, or the share of episodes that succeed
    max_steps: int
    gamma: float
    units: tuple[int, ...]  # of hidden layers
    num_envs: int
    updates: int  # after a step of all envs
    average: float  # how much of a critic its target takes over in an update
    hindsight: str | None = None


TASKS = {
    "HalfCheetah-v5": Task(4000, 50_000, 0.99, (128, 128), 16, 16, 0.005),
    "FetchReach-v4": Task(0.95, 12_000, 0.95, (64, 64), 16, 16, 0.02, "future"),
    "FetchPush-v4": Task(0.9, 250_000, 0.95, (256, 256), 32, 4, 0.05, "future"),
}


def flat(obs: Any) -> torch.Tensor:
    """Observations of shape (rows, size); those with a goal end with it."""
    parts = [obs["observation"], obs["desired_goal"]] if isinstance(obs, dict) else [obs]
    return torch.cat([torch.as_tensor(part) for part in parts], 1).float()


def layers(*sizes: int) -> nn.Sequential:
    """A network of layers of these sizes."""
    parts = [(nn.Linear(a, b), nn.ReLU()) for a, b in itertools.pairwise(sizes)]
    return nn.Sequential(*[layer for pair in parts for layer in pair][:-1])


class Agent(nn.Module):  # type: ignore[misc]
    """A policy of actions from -1 to 1, two critics and their targets."""

    def __init__(self, obs: torch.Tensor, actions: int, task: Task) -> None:
        """`obs`: of random steps, (rows, size), by whose mean and spread others are scaled."""
        super().__init__()
        self.task, size = task, obs.shape[1]
        self.mean, self.spread = obs.mean(0), obs.std(0).clamp(0.01)
        self.policy = layers(size, *task.units, 2 * actions)
        critics = [layers(size + actions, *task.units, 1) for _ in range(2)]
        self.critics = nn.ModuleList(critics)
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        self.log_alpha, self.entropy = nn.Parameter(torch.zeros(())), -float(actions)
        parts = (self.policy.parameters(), self.critics.parameters(), [self.log_alpha])
        self.optimizers = [torch.optim.Adam(part, lr=RATE, fused=True) for part in parts]
        # With goals each step costs 1 until one is reached.
        self.least = -1 / (1 - task.gamma) if task.hindsight else -np.inf
        self.most = 0.0 if task.hindsight else np.inf

    def scaled(self, obs: Any) -> torch.Tensor:
        """Observations as networks take them, (rows, size)."""
        return ((flat(obs) - self.mean) / self.spread).clamp(-10, 10)

    def act(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Actions (rows, actions), and their log-probabilities (rows,)."""
        mean, log_std = self.policy(obs).chunk(2, 1)
        normal = Normal(mean, log_std.clamp(-5, 2).exp())
        raw = normal.rsample()
        squashed = 2 * (np.log(2) - raw - nn.functional.softplus(-2 * raw))  # log(1 - tanh^2)
        return raw.tanh(), (normal.log_prob(raw) - squashed).sum(1)

    def values(self, critics: Any, obs: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        """Both critics' values, (2, rows)."""
        both = torch.cat([obs, action], 1)
        return torch.stack([critic(both)[:, 0] for critic in critics])

    def update(self, batch: dict[str, Any]) -> None:
        """One step of each optimizer."""
        obs, next_obs = self.scaled(batch["obs"]), self.scaled(batch["next_obs"])
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            action, logprob = self.act(next_obs)
            value = self.values(self.targets, next_obs, action).amin(0) - alpha * logprob
            target = (batch["reward"] + batch["discount"] * value).clamp(self.least, self.most)
        values = self.values(self.critics, obs, batch["action"])
        self._step(1, (values - target).square().mean())
        action, logprob = self.act(obs)
        value = self.values(self.critics, obs, action).amin(0)
        self._step(0, (alpha * logprob - value).mean())
        self._step(2, -(self.log_alpha * (logprob.detach() + self.entropy).mean()))
        with torch.no_grad():
            parts = list(self.targets.parameters()), list(self.critics.parameters())
            torch._foreach_lerp_(*parts, self.task.average)

    def _step(self, which: int, loss: torch.Tensor) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        loss.backward()
        self.optimizers[which].step()


def train(name: str, task: Task, seed: int) -> Agent:
    """Trains an agent."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    envs = parallel_pool.make(name, num_envs=task.num_envs, seed=seed)
    options: Any = {"gamma": task.gamma, "hindsight": task.hindsight}
    buffer = parallel_pool.ReplayBuffer(envs, 1_000_000, seed=seed, torch=True, **options)
    obs, _ = buffer.reset()
    for _ in range(BEGIN // task.num_envs):
        obs, *_ = buffer.step(envs.sample_actions())
    agent = Agent(flat(buffer.transitions()["obs"]), envs.single_action_space.shape[0], task)
    with tqdm(total=task.max_steps, initial=BEGIN, unit=" steps", disable=None) as bar:
        for _ in range(BEGIN, task.max_steps, task.num_envs):
            with torch.no_grad():
                action = agent.act(agent.scaled(obs))[0]
            if task.hindsight:  # a tenth of the actions are random
                random = torch.rand(len(action)) < 0.1
                action[random] = 2 * torch.rand_like(action[random]) - 1
            obs, *_ = buffer.step(action.numpy())
            for batch in buffer.batches(BATCH, task.updates):
                agent.update(batch)
            bar.update(task.num_envs)
    return agent


def main() -> None:
    """Trains, evaluates without noise, and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="?", choices=TASKS, default="HalfCheetah-v5")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--max-steps", type=int, help="of all envs (50,000, 12,000 or 250,000)")
    args = parser.parse_args()
    task = TASKS[args.task]
    task = dataclasses.replace(task, max_steps=args.max_steps or task.max_steps)
    begin = time.perf_counter()
    agent = train(args.task, task, args.seed)
    seconds = time.perf_counter() - begin

    def policy(obs: Any) -> Any:
        with torch.no_grad():
            return agent.policy(agent.scaled(obs)).chunk(2, 1)[0].tanh().numpy()

    info, kind = ("is_success", "success") if task.hindsight else (None, "return")
    infos, seed = ([info] if info else []), args.seed + 1_000_000
    scores = parallel_pool.evaluate(policy, args.task, 100, seed=seed, infos=infos)
    mean = round(scores.score("mean", info), 2)
    print(f"{args.task}: mean {kind} {mean:g} after {task.max_steps:,} steps in {seconds:.1f} s")
    if mean < task.goal:
        raise SystemExit(f"{task.goal:g} was not reached")


if __name__ == "__main__":
    main()
