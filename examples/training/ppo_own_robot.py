"""PPO teaches a robot of your own to walk: an XML model, a Batch of it, a reward in NumPy."""

import argparse
import time
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.distributions import Independent, Normal
from tqdm import tqdm

import parallel_pool
from parallel_pool.mujoco import Batch

LEG = """<body name="leg{0}" pos="{1} {2} 0"><joint class="hip" name="hip{0}"/>
<geom fromto="0 0 0 0 0 -.25"/><body name="shin{0}" pos="0 0 -.25">
<joint class="knee" name="knee{0}"/><geom fromto="0 0 0 0 0 -.25"/></body></body>"""
SERVO = '<position joint="{0}" kp="40" kv="2" ctrlrange="-1 1" ctrllimited="true"/>'
CORNERS = [(0.25, 0.15), (0.25, -0.15), (-0.25, 0.15), (-0.25, -0.15)]
JOINTS = [f"{part}{leg}" for leg in range(4) for part in ("hip", "knee")]
ROBOT = f"""<mujoco><option timestep="0.004"/><default>
<geom type="capsule" size=".03" friction="1" conaffinity="0"/>
<default class="hip"><joint axis="0 1 0" range="-1 1" limited="true"/></default>
<default class="knee"><joint axis="0 1 0" range="-1 1" limited="true"/></default></default>
<worldbody><geom type="plane" size="50 50 1" conaffinity="1"/>
<body name="torso" pos="0 0 .55"><freejoint/><geom type="box" size=".3 .15 .05" mass="6"/>
{"".join(LEG.format(leg, x, y) for leg, (x, y) in enumerate(CORNERS))}</body></worldbody>
<actuator>{"".join(SERVO.format(joint) for joint in JOINTS)}</actuator></mujoco>"""

GAMMA, LAMBDA, CLIP = 0.99, 0.95, 0.2
ENVS, STEPS, EPOCHS, ROWS, LENGTH = 64, 64, 8, 1024, 400


class Walk:
    """ENVS robots that shall walk along x at up to 1.5 m/s; an episode ends after LENGTH steps."""

    def __init__(self, seed: int) -> None:
        self.batch = Batch(ROBOT, ENVS)
        self.random = np.random.default_rng(seed)
        self.qpos, self.qvel, self.ctrl = (self.batch.bind(n) for n in ("qpos", "qvel", "ctrl"))
        self.age = np.zeros(ENVS, int)
        self.begin(np.ones(ENVS, bool))
        self.age[:] = self.random.integers(LENGTH, size=ENVS)  # not all end at once

    def begin(self, mask: Any) -> None:
        """Begins new episodes near the first state."""
        self.batch.reset(mask, stage=0)
        self.qpos[mask, 7:] += self.random.uniform(-0.1, 0.1, (mask.sum(), 8))
        self.age[mask] = 0

    def observe(self) -> torch.Tensor:
        """(ENVS, 35): height, orientation, joints, speeds, controls."""
        parts = np.concatenate((self.qpos[:, 2:], self.qvel / 5, self.ctrl), axis=1)
        return torch.from_numpy(parts.clip(-5, 5).astype(np.float32))

    def step(self, action: Any) -> tuple[Any, Any, Any, torch.Tensor]:
        """Returns reward, terminated, truncated and the observations before new episodes begin."""
        before = self.qpos[:, 0].copy()
        self.ctrl[:] = action.clip(-1, 1)
        self.batch.step(nstep=5)
        speed = (self.qpos[:, 0] - before) / 0.02
        up = 1 - 2 * (self.qpos[:, 4] ** 2 + self.qpos[:, 5] ** 2)  # the torso's z axis, upwards
        reward = speed.clip(-1, 1.5) + 0.2 * up - 0.02 * (action**2).sum(axis=1) - 0.1
        self.age += 1
        fallen = (up < 0.5) | (self.qpos[:, 2] < 0.25)
        late = ~fallen & (self.age >= LENGTH)
        last = self.observe()
        self.begin(fallen | late)
        return reward.astype(np.float32), fallen, late, last


