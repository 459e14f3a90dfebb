"""Recurrent DQN, as R2D2 (Kapturowski et al. 2019), balances a pole whose speed it does not see.

The replay buffer keeps the state of the policy's memory with each step, and samples sequences: the
network first reads some steps to warm its memory up, and learns from those that follow. Prints the
mean return of 100 episodes without exploration; the same seed gives the same.
"""

import argparse
import copy
import time
from typing import Any

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

import parallel_pool

TASK, GOAL = "CartPole-v1", 100.0
SEEN, SCALE = [0, 2], torch.tensor([1.0, 10.0])  # the cart's place, the pole's angle
GAMMA, BATCH, LENGTH, BURN_IN, RATE = 0.97, 32, 20, 10, 1e-3
BEGIN, EXPLORE, LEAST = 2000, 20_000, 0.02  # steps: random actions; until exploration is LEAST
UNITS, AVERAGE = 64, 0.01  # AVERAGE: how much of the network its target takes over in an update


class Agent(nn.Module):  # type: ignore[misc]
    """Values of actions, by a network with a memory."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.memory = nn.GRU(len(SEEN), UNITS, batch_first=True)
        self.head = nn.Sequential(nn.Linear(UNITS, UNITS), nn.ReLU(), nn.Linear(UNITS, actions))

    def forward(self, obs: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Values (rows, steps, actions) of (rows, steps, 4), and the state (rows, UNITS) after."""
        out, state = self.memory(obs[..., SEEN] * SCALE, state[None])
        return self.head(out), state[0]

    def act(self, obs: Any, state: torch.Tensor) -> tuple[Any, torch.Tensor]:
        """The best actions (rows,) for observations (rows, 4), and the state after."""
        with torch.no_grad():
            values, state = self(torch.from_numpy(obs)[:, None], state)
        return values[:, 0].argmax(1).numpy(), state


def update(agent: Agent, target: Agent, optimizer: Any, batch: dict[str, torch.Tensor]) -> None:
    """One step of double Q-learning on sequences."""
    begin = batch["state"][:, 0]
    values, _ = agent(batch["obs"], begin)
    with torch.no_grad():
        best = values[:, 1:].argmax(2, keepdim=True)
        following = target(batch["obs"], begin)[0][:, 1:].gather(2, best)[:, :, 0]
        goal = batch["reward"] + GAMMA * ~batch["terminated"] * following
    chosen = values[:, :-1].gather(2, batch["action"][:, :, None])[:, :, 0]
    loss = nn.functional.smooth_l1_loss(chosen, goal, reduction="none")
    optimizer.zero_grad()
    loss[batch["is_learned"]].mean().backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 10)
    optimizer.step()
    with torch.no_grad():
        parts = list(target.parameters()), list(agent.parameters())
        torch._foreach_lerp_(*parts, AVERAGE)


def train(args: argparse.Namespace) -> Agent:
    """Trains an agent: one update for each step of all envs."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    random = np.random.default_rng(args.seed)
    envs = parallel_pool.make(TASK, num_envs=args.num_envs, seed=args.seed)
    buffer = parallel_pool.ReplayBuffer(envs, capacity=200_000, seed=args.seed, torch=True)
    agent = Agent(int(envs.single_action_space.n))
    target = copy.deepcopy(agent).requires_grad_(False)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, fused=True)
    state = torch.zeros(args.num_envs, UNITS)
    obs, info = buffer.reset()
    with tqdm(total=args.max_steps, unit=" steps", disable=None) as bar:
        for steps in range(0, args.max_steps, args.num_envs):
            state[info["elapsed_step"] == 0] = 0  # an episode begins
            before = state
            action, state = agent.act(obs, state)
            explores = max(1 - steps / EXPLORE, LEAST) if steps >= BEGIN else 1
            mask = random.random(args.num_envs) < explores
            action[mask] = random.integers(0, 2, mask.sum())
            obs, *_, info = buffer.step(action, state=before)
            if steps >= BEGIN:
                batch = buffer.sample_sequences(BATCH, LENGTH, BURN_IN)
                update(agent, target, optimizer, batch)
            bar.update(args.num_envs)
    return agent


def main() -> None:
    """Trains, evaluates, and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=8, help="number of envs (8)")
    parser.add_argument("--max-steps", type=int, default=60_000, help="of all envs (60,000)")
    args = parser.parse_args()
    begin = time.perf_counter()
    agent = train(args)
    seconds = time.perf_counter() - begin
    state = torch.zeros(0, UNITS)

    def policy(obs: Any, episode_start: Any) -> Any:
        nonlocal state
        state = state if len(state) == len(obs) else torch.zeros(len(obs), UNITS)
        state[episode_start] = 0
        action, state = agent.act(obs, state)
        return action

    mean = parallel_pool.evaluate(policy, TASK, 100, seed=args.seed + 1_000_000).mean
    print(f"{TASK}: mean return {mean:.0f} after {args.max_steps:,} steps in {seconds:.1f} s")
    if mean < GOAL:
        raise SystemExit(f"{GOAL:g} was not reached")


if __name__ == "__main__":
    main()
