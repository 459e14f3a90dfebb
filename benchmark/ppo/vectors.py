"""PPO learns CartPole-v1 or LunarLander-v3 with any of three libraries: only make() differs.

Written as users of all three libraries write it, without what only one of them has. It ends when
the mean return of the last 100 episodes is the task's goal.
"""

import argparse
import collections
import time
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical
from tqdm import tqdm

GAMMA, CLIP, RATE = 0.99, 0.2, 1e-3


class Task(NamedTuple):
    """The numbers in which the tasks differ."""

    goal: float  # the mean return of the last 100 episodes; the task's own threshold
    num_envs: int
    steps: int  # of each env between updates
    epochs: int
    batch: int
    gae_lambda: float
    entropy: float
    points: float  # rewards are divided by it


TASKS = {
    "CartPole-v1": Task(475, 32, 64, 4, 256, 0.95, 0.0, 1),
    "LunarLander-v3": Task(200, 64, 128, 6, 512, 0.97, 0.01, 50),
}


def make(library: str, task: str, num_envs: int, seed: int) -> Any:
    """The envs and their first observations."""
    if library == "gymnasium":
        import gymnasium

        env: Any = gymnasium.make_vec(task, num_envs=num_envs, vectorization_mode="sync")
        return env, env.reset(seed=seed)[0]
    if library == "envpool":
        import envpool as library_of_envs
    else:
        import parallel_pool as library_of_envs
    env = library_of_envs.make(task, env_type="gymnasium", num_envs=num_envs, seed=seed)
    return env, env.reset()[0]


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
        """The policy and the values (...) of observations (..., size)."""
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


def advantages(
    rows: dict[str, torch.Tensor], last: torch.Tensor, gae_lambda: float
) -> torch.Tensor:
    """Generalized advantage estimates, (steps, envs); `last` are the last observations' values.

    A time limit ends the sum, but not the value of the next state, which the next row has.
    """
    result = torch.zeros_like(rows["value"])
    following, total = last, torch.zeros_like(last)
    for t in reversed(range(len(result))):
        goes_on = 1 - rows["ended"][t]
        delta = rows["reward"][t] + GAMMA * following * (1 - rows["terminated"][t])
        total = delta - rows["value"][t] + GAMMA * gae_lambda * goes_on * total
        result[t], following = total, rows["value"][t]
    return result


def update(
    agent: Agent, optimizer: Any, rows: dict[str, torch.Tensor], target: Any, task: Task
) -> None:
    """Trains some epochs on the collected steps, without the steps that only reset an env."""
    counts = torch.nonzero(1 - rows["resets"].flatten())[:, 0]
    flat = {name: row.flatten(0, 1) for name, row in rows.items()}
    gain, value_target = target.flatten(), (target + rows["value"]).flatten()
    for _ in range(task.epochs):
        for chosen in counts[torch.randperm(len(counts))].split(task.batch):
            if len(chosen) == 1:
                continue  # one row has no standard deviation
            policy, value = agent(flat["obs"][chosen])
            ratio = (policy.log_prob(flat["action"][chosen]) - flat["log_prob"][chosen]).exp()
            a = gain[chosen]
            a = (a - a.mean()) / (a.std() + 1e-8)
            loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            loss = loss + 0.5 * (value - value_target[chosen]).square().mean()
            loss = loss - task.entropy * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(args: argparse.Namespace) -> tuple[int, float, float]:
    """Trains; returns the steps of all envs, the mean return and the seconds."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    task, num_envs = TASKS[args.task], args.num_envs
    envs, obs = make(args.library, args.task, num_envs, args.seed)
    actions = getattr(envs, "single_action_space", envs.action_space).n
    agent = Agent(obs.shape[1], int(actions))
    returns = Returns(num_envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    ended = np.zeros(num_envs, bool)
    bar = tqdm(total=args.max_steps, unit=" steps", disable=args.quiet)
    begin = time.perf_counter()
    steps = 0
    while steps < args.max_steps and returns.mean() < task.goal:
        rows: dict[str, list[torch.Tensor]] = collections.defaultdict(list)
        for _ in range(task.steps):
            seen = torch.from_numpy(obs)
            with torch.no_grad():
                policy, value = agent(seen)
            action = policy.sample()
            resets = ended
            obs, reward, terminated, truncated, _ = envs.step(action.numpy())
            ended = terminated | truncated
            returns.add(reward, ended)
            row = {
                "reward": reward.astype(np.float32) / task.points,
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
        update(agent, optimizer, stacked, advantages(stacked, last, task.gae_lambda), task)
        steps += num_envs * task.steps
        bar.update(num_envs * task.steps)
        bar.set_postfix(mean_return=f"{returns.mean():.0f}")
    seconds = time.perf_counter() - begin
    bar.close()
    envs.close()
    return steps, returns.mean(), seconds


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    libraries = ("parallel_pool", "gymnasium", "envpool")
    parser.add_argument("task", nargs="?", choices=list(TASKS), default="CartPole-v1")
    parser.add_argument("--library", choices=libraries, default=libraries[0], help="of the envs")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, help="number of envs (the task's)")
    parser.add_argument("--max-steps", type=int, default=2_000_000, help="of all envs (2,000,000)")
    parser.add_argument("--quiet", action="store_true", help="print only the last line")
    args = parser.parse_args()
    args.num_envs = args.num_envs or TASKS[args.task].num_envs
    steps, mean, seconds = train(args)
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s ({args.library})")
    if mean < TASKS[args.task].goal:
        raise SystemExit(f"{TASKS[args.task].goal:g} was not reached")


if __name__ == "__main__":
    main()
