"""SAC (Haarnoja et al. 2018) in one file teaches MuJoCo's HalfCheetah-v5 to run.

A replay buffer keeps the steps of all envs, and copies the next batch while the networks learn from
the one before. Prints the mean return of 16 episodes without noise; the same seed gives the same.
"""

import argparse
import copy
import time
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.distributions import Normal
from tqdm import tqdm

import parallel_pool

GOALS = {"HalfCheetah-v5": 3500.0}
GAMMA, BATCH, RATE, BEGIN = 0.99, 256, 1e-3, 4000  # BEGIN: steps with random actions
AVERAGE = 0.005  # how much of a critic its target takes over in an update
UNITS = 128


def layers(size: int, outputs: int) -> nn.Sequential:
    """A network with two hidden layers."""
    return nn.Sequential(
        *(nn.Linear(size, UNITS), nn.ReLU(), nn.Linear(UNITS, UNITS), nn.ReLU()),
        nn.Linear(UNITS, outputs),
    )


class Agent(nn.Module):  # type: ignore[misc]
    """A policy of actions from -1 to 1, two critics and their targets."""

    def __init__(self, size: int, actions: int) -> None:
        super().__init__()
        self.policy = layers(size, 2 * actions)
        self.critics = nn.ModuleList([layers(size + actions, 1) for _ in range(2)])
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        self.log_alpha = nn.Parameter(torch.zeros(()))

    def act(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Actions (rows, actions) for observations (rows, size), and their log-probabilities."""
        mean, log_std = self.policy(obs).chunk(2, 1)
        normal = Normal(mean, log_std.clamp(-5, 2).exp())
        raw = normal.rsample()
        squashed = 2 * (np.log(2) - raw - nn.functional.softplus(-2 * raw))  # log(1 - tanh^2)
        return raw.tanh(), (normal.log_prob(raw) - squashed).sum(1)

    def mean(self, obs: torch.Tensor) -> torch.Tensor:
        """Actions without noise."""
        return self.policy(obs).chunk(2, 1)[0].tanh()

    @staticmethod
    def values(critics: Any, obs: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        """Both critics' values, shape (2, rows)."""
        both = torch.cat([obs, action], 1)
        return torch.stack([critic(both)[:, 0] for critic in critics])


class Learner:
    """Updates an agent with batches of transitions."""

    def __init__(self, agent: Agent, actions: int) -> None:
        self.agent, self.entropy = agent, -float(actions)
        parts = (agent.policy.parameters(), agent.critics.parameters(), [agent.log_alpha])
        self.optimizers = [torch.optim.Adam(part, lr=RATE, fused=True) for part in parts]

    def update(self, batch: dict[str, torch.Tensor]) -> None:
        """One step of each optimizer."""
        agent = self.agent
        obs, next_obs = batch["obs"].float(), batch["next_obs"].float()
        alpha = agent.log_alpha.exp().detach()
        with torch.no_grad():
            action, logprob = agent.act(next_obs)
            value = agent.values(agent.targets, next_obs, action).amin(0) - alpha * logprob
            target = batch["reward"] + batch["discount"] * value
        values = agent.values(agent.critics, obs, batch["action"])
        self._step(1, (values - target).square().mean())
        action, logprob = agent.act(obs)
        value = agent.values(agent.critics, obs, action).amin(0)
        self._step(0, (alpha * logprob - value).mean())
        self._step(2, -(agent.log_alpha * (logprob.detach() + self.entropy).mean()))
        with torch.no_grad():
            parts = list(agent.targets.parameters()), list(agent.critics.parameters())
            torch._foreach_lerp_(*parts, AVERAGE)

    def _step(self, which: int, loss: torch.Tensor) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        loss.backward()
        self.optimizers[which].step()


def train(args: argparse.Namespace) -> Agent:
    """Trains an agent: as many updates as steps of envs."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs = parallel_pool.make(args.task, num_envs=args.num_envs, seed=args.seed)
    buffer = parallel_pool.ReplayBuffer(
        envs, capacity=1_000_000, seed=args.seed, gamma=GAMMA, torch=True
    )
    actions = envs.single_action_space.shape[0]
    agent = Agent(envs.single_observation_space.shape[0], actions)
    learner = Learner(agent, actions)
    obs, _ = buffer.reset()
    with tqdm(total=args.max_steps, unit=" steps", disable=None) as bar:
        for steps in range(0, args.max_steps, args.num_envs):
            if steps < BEGIN:
                action = envs.sample_actions()
            else:
                with torch.no_grad():
                    action = agent.act(torch.from_numpy(obs).float())[0].numpy()
            obs, *_ = buffer.step(action)
            if steps >= BEGIN:
                for batch in buffer.batches(BATCH, args.num_envs):
                    learner.update(batch)
            bar.update(args.num_envs)
    return agent


def main() -> None:
    """Trains, evaluates, and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="?", choices=GOALS, default="HalfCheetah-v5")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=16, help="number of envs (16)")
    parser.add_argument("--max-steps", type=int, default=50_000, help="of all envs (50,000)")
    args = parser.parse_args()
    begin = time.perf_counter()
    agent = train(args)
    seconds = time.perf_counter() - begin

    def policy(obs: Any) -> Any:
        with torch.no_grad():
            return agent.mean(torch.from_numpy(obs).float()).numpy()

    scores = parallel_pool.evaluate(policy, args.task, 16, seed=args.seed + 1_000_000)
    mean = scores.mean
    print(f"{args.task}: mean return {mean:.0f} after {args.max_steps:,} steps in {seconds:.1f} s")
    if mean < GOALS[args.task]:
        raise SystemExit(f"{GOALS[args.task]:g} was not reached")


if __name__ == "__main__":
    main()