class Agent(nn.Module):  # type: ignore[misc]
    """A Gaussian policy and a value."""

    def __init__(self, size: int, action: int) -> None:
        super().__init__()
        self.actor, self.critic = (
            nn.Sequential(
                *(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n))
            )
            for n in (action, 1)
        )
        nn.init.zeros_(self.actor[-1].weight)
        self.log_std = nn.Parameter(torch.full((action,), -0.7))

    def forward(self, obs: torch.Tensor) -> tuple[Independent, torch.Tensor]:
        """The policies and the values (rows,) of observations (rows, size)."""
        return Independent(Normal(self.actor(obs), self.log_std.exp()), 1), self.critic(obs)[:, 0]


def play(walk: Walk, agent: Agent) -> tuple[list[torch.Tensor], Any]:
    """Plays STEPS steps: the training rows, and the rewards (STEPS, ENVS)."""
    rows: list[tuple[torch.Tensor, ...]] = []
    found: list[tuple[Any, ...]] = []
    with torch.no_grad():
        for _ in range(STEPS):
            obs = walk.observe()
            policy, value = agent(obs)
            action = policy.sample()
            reward, fallen, late, last = walk.step(action.numpy())
            rows.append((obs, action, policy.log_prob(action)))
            found.append((reward, value.numpy(), fallen, late, agent(last)[1].numpy()))
        last_value = agent(walk.observe())[1].numpy()
    reward, value, fallen, late, final = (np.stack(x) for x in zip(*found, strict=True))
    advantage, target = parallel_pool.returns.gae(
        reward, value, fallen, late, last_value, gamma=GAMMA, gae_lambda=LAMBDA, final_value=final
    )
    kept = [torch.stack(x) for x in zip(*rows, strict=True)]
    kept += [torch.from_numpy(x) for x in (advantage, target)]
    return [x.flatten(0, 1) for x in kept], reward


def train(args: argparse.Namespace) -> tuple[float, int]:
    """Trains; returns the mean return of an episode's length, and the steps."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    walk = Walk(args.seed)
    agent = Agent(walk.observe().shape[1], len(JOINTS))
    optimizer = torch.optim.Adam(agent.parameters(), eps=1e-5)
    mean, steps = 0.0, 0
    bar = tqdm(total=args.max_steps, unit=" steps", disable=None)
    while steps < args.max_steps and mean < args.goal:
        optimizer.param_groups[0]["lr"] = 1e-3 * (1 - 0.9 * steps / args.max_steps)
        (obs, action, logprob, advantage, target), reward = play(walk, agent)
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(obs)).split(ROWS):
                policy, value = agent(obs[rows])
                ratio = (policy.log_prob(action[rows]) - logprob[rows]).exp()
                a = (advantage[rows] - advantage[rows].mean()) / (advantage[rows].std() + 1e-8)
                loss = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
                loss = loss + 0.5 * (value - target[rows]).square().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        steps += reward.size
        mean = 0.9 * mean + 0.1 * float(reward.mean()) * LENGTH
        bar.set_postfix(mean_return=f"{mean:.0f}", refresh=False)
        bar.update(reward.size)
    return mean, steps


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goal", type=float, default=400.0, help="mean return: 1 a step (400)")
    parser.add_argument("--seed", type=int, default=1, help="seed of robots and agent (1)")
    parser.add_argument("--max-steps", type=int, default=2_000_000, help="of all robots")
    args = parser.parse_args()
    begin = time.perf_counter()
    mean, steps = train(args)
    print(f"mean return {mean:.1f} after {steps:,} steps in {time.perf_counter() - begin:.1f} s")
    if mean < args.goal:
        raise SystemExit(f"{args.goal:g} was not reached")


if __name__ == "__main__":
    main()
