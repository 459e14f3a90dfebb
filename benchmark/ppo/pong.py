"""PPO learns Atari's Pong from pixels with any of three libraries: only make() differs.

Written as users of all three libraries write it, without what only one of them has. Gymnasium's
vector env for Atari is ale-py's.
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

GOAL = 0.0  # the mean return of the last 50 games, from -21 to 21; 0: as good as the game's player
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.1, 0.01
EPOCHS, BATCH, RATE = 4, 256, 5e-4
MOVES = np.array([0, 2, 3])  # stay, up, down; the game's other three only press fire as well


def make(library: str, num_envs: int, seed: int) -> Any:
    """The envs and their first observations, (num_envs, 4, 84, 84) uint8."""
    if library == "gymnasium":
        import ale_py
        import gymnasium

        gymnasium.register_envs(ale_py)
        env: Any = gymnasium.make_vec("ALE/Pong-v5", num_envs=num_envs, repeat_action_probability=0)
        return env, env.reset(seed=seed)[0]
    if library == "envpool":
        import envpool as library_of_envs
    else:
        import parallel_pool as library_of_envs
    env = library_of_envs.make("Pong-v5", env_type="gymnasium", num_envs=num_envs, seed=seed)
    return env, env.reset()[0]


class Agent(nn.Module):  # type: ignore[misc]
    """A policy and a value over one small convolutional net.

    Its input is the difference of a picture to `background`, (84, 84, 4): most pixels never change.
    """

    def __init__(self, background: torch.Tensor) -> None:
        super().__init__()
        self.background = background
        self.body = nn.Sequential(
            *(nn.Conv2d(4, 16, 8, stride=4), nn.ReLU()),
            *(nn.Conv2d(16, 32, 4, stride=2), nn.ReLU(), nn.Flatten()),
            *(nn.Linear(32 * 9 * 9, 256), nn.ReLU()),
        )
        self.actor, self.critic = nn.Linear(256, len(MOVES)), nn.Linear(256, 1)
        for name, weights in self.named_parameters():
            gain = {"actor.weight": 0.01, "critic.weight": 1.0}.get(name, 2**0.5)
            nn.init.zeros_(weights) if "bias" in name else nn.init.orthogonal_(weights, gain)
        self.to(memory_format=torch.channels_last)  # several times faster on a CPU

    def forward(self, obs: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The policy and the values (rows,) of observations (rows, 84, 84, 4) uint8."""
        differences = (obs.float() - self.background) / 64
        hidden = self.body(differences.permute(0, 3, 1, 2))
        return Categorical(logits=self.actor(hidden)), self.critic(hidden)[:, 0]


def picture(obs: Any) -> torch.Tensor:
    """Observations with their four frames side by side in each pixel: (num_envs, 84, 84, 4)."""
    return torch.from_numpy(obs).permute(0, 2, 3, 1).contiguous()


class Returns:
    """The return of each episode, as it ends."""

    def __init__(self, num_envs: int) -> None:
        self._running = np.zeros(num_envs)
        self.last = collections.deque[float](maxlen=50)

    def add(self, reward: Any, ended: Any) -> None:
        """Adds one step of all envs."""
        self._running += reward
        self.last.extend(self._running[ended])
        self._running[ended] = 0

    def mean(self) -> float:
        """The mean return of the last 50 games; -21, the worst, before there are 50."""
        return float(np.mean(self.last)) if len(self.last) == 50 else -21.0


def advantages(rows: dict[str, torch.Tensor], last: torch.Tensor) -> torch.Tensor:
    """Generalized advantage estimates, (steps, envs); `last` are the last observations' values."""
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


def train(args: argparse.Namespace) -> tuple[int, float, float]:
    """Trains; returns the steps of all envs, the mean return and the seconds."""
    torch.manual_seed(args.seed)
    envs, obs = make(args.library, args.num_envs, args.seed)
    agent, returns = Agent(picture(obs).float().mean(0)), Returns(args.num_envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5, fused=True)
    ended = np.zeros(args.num_envs, bool)
    bar = tqdm(total=args.max_steps, unit=" steps", disable=args.quiet)
    begin = time.perf_counter()
    steps = 0
    while steps < args.max_steps and returns.mean() < args.goal:
        rows: dict[str, list[torch.Tensor]] = collections.defaultdict(list)
        for _ in range(args.steps):
            seen = picture(obs)
            with torch.no_grad():
                policy, value = agent(seen)
            action = policy.sample()
            resets = ended
            obs, reward, terminated, truncated, _ = envs.step(MOVES[action.numpy()])
            ended = terminated | truncated
            returns.add(reward, ended)
            # A point ends the sum: earlier actions do not affect the next point.
            point = reward != 0
            row = {"reward": reward, "terminated": terminated | point, "ended": ended | point}
            row["resets"] = resets
            for name, values in row.items():
                rows[name].append(torch.from_numpy(values.astype(np.float32)))
            for name, tensor in {"obs": seen, "action": action, "value": value}.items():
                rows[name].append(tensor)
            rows["log_prob"].append(policy.log_prob(action))
        stacked = {name: torch.stack(row) for name, row in rows.items()}
        with torch.no_grad():
            last = agent(picture(obs))[1]
        update(agent, optimizer, stacked, advantages(stacked, last))
        steps += args.num_envs * args.steps
        bar.update(args.num_envs * args.steps)
        bar.set_postfix(mean_return=f"{returns.mean():.1f}")
    seconds = time.perf_counter() - begin
    bar.close()
    envs.close()
    return steps, returns.mean(), seconds


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    libraries = ("parallel_pool", "gymnasium", "envpool")
    parser.add_argument(
        "--library", choices=libraries, default=libraries[0], help="the library of the envs"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=16, help="number of envs (16)")
    parser.add_argument(
        "--steps", type=int, default=128, help="steps of each env between updates (128)"
    )
    parser.add_argument("task", nargs="?", choices=["Pong-v5"], default="Pong-v5")
    parser.add_argument("--goal", type=float, default=GOAL, help="the mean return to reach (0)")
    parser.add_argument(
        "--max-steps", type=int, default=2_000_000, help="steps of all envs (2,000,000)"
    )
    parser.add_argument("--quiet", action="store_true", help="print only the last line")
    args = parser.parse_args()
    if args.max_steps < 1:
        parser.error(f"--max-steps must be at least 1, not {args.max_steps}")
    steps, mean, seconds = train(args)
    print(f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s ({args.library})")
    if mean < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
