"""PPO in one file learns CartPole-v1, or to land a rocket: LunarLander-v3.

It ends when the mean return of the last 100 episodes is the task's goal. Draws its learning curve;
the same seed gives the same curve, also if the training was cut and resumed.
"""

import argparse
import collections
import pathlib
import time
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import nn
from torch.distributions import Categorical
from tqdm import tqdm

import parallel_pool

GOALS = {"CartPole-v1": 475.0, "LunarLander-v3": 200.0}
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.97, 0.2, 0.01
EPOCHS, BATCH, RATE = 6, 512, 1e-3


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value, each with two layers of its own."""

    def __init__(self, size: int, actions: int) -> None:
        super().__init__()
        self.actor, self.critic = (
            nn.Sequential(
                *(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n))
            )
            for n in (actions, 1)
        )

    def forward(self, obs: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policies and the values (rows,) of observations (rows, size)."""
        return Categorical(logits=self.actor(obs)), self.critic(obs)[:, 0]


def update(agent: Agent, optimizer: Any, batch: dict[str, torch.Tensor]) -> None:
    """Trains some epochs on the steps of a rollout."""
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(batch["obs"])).split(BATCH):
            policy, value = agent(batch["obs"][rows])
            ratio = (policy.log_prob(batch["action"][rows]) - batch["logprob"][rows]).exp()
            a = batch["advantage"][rows]
            a = (a - a.mean()) / (a.std(correction=0) + 1e-8)
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            loss = loss + 0.5 * (value - batch["target"][rows]).square().mean()
            loss = loss - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def save(file: pathlib.Path, state: dict[str, Any]) -> None:
    """Writes all that the training needs to go on; a run that is killed leaves the old file."""
    partial = file.with_suffix(".part")
    torch.save(state, partial)
    partial.replace(file)


def train(args: argparse.Namespace) -> list[tuple[int, float]]:
    """Trains; returns the learning curve: (env steps, mean return)."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs = parallel_pool.make(
        args.task,
        num_envs=args.num_envs,
        seed=args.seed,
        normalize_reward=True,
        gamma=GAMMA,
        record_episode_statistics=True,
    )
    agent = Agent(envs.observation_space.shape[0], int(envs.action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    rollout = parallel_pool.Rollout(envs, args.steps, torch=True)
    returns = collections.deque[float](maxlen=100)
    curve = [(0, -np.inf)]
    if args.resume and args.resume.exists():
        state = torch.load(args.resume, weights_only=False)
        agent.load_state_dict(state["agent"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
        rollout.load(state["rollout"])  # the envs, too
        returns, curve = state["returns"], state["curve"]
    bar = tqdm(total=args.max_steps, initial=curve[-1][0], unit=" steps", disable=None)
    while curve[-1][0] < args.max_steps and curve[-1][1] < GOALS[args.task]:
        for obs in rollout:
            with torch.no_grad():
                policy, value = agent(obs)
            action = policy.sample()
            rollout.act(action, logprob=policy.log_prob(action), value=value)
        with torch.no_grad():
            last_value = agent(rollout.last_obs)[1]
        rollout.finish(last_value, gamma=GAMMA, gae_lambda=LAMBDA)
        update(agent, optimizer, rollout.batch())
        returns.extend(rollout.episode_returns)
        mean = float(np.mean(returns)) if len(returns) == returns.maxlen else -np.inf
        curve.append((curve[-1][0] + args.num_envs * args.steps, mean))
        bar.update(args.num_envs * args.steps)
        bar.set_postfix(mean_return=f"{mean:.0f}")
        if args.resume and len(curve) % 10 == 1:
            state = {"agent": agent.state_dict(), "optimizer": optimizer.state_dict()}
            state |= {"random": torch.get_rng_state(), "rollout": rollout.save()}
            save(args.resume, state | {"returns": returns, "curve": curve})
    return curve


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="?", choices=list(GOALS), default="CartPole-v1")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=64, help="number of envs (64)")
    parser.add_argument("--steps", type=int, default=128, help="steps between updates (128)")
    parser.add_argument("--max-steps", type=int, default=2_000_000, help="of all envs (2,000,000)")
    parser.add_argument("--curve", default="ppo_cartpole.png", help="the picture to write")
    parser.add_argument(
        "--resume",
        type=pathlib.Path,
        metavar="FILE",
        help="go on from this file, if there is one; write it after each tenth update",
    )
    args = parser.parse_args()
    pathlib.Path(args.curve).touch()  # a path that cannot be written is an error now
    begin = time.perf_counter()
    curve = train(args)
    (steps, mean), seconds = curve[-1], time.perf_counter() - begin
    figure = Figure(figsize=(6, 4), layout="tight")
    axes = figure.add_subplot(xlabel="env steps", ylabel="mean return", title=args.task)
    axes.plot(*zip(*curve, strict=True))
    figure.savefig(args.curve, dpi=150)
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s")
    if mean < GOALS[args.task]:
        raise SystemExit(f"{GOALS[args.task]:g} was not reached")


if __name__ == "__main__":
    main()
