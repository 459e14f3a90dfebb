"""PPO learns to run with MuJoCo's robots with any of three libraries: only make() differs.

Written as users of all three libraries write it, without what only one of them has. `--overlap`
learns from the last rollout while the envs step for the next one.
"""

import argparse
import collections
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

GOALS = {"HalfCheetah-v5": 4000.0, "Ant-v5": 1500.0}  # mean returns of the last 100 episodes
GAMMA, LAMBDA, CLIP = 0.99, 0.9, 0.2
EPOCHS, BATCH = 10, 1024
RATES = {"HalfCheetah-v5": 3e-3, "Ant-v5": 1e-3}  # of learning at first; they fall to 0
HIDDEN = 64  # units of a layer
LOG_STD = -1.0  # of the first policy; from 0, HalfCheetah's return stays below 1,700
LARGEST = 10.0  # normalized observations and rewards are clipped to +-10


def make(library: str, task: str, num_envs: int, seed: int, overlap: bool) -> Any:
    """The envs and their first observations; if `overlap`, the envs have send() and recv()."""
    if library == "gymnasium":
        import gymnasium

        mode = "async" if overlap else "sync"  # without overlap the faster one on 2 cores
        env: Any = gymnasium.make_vec(task, num_envs=num_envs, vectorization_mode=mode)
        if overlap:
            env.send, env.recv = env.step_async, env.step_wait
        return env, env.reset(seed=seed)[0]
    if library == "envpool":
        import envpool

        env = envpool.make(task, env_type="gymnasium", num_envs=num_envs, seed=seed)
    else:
        import parallel_pool

        env = parallel_pool.make(task, num_envs=num_envs, seed=seed, reward_dtype="float64")
    return env, env.reset()[0]


