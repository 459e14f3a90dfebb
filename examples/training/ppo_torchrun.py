"""PPO on CartPole-v1 in several processes: each has a pool, and all train one agent.

    torchrun --standalone --nproc-per-node 2 ppo_torchrun.py

torchrun starts the processes, on one machine or on many. Envs never cross the network: each process
steps a pool of its own, whose seeds are those of its rank, and DistributedDataParallel averages the
gradients. Without torchrun it is one process. The same seed and number of processes give the same
result.
"""

import argparse
import collections
import os
import time
from typing import Any

import numpy as np
import torch
import torch.distributed
from torch import nn
from torch.distributions import Categorical
from torch.nn.parallel import DistributedDataParallel
from tqdm import tqdm

import parallel_pool

GOAL = 475.0  # the mean return of the last 100 episodes; CartPole-v1's own threshold
GAMMA, LAMBDA, CLIP = 0.99, 0.95, 0.2
EPOCHS, BATCH, RATE = 4, 256, 1e-3  # BATCH rows of each process


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value, each with two layers of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.actor, self.critic = (
            nn.Sequential(
                *(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n))
            )
            for n in (2, 1)
        )

    def forward(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits (..., 2) and the values (...) of observations (..., 4)."""
        return self.actor(obs), self.critic(obs)[..., 0]


class Returns:
    """The last returns of the episodes of this process."""

    def __init__(self, num_envs: int) -> None:
        self._running = np.zeros(num_envs)
        self.last = collections.deque[float](maxlen=100)

    def add(self, reward: Any, ended: Any) -> None:
        """Adds one step of all envs."""
        self._running += reward
        self.last.extend(self._running[ended])
        self._running[ended] = 0

    def mean(self) -> float:
        """The mean over all processes; 0 before they have 100 episodes."""
        total = torch.tensor([float(sum(self.last)), float(len(self.last))])
        torch.distributed.all_reduce(total)  # the sum, the same in each process
        return float(total[0] / total[1]) if total[1] >= 100 else 0.0


def advantages(rows: dict[str, torch.Tensor], last: torch.Tensor) -> torch.Tensor:
    """Generalized advantage estimates, (steps, envs); `last` are the last observations' values.

    A time limit ends the sum, but not the value of the next state, which the next row has.
    """
    result = torch.zeros_like(rows["value"])
    following, total = last, torch.zeros_like(last)
    for t in reversed(range(len(result))):
        goes_on = 1 - rows["ended"][t]
        delta = rows["reward"][t] + GAMMA * following * (1 - rows["terminated"][t])
        total = delta - rows["value"][t] + GAMMA * LAMBDA * goes_on * total
        result[t], following = total, rows["value"][t]
    return result


def update(
    agent: DistributedDataParallel, optimizer: Any, rows: dict[str, torch.Tensor], target: Any
) -> None:
    """Trains some epochs on the steps of this process.

    Each process makes as many calls as the others, because each call averages the gradients of all.
    So the steps that only reset an env stay in the batches, with the weight 0.
    """
    flat = {name: row.flatten(0, 1) for name, row in rows.items()}
    gain, value_target = target.flatten(), (target + rows["value"]).flatten()
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(gain)).split(BATCH):
            logits, value = agent(flat["obs"][chosen])
            policy = Categorical(logits=logits)
            ratio = (policy.log_prob(flat["action"][chosen]) - flat["log_prob"][chosen]).exp()
            weight = 1 - flat["resets"][chosen]
            weight = weight / weight.sum().clamp(min=1)
            a = gain[chosen]
            a = a - (weight * a).sum()
            a = a / ((weight * a.square()).sum().sqrt() + 1e-8)
            loss = -(weight * torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a)).sum()
            loss = loss + 0.5 * (weight * (value - value_target[chosen]).square()).sum()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(args: argparse.Namespace) -> tuple[Agent, int, float]:
    """Trains in all processes; returns the agent, the steps of all envs, and the mean return."""
    rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
    torch.manual_seed(args.seed + rank)  # DistributedDataParallel copies the weights of rank 0
    torch.set_num_threads(1)
    envs = parallel_pool.make(
        "CartPole-v1",
        num_envs=args.num_envs,
        seed=parallel_pool.rank_seed(args.seed, rank, args.num_envs),
    )
    obs, _ = envs.reset()
    agent = DistributedDataParallel(Agent())
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    returns = Returns(args.num_envs)
    ended = np.zeros(args.num_envs, bool)
    bar = tqdm(total=args.max_steps, unit=" steps", disable=args.quiet or rank > 0)
    steps, mean = 0, 0.0
    while steps < args.max_steps and mean < GOAL:
        rows: dict[str, list[torch.Tensor]] = collections.defaultdict(list)
        for _ in range(args.steps):
            seen = torch.from_numpy(obs)
            with torch.no_grad():
                logits, value = agent.module(seen)
            policy = Categorical(logits=logits)
            action = policy.sample()
            resets = ended
            obs, reward, terminated, truncated, _ = envs.step(action.numpy())
            ended = terminated | truncated
            returns.add(reward, ended)
            row = {"reward": reward, "terminated": terminated, "ended": ended, "resets": resets}
            for name, values in row.items():
                rows[name].append(torch.from_numpy(values.astype(np.float32)))
            for name, tensor in {"obs": seen, "action": action, "value": value}.items():
                rows[name].append(tensor)
            rows["log_prob"].append(policy.log_prob(action))
        stacked = {name: torch.stack(row) for name, row in rows.items()}
        with torch.no_grad():
            last = agent.module(torch.from_numpy(obs))[1]
        update(agent, optimizer, stacked, advantages(stacked, last))
        steps += world * args.num_envs * args.steps
        mean = returns.mean()
        bar.update(world * args.num_envs * args.steps)
        bar.set_postfix(mean_return=f"{mean:.0f}")
    bar.close()
    envs.close()
    return agent.module, steps, mean


def main() -> None:
    """Trains; the process of rank 0 prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument(
        "--num-envs", type=int, default=16, help="number of envs of each process (16)"
    )
    parser.add_argument(
        "--steps", type=int, default=64, help="steps of each env between updates (64)"
    )
    parser.add_argument(
        "--max-steps", type=int, default=1_000_000, help="steps of all envs (1,000,000)"
    )
    parser.add_argument("--quiet", action="store_true", help="print only the last line")
    args = parser.parse_args()
    if args.max_steps < 1:
        parser.error(f"--max-steps must be at least 1, not {args.max_steps}")
    if "RANK" not in os.environ:  # torchrun sets these
        alone = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "localhost", "MASTER_PORT": "0"}
        os.environ.update(alone)
    torch.distributed.init_process_group("gloo")
    rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
    begin = time.perf_counter()
    try:
        _, steps, mean = train(args)
    finally:
        torch.distributed.destroy_process_group()
    if rank == 0:
        seconds = time.perf_counter() - begin
        text = f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s"
        print(f"{text} ({world} process{'es' if world > 1 else ''})")
    if mean < GOAL:
        raise SystemExit(f"{GOAL:g} was not reached")


if __name__ == "__main__":
    main()
