"""PPO in one file teaches three agents to cover three landmarks: SimpleSpread-v3 of MPE.

All players share one network; each has a row in every batch of a Rollout. It ends when the mean
return of a player over the last 200 episodes is the goal. Draws its learning curve; the same seed
gives the same curve.
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

TASK = "SimpleSpread-v3"
GOAL = -14.0  # the mean return of a player in an episode of 25 steps; random players get -27
GAMMA, LAMBDA, CLIP, ENTROPY = 0.95, 0.95, 0.2, 0.01
EPOCHS, BATCH, RATE = 8, 1024, 2e-3
EPISODES = 200  # of a mean return


class Agent(nn.Module):  # type: ignore[misc]
    """The policy and the value of every player, each with two layers of its own."""

    def __init__(self, player: Any) -> None:
        """`player`: one of spec.players, which says what a player sees and can do."""
        super().__init__()
        size, moves = player.observation_space.shape[0], player.action_space.n
        self.actor, self.critic = (
            nn.Sequential(
                *(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n))
            )
            for n in (int(moves), 1)
        )

    def forward(self, obs: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policies and the values (...) of observations (..., size)."""
        return Categorical(logits=self.actor(obs)), self.critic(obs)[..., 0]


def update(agent: Agent, optimizer: Any, rows: dict[str, torch.Tensor]) -> None:
    """Trains some epochs on the steps of a rollout, a row for each player."""
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(rows["obs"])).split(BATCH):
            if len(chosen) == 1:
                continue  # one row has no standard deviation
            policy, value = agent(rows["obs"][chosen])
            logprob = policy.log_prob(rows["action"][chosen])
            ratio = (logprob - rows["logprob"][chosen]).exp()
            a = rows["advantage"][chosen]
            a = (a - a.mean()) / (a.std() + 1e-8)
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            loss = loss + 0.5 * (value - rows["target"][chosen]).square().mean()
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
        TASK, num_envs=args.num_envs, seed=args.seed, record_episode_statistics=True
    )
    agent = Agent(envs.spec.players[0])
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    returns = collections.deque[float](maxlen=EPISODES * len(envs.spec.players))
    curve: list[tuple[int, float]] = []
    bar = tqdm(total=args.max_steps, unit=" steps", disable=args.quiet)
    begin = time.perf_counter()
    rollout = parallel_pool.Rollout(envs, args.steps, torch=True)
    while not curve or (curve[-1][0] < args.max_steps and curve[-1][1] < GOAL):
        for obs in rollout:
            with torch.no_grad():
                policy, value = agent(obs)
            action = policy.sample()
            rollout.act(action, logprob=policy.log_prob(action), value=value)
        with torch.no_grad():
            last = agent(rollout.last_obs)[1]
        rollout.finish(last, gamma=GAMMA, gae_lambda=LAMBDA)
        update(agent, optimizer, rollout.batch())
        returns.extend(rollout.episode_returns)
        steps = (len(curve) + 1) * args.num_envs * args.steps
        curve.append((steps, float(np.mean(returns)) if returns else -30.0))
        bar.update(args.num_envs * args.steps)
        bar.set_postfix(mean_return=f"{curve[-1][1]:.1f}")
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
    parser.add_argument(
        "--steps", type=int, default=52, help="steps of each env between updates (52: 2 episodes)"
    )
    parser.add_argument(
        "--max-steps", type=int, default=3_000_000, help="steps of all envs (3,000,000)"
    )
    parser.add_argument("--curve", default="ppo_simple_spread.png", help="the picture to write")
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
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s")
    if mean < GOAL:
        raise SystemExit(f"{GOAL:g} was not reached")


if __name__ == "__main__":
    main()