class Agent(nn.Module):  # type: ignore[misc]
    """A Gaussian policy, whose deviations do not depend on the observation, and a value."""

    def __init__(self, observation: int, action: int) -> None:
        super().__init__()
        self.actor, self.critic = (
            nn.Sequential(
                *(layer(observation, HIDDEN, 2**0.5), nn.Tanh()),
                *(layer(HIDDEN, HIDDEN, 2**0.5), nn.Tanh(), layer(HIDDEN, outputs, gain)),
            )
            for outputs, gain in ((action, 0.01), (1, 1.0))
        )
        self.log_std = nn.Parameter(torch.full((action,), LOG_STD))

    def log_prob(self, mean: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        """The log probability (rows,) of actions (rows, dimensions) under the policy."""
        z = (action - mean) * torch.exp(-self.log_std)
        return -(0.5 * z.square() + self.log_std + 0.5 * math.log(2 * math.pi)).sum(-1)


def layer(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A linear layer with orthogonal weights."""
    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, gain)
    nn.init.zeros_(linear.bias)
    return linear


class Moments:
    """The mean and the variance of all rows so far."""

    def __init__(self, *shape: int) -> None:
        self.mean, self.var, self._count = np.zeros(shape), np.ones(shape), 1e-4

    def add(self, rows: Any) -> None:
        """Merges the moments of more rows into those so far."""
        total = self._count + len(rows)
        share = len(rows) / total
        delta = rows.mean(0) - self.mean
        self.var += share * (rows.var(0) - self.var + (1 - share) * delta**2)
        self.mean += share * delta
        self._count = total


class Player:
    """Steps the envs with the agent; keeps the rows of one rollout and the returns of episodes."""

    def __init__(self, agent: Agent, envs: Any, obs: Any) -> None:
        self._agent, self._envs = agent, envs
        self._obs_moments, self._return_moments = Moments(obs.shape[1]), Moments()
        self._running, self._discounted = np.zeros((2, len(obs)))
        self._ended = np.zeros(len(obs), bool)
        self._rows: dict[str, list[torch.Tensor]] = collections.defaultdict(list)
        self.returns = collections.deque[float](maxlen=100)
        self._obs = self._normalized(obs)

    def mean_return(self) -> float:
        """The mean return of the last 100 episodes; before one has ended, of the running ones."""
        return float(np.mean(self.returns or self._running))

    def step(self, meanwhile: Callable[[], None] | None = None) -> None:
        """Steps all envs once; calls `meanwhile`, if given, while they step in other threads."""
        with torch.no_grad():
            mean = self._agent.actor(self._obs)
            action = mean + torch.exp(self._agent.log_std) * torch.randn_like(mean)
            log_prob = self._agent.log_prob(mean, action)
        self._keep(obs=self._obs, action=action, log_prob=log_prob)
        bounded = action.numpy().clip(-1, 1)  # the bounds of both tasks
        if meanwhile is None:
            obs, reward, terminated, truncated, _ = self._envs.step(bounded)
        else:
            self._envs.send(bounded)
            meanwhile()
            obs, reward, terminated, truncated, _ = self._envs.recv()
        resets, self._ended = self._ended, terminated | truncated
        row = {"reward": self._scaled(reward), "terminated": terminated}
        row |= {"ended": self._ended, "resets": resets}
        self._keep(**{name: torch.from_numpy(x.astype(np.float32)) for name, x in row.items()})
        self._obs = self._normalized(obs)

    def rollout(self) -> dict[str, torch.Tensor]:
        """The rows since the last call, (steps, envs, ...), with values and advantages."""
        rows = {name: torch.stack(tensors) for name, tensors in self._rows.items()}
        self._rows.clear()
        with torch.no_grad():
            values = self._agent.critic(torch.cat([rows["obs"], self._obs[None]]))[..., 0]
        gains = advantages(rows, values)
        return {**rows, "advantage": gains, "target": gains + values[:-1]}

    def _keep(self, **row: torch.Tensor) -> None:
        for name, tensor in row.items():
            self._rows[name].append(tensor)

    def _scaled(self, reward: Any) -> Any:
        """Rewards in units of the deviation of discounted returns; counts the returns."""
        self._running += reward
        self._discounted = GAMMA * self._discounted + reward
        self._return_moments.add(self._discounted)
        self.returns.extend(self._running[self._ended])
        self._running[self._ended] = self._discounted[self._ended] = 0
        return (reward / np.sqrt(self._return_moments.var + 1e-8)).clip(-LARGEST, LARGEST)

    def _normalized(self, obs: Any) -> torch.Tensor:
        self._obs_moments.add(obs)
        scaled = (obs - self._obs_moments.mean) / np.sqrt(self._obs_moments.var + 1e-8)
        return torch.from_numpy(scaled.clip(-LARGEST, LARGEST).astype(np.float32))


def advantages(rows: dict[str, torch.Tensor], values: torch.Tensor) -> torch.Tensor:
    """Generalized advantage estimates, (steps, envs); `values` has one more step.

    A time limit ends the sum, but not the value of the next state, which the next row has.
    """
    result = torch.zeros_like(values[1:])
    total = torch.zeros_like(values[0])
    deltas = rows["reward"] + GAMMA * values[1:] * (1 - rows["terminated"]) - values[:-1]
    for t in reversed(range(len(result))):
        total = deltas[t] + GAMMA * LAMBDA * (1 - rows["ended"][t]) * total
        result[t] = total
    return result


def learn(
    agent: Agent, optimizer: Any, rate: float, rollout: dict[str, torch.Tensor]
) -> Iterator[None]:
    """Trains some epochs on a rollout, without the steps that only reset an env.

    Yields after each minibatch, so that the caller may do something else before the next.
    """
    optimizer.param_groups[0]["lr"] = rate
    counts = torch.nonzero(1 - rollout["resets"].flatten())[:, 0]
    flat = {name: rows.flatten(0, 1) for name, rows in rollout.items()}
    for _ in range(EPOCHS):
        for chosen in counts[torch.randperm(len(counts))].split(BATCH):
            if len(chosen) == 1:
                continue  # one row has no standard deviation
            rows = {name: flat[name][chosen] for name in ("obs", "action", "log_prob", "target")}
            a = flat["advantage"][chosen]
            a = (a - a.mean()) / (a.std() + 1e-8)
            log_prob = agent.log_prob(agent.actor(rows["obs"]), rows["action"])
            ratio = (log_prob - rows["log_prob"]).exp()
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            value = agent.critic(rows["obs"])[:, 0]
            loss = loss + 0.5 * (value - rows["target"]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            yield


def train(args: argparse.Namespace) -> tuple[int, float, float]:
    """Trains; returns the steps of all envs, the mean return and the seconds."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    envs, obs = make(args.library, args.task, args.num_envs, args.seed, args.overlap)
    agent = Agent(obs.shape[1], envs.action_space.shape[-1])
    optimizer = torch.optim.Adam(agent.parameters(), eps=1e-5, fused=True)
    player = Player(agent, envs, obs)
    per_rollout = args.num_envs * args.steps
    share = math.ceil(EPOCHS * math.ceil(per_rollout / BATCH) / args.steps)
    learning: Iterator[None] = iter(())

    def meanwhile() -> None:
        """Learns so many minibatches that the next rollout's steps have time for all."""
        for _ in range(share):
            next(learning, None)

    bar = tqdm(total=args.max_steps, unit=" steps", disable=args.quiet)
    begin = time.perf_counter()
    steps = 0
    while steps < args.max_steps and player.mean_return() < args.goal:
        for _ in range(args.steps):
            player.step(meanwhile if args.overlap else None)
        for _ in learning:
            pass
        rate = RATES[args.task] * (1 - steps / args.max_steps)
        learning = learn(agent, optimizer, rate, player.rollout())
        if not args.overlap:
            for _ in learning:
                pass
        steps += per_rollout
        bar.update(per_rollout)
        bar.set_postfix(mean_return=f"{player.mean_return():.0f}")
    seconds = time.perf_counter() - begin
    bar.close()
    envs.close()
    return steps, player.mean_return(), seconds


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    libraries = ("parallel_pool", "gymnasium", "envpool")
    parser.add_argument("task", nargs="?", choices=list(GOALS), default="HalfCheetah-v5")
    parser.add_argument(
        "--library", choices=libraries, default=libraries[0], help="the library of the envs"
    )
    parser.add_argument(
        "--overlap", action="store_true", help="learn while the envs step for the next rollout"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=64, help="number of envs (64)")
    parser.add_argument(
        "--steps", type=int, default=64, help="steps of each env between updates (64)"
    )
    parser.add_argument(
        "--goal", type=float, help="the mean return to reach (the task's own); inf: use all steps"
    )
    parser.add_argument(
        "--max-steps", type=int, default=1_000_000, help="steps of all envs (1,000,000)"
    )
    parser.add_argument("--quiet", action="store_true", help="print only the last line")
    args = parser.parse_args()
    if args.max_steps < 1:
        parser.error(f"--max-steps must be at least 1, not {args.max_steps}")
    if args.goal is None:
        args.goal = GOALS[args.task]
    steps, mean, seconds = train(args)
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s ({args.library})")
    if mean < args.goal < math.inf:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
