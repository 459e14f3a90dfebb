"""PPO on CartPole-v1 in several processes: each has a pool, and all train one agent.

    torchrun --standalone --nproc-per-node 2 ppo_torchrun.py

torchrun starts the processes, on one machine or on many. Envs never cross the network: each process
steps a pool of its own, whose seeds are those of its rank, and DistributedDataParallel averages the
gradients. Without torchrun it is one process.
"""

import argparse
import collections
import os
import time
from typing import Any

import torch
import torch.distributed
from torch import nn
from torch.distributions import Categorical
from torch.nn.parallel import DistributedDataParallel
from tqdm import tqdm

import parallel_pool

GOAL = 475.0  # the mean return of the last 100 episodes; CartPole-v1's own threshold
GAMMA, LAMBDA, CLIP = 0.99, 0.95, 0.2
STEPS, BATCHES, BATCH, RATE = 64, 16, 256, 1e-3  # in each process


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
        """The logits (rows, 2) and the values (rows,) of observations (rows, 4)."""
        return self.actor(obs), self.critic(obs)[:, 0]


def update(agent: Any, optimizer: Any, batch: dict[str, torch.Tensor]) -> None:
    """Trains on random steps of this process.

    Each process needs as many batches as the others, because each averages the gradients of all.
    """
    for _ in range(BATCHES):
        rows = torch.randint(len(batch["obs"]), (BATCH,))
        logits, value = agent(batch["obs"][rows])
        logprob = Categorical(logits=logits).log_prob(batch["action"][rows])
        ratio = (logprob - batch["logprob"][rows]).exp()
        a = batch["advantage"][rows]
        a = (a - a.mean()) / (a.std() + 1e-8)
        loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
        loss = loss + 0.5 * (value - batch["target"][rows]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()


def mean_of_all(returns: list[float]) -> float:
    """The mean of the returns of all processes; 0 before they have 100 episodes."""
    total = torch.tensor([float(sum(returns)), float(len(returns))])
    torch.distributed.all_reduce(total)  # the sum, the same in each process
    return float(total[0] / total[1]) if total[1] >= 100 else 0.0


def train(args: argparse.Namespace) -> tuple[Agent, int, float]:
    """Trains in all processes; returns the agent, the steps of all envs, and the mean return."""
    rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
    torch.manual_seed(args.seed + rank)  # DistributedDataParallel copies the weights of rank 0
    torch.set_num_threads(1)
    seed = parallel_pool.rank_seed(args.seed, rank, args.num_envs)
    options = {"num_envs": args.num_envs, "seed": seed, "record_episode_statistics": True}
    envs = parallel_pool.make("CartPole-v1", **options)
    agent = DistributedDataParallel(Agent())
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    rollout = parallel_pool.Rollout(envs, STEPS, torch=True)
    returns = collections.deque[float](maxlen=100)
    bar = tqdm(total=args.max_steps, unit=" steps", disable=None if rank == 0 else True)
    steps, mean = 0, 0.0
    while steps < args.max_steps and mean < GOAL:
        for obs in rollout:
            with torch.no_grad():
                logits, value = agent.module(obs)
            policy = Categorical(logits=logits)
            action = policy.sample()
            rollout.act(action, logprob=policy.log_prob(action), value=value)
        with torch.no_grad():
            last_value = agent.module(rollout.last_obs)[1]
        rollout.finish(last_value, gamma=GAMMA, gae_lambda=LAMBDA)
        update(agent, optimizer, rollout.batch())
        returns.extend(rollout.episode_returns)
        mean = mean_of_all(list(returns))
        steps += world * args.num_envs * STEPS
        bar.update(world * args.num_envs * STEPS)
        bar.set_postfix(mean_return=f"{mean:.0f}")
    return agent.module, steps, mean


def main() -> None:
    """Trains; the process of rank 0 prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=16, help="envs of each process (16)")
    parser.add_argument("--max-steps", type=int, default=1_000_000, help="of all envs (1,000,000)")
    args = parser.parse_args()
    alone = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "localhost", "MASTER_PORT": "0"}
    os.environ.update(alone if "RANK" not in os.environ else {})  # torchrun sets these
    torch.distributed.init_process_group("gloo")
    begin = time.perf_counter()
    _, steps, mean = train(args)
    if torch.distributed.get_rank() == 0:
        seconds = time.perf_counter() - begin
        print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s")
    torch.distributed.destroy_process_group()
    if mean < GOAL:
        raise SystemExit(f"{GOAL:g} was not reached")


if __name__ == "__main__":
    main()
