"""Stable-Baselines3's PPO learns CartPole-v1, Pendulum-v1 or racetrack-v0.

Prints the mean return of 100 episodes of the trained policy without exploration; the same seed
gives the same mean.
"""

import argparse
import time
from typing import Any

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from tqdm import tqdm

from parallel_pool.integrations.sb3 import VecEnv

# The return to reach, and PPO's settings for each task.
TASKS: dict[str, tuple[float, dict[str, Any]]] = {
    "CartPole-v1": (
        475.0,
        {
            "n_steps": 64,
            "batch_size": 256,
            "gae_lambda": 0.9,
            "gamma": 0.98,
            "n_epochs": 10,
            "learning_rate": lambda left: 1e-3 * left,
            "clip_range": lambda left: 0.2 * left,
        },
    ),
    "Pendulum-v1": (
        -300.0,
        {
            "n_steps": 256,
            "batch_size": 256,
            "gae_lambda": 0.95,
            "gamma": 0.9,
            "n_epochs": 10,
            "learning_rate": 1e-3,
            "use_sde": True,
            "sde_sample_freq": 4,
        },
    ),
    # A car on a race track with another one: it steers. Without steering it has 16.
    "racetrack-v0": (
        200.0,
        {
            "n_steps": 64,
            "batch_size": 256,
            "gae_lambda": 0.9,
            "gamma": 0.98,
            "n_epochs": 10,
            "learning_rate": 7e-4,
            "use_sde": True,
            "sde_sample_freq": 8,
        },
    ),
}


def main() -> None:
    """Trains, evaluates, and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="?", choices=TASKS, default="CartPole-v1")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=16, help="number of envs (16)")
    parser.add_argument(
        "--max-steps", type=int, default=150_000, help="steps of all envs (150,000)"
    )
    args = parser.parse_args()
    goal, settings = TASKS[args.task]
    torch.set_num_threads(1)
    env = VecEnv(args.task, num_envs=args.num_envs, seed=args.seed)
    model = PPO("MlpPolicy", env, seed=args.seed, device="cpu", **settings)
    begin = time.perf_counter()
    with tqdm(total=args.max_steps, unit=" steps", disable=None) as bar:
        model.learn(args.max_steps, callback=lambda *_: bar.update(args.num_envs) is not False)
    seconds = time.perf_counter() - begin
    env.close()
    test = VecEnv(args.task, num_envs=args.num_envs, seed=args.seed + 1_000_000)
    mean, _ = evaluate_policy(model, test, n_eval_episodes=100, deterministic=True)
    test.close()
    steps = model.num_timesteps
    print(f"{args.task}: mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s")
    if mean < goal:
        raise SystemExit(f"{goal:g} was not reached")


if __name__ == "__main__":
    main()
