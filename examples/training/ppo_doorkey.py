"""PPO in one file teaches an agent to fetch a key, open a door and walk to a goal: MiniGrid.

The task is MiniGrid-DoorKey-8x8-v0. The agent sees 7 x 7 cells in front of it, as one-hot vectors,
and is rewarded only at the goal: the more, the sooner. It ends when the mean return of the last 100
episodes is the goal. Draws its learning curve; the same seed gives the same curve.
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

TASK = "MiniGrid-DoorKey-8x8-v0"
GOAL = 0.9  # the mean return of 100 episodes; of random actions, 0.03
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.2, 0.02
EPOCHS, BATCH, RATE = 4, 1024, 1e-3
EPISODES = 100  # of a mean return


class Agent(nn.Module):  # type: ignore[misc]
    """The policy and the value of a view of the world."""

    def __init__(self, envs: Any) -> None:
        """`envs`: the pool, whose spaces say what the agent sees and can do."""
        super().__init__()
        size = int(np.prod(envs.observation_space["image"].shape))
        self.body = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.policy = nn.Linear(128, int(envs.action_space.n))
        self.value = nn.Linear(128, 1)

    def forward(self, seen: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policies and the values (rows,) of views (rows, 7, 7, 20)."""
        hidden = self.body(seen.flatten(1).float())
        return Categorical(logits=self.policy(hidden)), self.value(hidden)[:, 0]


def update(agent: Agent, optimizer: Any, batch: dict[str, Any]) -> None:
    """Trains some epochs on the steps of a rollout."""
    seen = batch["obs"]["image"]
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(seen)).split(BATCH):
            if len(chosen) == 1:
                continue  # one row has no standard deviation
            policy, value = agent(seen[chosen])
            ratio = (policy.log_prob(batch["action"][chosen]) - batch["log_prob"][chosen]).exp()
            a = batch["advantage"][chosen]
            a = (a - a.mean()) / (a.std() + 1e-8)
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            loss = loss + 0.5 * (value - batch["target"][chosen]).square().mean()
            loss = loss - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(args: argparse.Namespace) -> tuple[list[tuple[int, float]], float]:
    """Trains; returns the learning curve, as (env steps, mean return), and the seconds."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs = parallel_pool.make(
        TASK,
        num_envs=args.num_envs,
        seed=args.seed,
        obs_type="one_hot",
        mission=False,
        record_episode_statistics=True,
    )
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    rollout = parallel_pool.Rollout(envs, args.steps, torch=True)
    returns = collections.deque[float](maxlen=EPISODES)
    mean = 0.0  # of the last episodes, once there are enough
    curve: list[tuple[int, float]] = []
    bar = tqdm(total=args.max_steps, unit=" steps", disable=args.quiet)
    begin = time.perf_counter()
    steps = 0
    while steps < args.max_steps and mean < GOAL:
        for obs in rollout:
            with torch.no_grad():
                policy, value = agent(obs["image"])
            action = policy.sample()
            rollout.act(action, log_prob=policy.log_prob(action), value=value)
        with torch.no_grad():
            last = agent(rollout.last_obs["image"])[1]
        rollout.finish(last, gamma=GAMMA, gae_lambda=LAMBDA)
        update(agent, optimizer, rollout.batch())
        returns.extend(rollout.episode_returns)
        if len(returns) == EPISODES:
            mean = float(np.mean(returns))
        steps += args.num_envs * args.steps
        curve.append((steps, mean))
        bar.update(args.num_envs * args.steps)
        bar.set_postfix(mean_return=f"{mean:.2f}")
    seconds = time.perf_counter() - begin
    bar.close()
    envs.close()
    return curve, seconds


def draw(curve: list[tuple[int, float]], path: str) -> None:
    """Writes the curve as a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4))
    axes = figure.add_subplot(
        xlabel="env steps", ylabel=f"mean return of {EPISODES} episodes", title=f"PPO on {TASK}"
    )
    axes.plot(*zip(*curve, strict=True))
    axes.axhline(GOAL, linestyle=":", color="gray")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=128, help="number of envs (128)")
    parser.add_argument("--steps", type=int, default=64, help="steps between updates (64)")
    parser.add_argument(
        "--max-steps", type=int, default=5_000_000, help="steps of all envs (5,000,000)"
    )
    parser.add_argument("--curve", default="ppo_doorkey.png", help="the picture to write")
    parser.add_argument("--quiet", action="store_true", help="print only the last line")
    args = parser.parse_args()
    if args.max_steps < 1:
        parser.error(f"--max-steps must be at least 1, not {args.max_steps}")
    if args.curve:
        draw([], args.curve)  # so that a path that cannot be written is an error now
    curve, seconds = train(args)
    steps, mean = curve[-1]
    if args.curve:
        draw(curve, args.curve)
    print(f"mean return {mean:.3f} after {steps:,} steps in {seconds:.1f} s")
    if mean < GOAL:
        raise SystemExit(f"{GOAL:g} was not reached")


if __name__ == "__main__":
    main()
