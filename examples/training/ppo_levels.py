"""PPO chooses its levels: prioritized level replay (Jiang et al. 2021) in MiniGrid's rooms.

A level is a seed. When an episode ends, the sampler draws the env's next level, and `queue` gives
it to the env, whose autoreset then begins it. Draws the success on levels that it has never seen.
"""

import argparse
import pathlib
import time
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import nn
from torch.distributions import Categorical

import parallel_pool

TASK, GOAL = "MiniGrid-MultiRoom-N4-S5-v0", 0.9
OPTIONS: dict[str, Any] = {"min_num_rooms": 2, "max_num_rooms": 7, "max_room_size": 6}
OPTIONS |= {"mission": False, "obs_type": "one_hot", "flatten_observation": True}
LEVELS, TEST = 1000, 10**6  # levels 0 .. 999 to train on; the first of those that are tested
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.2, 0.01
EPOCHS, BATCH, RATE = 3, 1024, 5e-4


class LevelSampler:
    """Draws levels by the rank of their scores: the mean |advantage| when they were last played."""

    def __init__(self, levels: int, seed: int, is_uniform: bool) -> None:
        self._random, self._is_uniform = np.random.default_rng(seed), is_uniform
        self._score, self._played_at, self._time = np.full(levels, -1.0), np.zeros(levels), 0

    def sample(self, count: int) -> Any:
        """Levels for so many episodes: all alike while many are new, then those to play again."""
        new = self._score < 0
        if self._is_uniform or self._random.random() < new.mean():
            return self._random.integers(0, len(new), count)
        rank = np.empty(len(new))
        rank[np.argsort(-self._score)] = np.arange(1, len(rank) + 1)
        weight, age = np.where(new, 0, 1 / rank), np.where(new, 0, self._time - self._played_at)
        chance = 0.7 * weight / weight.sum() + 0.3 * (age + 1e-9) / (age + 1e-9).sum()
        return self._random.choice(len(rank), count, p=chance)

    def update(self, level: Any, advantage: Any) -> None:
        """Scores the levels of some steps."""
        self._time += 1
        count = np.bincount(level, minlength=len(self._score))
        total = np.bincount(level, np.abs(advantage), len(self._score))
        played = count > 0
        self._score[played], self._played_at[played] = (total / count.clip(1))[played], self._time


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value on one body."""

    def __init__(self, size: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.actor, self.critic = nn.Linear(128, actions), nn.Linear(128, 1)

    def forward(self, obs: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policies and the values (rows,) of observations (rows, size)."""
        hidden = self.body(obs.float())
        return Categorical(logits=self.actor(hidden)), self.critic(hidden)[:, 0]

    def act(self, obs: Any) -> Any:
        """Drawn actions of NumPy's observations, for evaluate()."""
        with torch.no_grad():
            return self(torch.as_tensor(obs))[0].sample().numpy()


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
            optimizer.zero_grad()
            (loss - ENTROPY * policy.entropy().mean()).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(args: argparse.Namespace) -> list[tuple[int, float]]:
    """Trains; returns the learning curve: (env steps, success on 200 new levels)."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    sampler = LevelSampler(LEVELS, args.seed, args.uniform)
    envs = parallel_pool.make(TASK, num_envs=64, record_episode_statistics=True, **OPTIONS)
    agent = Agent(envs.observation_space.shape[0], int(envs.action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    rollout = parallel_pool.Rollout(envs, 128, torch=True)
    level = sampler.sample(64)  # of each env
    rollout.reset(seed=level.tolist())
    levels, curve = np.zeros((128, 64), int), [(0, 0.0)]
    while curve[-1][0] < args.max_steps and np.mean([part for _, part in curve[-5:]]) < GOAL:
        for step, obs in enumerate(rollout):
            with torch.no_grad():
                policy, value = agent(obs)
            action, levels[step] = policy.sample(), level
            info = rollout.act(action, logprob=policy.log_prob(action), value=value)
            if len(ended := np.flatnonzero(info.get("_episode", False))):
                level[ended] = sampler.sample(len(ended))
                envs.queue(ended, seed=level[ended].tolist())
        with torch.no_grad():
            last_value = agent(rollout.last_obs)[1]
        rollout.finish(last_value, gamma=GAMMA, gae_lambda=LAMBDA)
        is_step = np.asarray(rollout.is_transition)
        sampler.update(levels[is_step], np.asarray(rollout.advantage)[is_step])
        update(agent, optimizer, rollout.batch())
        score = parallel_pool.evaluate(agent.act, TASK, 200, seed=TEST, num_envs=200, **OPTIONS)
        curve.append((curve[-1][0] + levels.size, float((score.returns > 0).mean())))
    return curve


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--uniform", action="store_true", help="draw all levels alike")
    parser.add_argument("--seed", type=int, default=1, help="seed of the agent and levels (1)")
    parser.add_argument("--max-steps", type=int, default=2_000_000, help="of all envs (2,000,000)")
    parser.add_argument("--curve", default="ppo_levels.png", help="the picture to write")
    args = parser.parse_args()
    pathlib.Path(args.curve).touch()  # a path that cannot be written is an error now
    begin = time.perf_counter()
    curve = train(args)
    seconds, last = time.perf_counter() - begin, float(np.mean([part for _, part in curve[-5:]]))
    figure = Figure(figsize=(6, 4), layout="tight")
    axes = figure.add_subplot(xlabel="env steps", ylabel="success on new levels", title=TASK)
    axes.plot(*zip(*curve, strict=True))
    figure.savefig(args.curve, dpi=150)
    print(f"mean success {last:.2f} after {curve[-1][0]:,} steps in {seconds:.1f} s")
    if last < GOAL:
        raise SystemExit(f"{GOAL:g} was not reached")


if __name__ == "__main__":
    main()
