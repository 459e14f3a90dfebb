"""DQN (Mnih et al. 2015) in one file learns Atari's Pong from pixels, on one CPU core.

A replay buffer keeps each frame once, and sums up the rewards of three steps. A point ends the sum
of rewards: earlier moves do not affect the next point. Prints the mean return of 16 games; the same
seed gives the same.
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

TASK = "Pong-v5"
OPTIONS: dict[str, Any] = {"img_height": 42, "img_width": 42}
GAMMA, BATCH, RATE, STEPS = 0.99, 32, 1e-3, 4  # STEPS of envs between two updates
BEGIN, EXPLORE, LEAST = 4000, 20_000, 0.02  # steps: random actions; until exploration is LEAST
AVERAGE = 0.005  # how much of the network its target takes over in an update
MOVES = np.array([0, 2, 3])  # stay, up, down; the game's other three only press fire as well


class Agent(nn.Module):  # type: ignore[misc]
    """The values of moves over a small convolutional net.

    Its input is the difference of a picture to `background`, (4, 42, 42): most pixels never change.
    """

    def __init__(self, background: torch.Tensor) -> None:
        super().__init__()
        self.background = background
        self.body = nn.Sequential(
            *(nn.Conv2d(4, 16, 5, stride=3), nn.ReLU()),
            *(nn.Conv2d(16, 32, 4, stride=2), nn.ReLU(), nn.Flatten()),
            *(nn.Linear(32 * 5 * 5, 256), nn.ReLU(), nn.Linear(256, len(MOVES))),
        )
        self.to(memory_format=torch.channels_last)  # several times faster on a CPU

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Values (rows, moves) of observations (rows, 4, 42, 42) uint8."""
        scaled = (obs.float() - self.background) / 64
        return self.body(scaled.contiguous(memory_format=torch.channels_last))

    def best(self, obs: Any) -> Any:
        """The moves with the highest values, an array (rows,)."""
        with torch.no_grad():
            return self(torch.as_tensor(obs)).argmax(1).numpy()


def update(agent: Agent, target: Agent, optimizer: Any, batch: dict[str, Any]) -> None:
    """One step of double Q-learning (van Hasselt et al. 2016)."""
    reward, next_obs = batch["reward"], batch["next_obs"]
    with torch.no_grad():
        best = agent(next_obs).argmax(1, keepdim=True)
        value = target(next_obs).gather(1, best)[:, 0]
        goal = reward + batch["discount"] * (reward == 0) * value
    found = agent(batch["obs"]).gather(1, batch["move"][:, None])[:, 0]
    optimizer.zero_grad()
    nn.functional.smooth_l1_loss(found, goal.float()).backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 10)
    optimizer.step()
    with torch.no_grad():
        torch._foreach_lerp_(list(target.parameters()), list(agent.parameters()), AVERAGE)


def train(args: argparse.Namespace) -> Agent:
    """Trains an agent."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    random = np.random.default_rng(args.seed)
    envs = parallel_pool.make(TASK, num_envs=args.num_envs, seed=args.seed, **OPTIONS)
    buffer = parallel_pool.ReplayBuffer(
        envs, capacity=100_000, seed=args.seed, gamma=GAMMA, n_step=3, torch=True
    )
    obs, _ = buffer.reset()
    agent = Agent(torch.from_numpy(obs).float().mean(0))
    target = copy.deepcopy(agent).requires_grad_(False)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5, fused=True)
    with tqdm(total=args.max_steps, unit=" steps", disable=None) as bar:
        for steps in range(0, args.max_steps, args.num_envs):
            move = agent.best(obs)
            explores = random.random(len(move)) < max(1 - steps / EXPLORE, LEAST)
            move[explores] = random.integers(len(MOVES), size=explores.sum())
            obs, *_ = buffer.step(MOVES[move], move=move)
            if steps >= BEGIN:
                for batch in buffer.batches(BATCH, args.num_envs // STEPS):
                    update(agent, target, optimizer, batch)
            bar.update(args.num_envs)
    return agent


def main() -> None:
    """Trains, evaluates without exploration, and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--goal", type=float, default=10.0, help="from -21 to 21 (10)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=8, help="number of envs (8)")
    parser.add_argument("--max-steps", type=int, default=320_000, help="of all envs (320,000)")
    args = parser.parse_args()
    begin = time.perf_counter()
    agent = train(args)
    seconds = time.perf_counter() - begin

    def policy(obs: Any) -> Any:
        return MOVES[agent.best(obs)]

    seed = args.seed + 1_000_000
    mean = parallel_pool.evaluate(policy, TASK, 16, seed=seed, **OPTIONS).mean
    print(f"{TASK}: mean return {mean:.1f} after {args.max_steps:,} steps in {seconds:.1f} s")
    if mean < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
