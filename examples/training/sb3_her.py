"""Stable-Baselines3's SAC learns to reach goals with hindsight experience replay (HER).

FetchReach-v4 moves a gripper to a point, PointMaze_UMaze-v3 a ball through a maze. HER replays each
step also with goals that the episode came by later, and asks the pool for a batch of rewards in one
call. Prints the share of 100 episodes that reach their goal; the same seed gives the same share.
"""

import argparse
import time
from typing import Any

import numpy as np
import torch
from stable_baselines3 import SAC, HerReplayBuffer
from tqdm import tqdm

from parallel_pool.integrations.sb3 import VecEnv

# The share of episodes to reach, steps, options of the task, and SAC's settings.
TASKS: dict[str, tuple[float, int, dict[str, Any], dict[str, Any]]] = {
    "FetchReach-v4": (
        0.95,
        10_000,
        {},
        {
            "learning_starts": 800,
            "gamma": 0.95,
            "ent_coef": 0.005,
            "gradient_steps": 8,
            "policy_kwargs": {"net_arch": [64, 64]},
        },
    ),
    "PointMaze_UMaze-v3": (
        0.7,
        24_000,
        {"continuing_task": False},
        {
            "learning_starts": 2400,
            "gamma": 0.99,
            "gradient_steps": 4,
            "policy_kwargs": {"net_arch": [128, 128]},
        },
    ),
}
# SAC's settings that all tasks have.
SETTINGS: dict[str, Any] = {
    "device": "cpu",
    "replay_buffer_kwargs": {"n_sampled_goal": 4, "goal_selection_strategy": "future"},
    "buffer_size": 200_000,
    "batch_size": 256,
    "learning_rate": 1e-3,
}


def successes(model: Any, env: VecEnv, episodes: int) -> float:
    """The share of episodes that reach their goal, played without exploration."""
    reached: list[bool] = []
    obs = env.reset()
    while len(reached) < episodes:
        obs, _, done, infos = env.step(model.predict(obs, deterministic=True)[0])
        for i in np.flatnonzero(done):
            info = infos[i]  # mazes call it "success"
            reached.append(bool(info.get("is_success", info.get("success"))))
    return float(np.mean(reached[:episodes]))


def main() -> None:
    """Trains, evaluates, and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="?", choices=TASKS, default="FetchReach-v4")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=8, help="number of envs (8)")
    parser.add_argument("--max-steps", type=int, help="steps of all envs (10,000 or 24,000)")
    args = parser.parse_args()
    goal, steps, options, settings = TASKS[args.task]
    steps = args.max_steps or steps
    torch.set_num_threads(1)
    env = VecEnv(args.task, num_envs=args.num_envs, seed=args.seed, **options)
    model = SAC(
        "MultiInputPolicy",
        env,
        seed=args.seed,
        replay_buffer_class=HerReplayBuffer,
        **SETTINGS,
        **settings,
    )
    begin = time.perf_counter()
    with tqdm(total=steps, unit=" steps", disable=None) as bar:
        model.learn(steps, callback=lambda *_: bar.update(args.num_envs) is not False)
    seconds = time.perf_counter() - begin
    env.close()
    test = VecEnv(args.task, num_envs=args.num_envs, seed=args.seed + 1_000_000, **options)
    share = successes(model, test, 100)
    test.close()
    print(f"{args.task}: mean success {share:.2f} after {steps:,} steps in {seconds:.1f} s")
    if share < goal:
        raise SystemExit(f"{goal:g} was not reached")


if __name__ == "__main__":
    main()
