"""PPO in one file learns to land a rocket, LunarLander-v3, with any of three libraries.

It ends when the mean return of the last 100 episodes is 200, with which the task counts as solved.
Draws its learning curve; the same seed gives the same curve. `--library` runs the same loop on
Gymnasium's SyncVectorEnv or on EnvPool, for a comparison: only make() differs.
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

TASK = "LunarLander-v3"
GOAL = 200.0  # the mean return of the last 100 episodes; the task's own threshold
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.97, 0.2, 0.01
EPOCHS, BATCH, RATE = 6, 512, 1e-3
POINTS = 50.0  # rewards are divided by it


def make(library: str, num_envs: int, seed: int) -> Any:
    """The envs and their first observations."""
    if library == "gymnasium":
        import gymnasium

        env: Any = gymnasium.make_vec(TASK, num_envs=num_envs, vectorization_mode="sync")
        return env, env.reset(seed=seed)[0]
    if library == "envpool":
        import envpool as library_of_envs
    else:
        import parallel_pool as library_of_envs
    env = library_of_envs.make(TASK, env_type="gymnasium", num_envs=num_envs, seed=seed)
    return env, env.reset()[0]


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value, each with two layers of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.actor, self.critic = (
            nn.Sequential(
                *(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n))
            )
            for n in (4, 1)
        )

    def forward(self, obs: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policy and the values (...) of observations (..., 8)."""
        return Categorical(logits=self.actor(obs)), self.critic(obs)[..., 0]


class Returns:
    """The return of each episode, as it ends."""

    def __init__(self, num_envs: int) -> None:
        self._running = np.zeros(num_envs)
        self.last = collections.deque[float](maxlen=100)

    def add(self, reward: Any, ended: Any) -> None:
        """Adds one step of all envs."""
        self._running += reward
        self.last.extend(self._running[ended])
        self._running[ended] = 0

    def mean(self) -> float:
        """The mean return of the last 100 episodes; -500 before there are 100."""
        return float(np.mean(self.last)) if len(self.last) == 100 else -500.0


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


def update(agent: Agent, optimizer: Any, rows: dict[str, torch.Tensor], target: Any) -> None:
    """Trains some epochs on the collected steps, without the steps that only reset an env."""
    counts = torch.nonzero(1 - rows["resets"].flatten())[:, 0]
    flat = {name: row.flatten(0, 1) for name, row in rows.items()}
    gain, value_target = target.flatten(), (target + rows["value"]).flatten()
    for _ in range(EPOCHS):
        for chosen in counts[torch.randperm(len(counts))].split(BATCH):
            if len(chosen) == 1:
                continue  # one row has no standard deviation
            policy, value = agent(flat["obs"][chosen])
            ratio = (policy.log_prob(flat["action"][chosen]) - flat["log_prob"][chosen]).exp()
            a = gain[chosen]
            a = (a - a.mean()) / (a.std() + 1e-8)
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            loss = loss + 0.5 * (value - value_target[chosen]).square().mean()
            loss = loss - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(args: argparse.Namespace) -> tuple[list[tuple[int, float]], float]:
    """Trains; returns the learning curve, as (env steps, mean return), and the seconds."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs, obs = make(args.library, args.num_envs, args.seed)
    agent, returns = Agent(), Returns(args.num_envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    ended = np.zeros(args.num_envs, bool)
    curve: list[tuple[int, float]] = []
    bar = tqdm(total=args.max_steps, unit=" steps", disable=args.quiet)
    begin = time.perf_counter()
    steps = 0
    while steps < args.max_steps and returns.mean() < GOAL:
        rows: dict[str, list[torch.Tensor]] = collections.defaultdict(list)
        for _ in range(args.steps):
            seen = torch.from_numpy(obs)
            with torch.no_grad():
                policy, value = agent(seen)
            action = policy.sample()
            resets = ended
            obs, reward, terminated, truncated, _ = envs.step(action.numpy())
            ended = terminated | truncated
            returns.add(reward, ended)
            row = {
                "reward": reward.astype(np.float32) / POINTS,
                "terminated": terminated,
                "ended": ended,
                "resets": resets,
            }
            for name, values in row.items():
                rows[name].append(torch.from_numpy(values.astype(np.float32)))
            for name, tensor in {"obs": seen, "action": action, "value": value}.items():
                rows[name].append(tensor)
            rows["log_prob"].append(policy.log_prob(action))
        stacked = {name: torch.stack(row) for name, row in rows.items()}
        with torch.no_grad():
            last = agent(torch.from_numpy(obs))[1]
        update(agent, optimizer, stacked, advantages(stacked, last))
        steps += args.num_envs * args.steps
        curve.append((steps, returns.mean()))
        bar.update(args.num_envs * args.steps)
        bar.set_postfix(mean_return=f"{returns.mean():.0f}")
    seconds = time.perf_counter() - begin
    bar.close()
    envs.close()
    return curve, seconds


def draw(curve: list[tuple[int, float]], path: str) -> None:
    """Writes the curve as a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4))
    axes = figure.add_subplot(
        xlabel="env steps", ylabel="mean return of 100 episodes", title=f"PPO on {TASK}"
    )
    axes.plot(*zip(*curve, strict=True))
    axes.axhline(GOAL, linestyle=":", color="gray")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    libraries = ("parallel_pool", "gymnasium", "envpool")
    parser.add_argument(
        "--library", choices=libraries, default=libraries[0], help="the library of the envs"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=64, help="number of envs (64)")
    parser.add_argument(
        "--steps", type=int, default=128, help="steps of each env between updates (128)"
    )
    parser.add_argument(
        "--max-steps", type=int, default=2_000_000, help="steps of all envs (2,000,000)"
    )
    parser.add_argument("--curve", default="ppo_lander.png", help="the picture to write")
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
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s ({args.library})")
    if mean < GOAL:
        raise SystemExit(f"{GOAL:g} was not reached")


if __name__ == "__main__":
    main()
