"""Stable-Baselines3's PPO on its own vector env of Gymnasium's envs, or on a pool: "sb3 ..." rows.

It ends when the mean return of the last 100 episodes is the goal.
"""

import argparse
import time
from typing import Any

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize

# The mean return to reach, the number of envs, and PPO's settings, as in the other programs.
TASKS: dict[str, tuple[float, int, dict[str, Any]]] = {
    "CartPole-v1": (
        475,
        32,
        {"n_steps": 64, "batch_size": 256, "n_epochs": 4, "learning_rate": 1e-3},
    ),
    "HalfCheetah-v5": (
        4000,
        64,
        {
            "n_steps": 64,
            "batch_size": 1024,
            "n_epochs": 10,
            "gae_lambda": 0.9,
            "learning_rate": lambda left: 3e-3 * left,
            "policy_kwargs": {"log_std_init": -1.0},
        },
    ),
}


class Until(BaseCallback):  # type: ignore[misc]
    """Ends the training at a mean return."""

    def __init__(self, goal: float) -> None:
        super().__init__()
        self.goal, self.mean = goal, float("-inf")

    def _on_rollout_end(self) -> None:
        returns = [episode["r"] for episode in self.model.ep_info_buffer]
        if returns:
            self.mean = sum(returns) / len(returns)

    def _on_step(self) -> bool:
        return self.mean < self.goal or len(self.model.ep_info_buffer) < self.locals["env"].num_envs


def make(library: str, task: str, num_envs: int, seed: int) -> Any:
    """The envs, with normalized observations and rewards where the task needs them."""
    normalizes = task == "HalfCheetah-v5"
    if library == "gymnasium":
        env = make_vec_env(task, num_envs, seed)
        return VecNormalize(env) if normalizes else env
    from parallel_pool.integrations.sb3 import VecEnv

    limits = {"clip_observation": 10.0, "clip_reward": 10.0, "obs_dtype": "float32"}
    options: Any = {"normalize_observation": True, "normalize_reward": True, **limits}
    return VecEnv(task, num_envs=num_envs, seed=seed, **(options if normalizes else {}))


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", choices=list(TASKS))
    parser.add_argument("--library", choices=["gymnasium", "parallel_pool"], required=True)
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, help="number of envs (the task's)")
    parser.add_argument("--max-steps", type=int, default=1_000_000, help="of all envs (1,000,000)")
    parser.add_argument("--quiet", action="store_true", help="accepted as by the other programs")
    args = parser.parse_args()
    goal, num_envs, settings = TASKS[args.task]
    torch.set_num_threads(1)
    env = make(args.library, args.task, args.num_envs or num_envs, args.seed)
    model = PPO("MlpPolicy", env, seed=args.seed, device="cpu", **settings)
    until = Until(goal)
    begin = time.perf_counter()
    model.learn(args.max_steps, callback=until)
    seconds = time.perf_counter() - begin
    print(
        f"mean return {until.mean:.1f} after {model.num_timesteps:,} steps in {seconds:.1f} s "
        f"(sb3 {args.library})"
    )
    if until.mean < goal:
        raise SystemExit(f"{goal:g} was not reached")


if __name__ == "__main__":
    main()
