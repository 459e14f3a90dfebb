"""Compares PoolEnvRunner with RLlib's own runner: speed of sampling, time to learn CartPole.

    make bench-rllib [BENCH="--seeds N"]

All runners are in this process and have one thread of torch. They sample
in turn, and the table has the medians. Then PPO learns until the mean return is 450, with each
runner and the same settings, in turn for each seed. The times are CPU time of this process, which
other work of the machine changes little, and for learning the time on the clock, too.
"""

import argparse
import logging
import statistics
import time
import warnings
from typing import Any

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from tabulate import tabulate

from parallel_pool.integrations.rllib import PoolEnvRunner

NUM_ENVS, FRAGMENT = 64, 64
POOL = "parallel_pool:parallel_pool/CartPole-v1"
# Each has: the runner, its env, and how Gymnasium makes a vector env of it.
RUNNERS = {
    "PoolEnvRunner": (PoolEnvRunner, POOL, "vector_entry_point"),
    "RLlib's runner, the same pool": (SingleAgentEnvRunner, POOL, "vector_entry_point"),
    "RLlib's runner, SyncVectorEnv": (SingleAgentEnvRunner, "CartPole-v1", "sync"),
}
ROUNDS = 15
SOLVED, MOST_ITERATIONS = 450, 300


def make_config(name: str, seed: int) -> Any:
    """PPO on CartPole with one of RUNNERS."""
    runner, env, mode = RUNNERS[name]
    return (
        PPOConfig()
        .environment(env)
        .env_runners(
            env_runner_cls=runner,
            num_env_runners=0,
            num_envs_per_env_runner=NUM_ENVS,
            rollout_fragment_length=FRAGMENT,
            gym_env_vectorize_mode=mode,
        )
        .rl_module(model_config={"fcnet_hiddens": [64, 64], "vf_share_layers": False})
        .training(
            train_batch_size_per_learner=NUM_ENVS * FRAGMENT,
            minibatch_size=2048,
            num_epochs=4,
            lr=2e-3,
            gamma=0.99,
            lambda_=0.95,
            vf_clip_param=1e4,
        )
        .debugging(seed=seed, log_level="ERROR")
    )


def rate(runner: Any) -> float:
    """Steps in a second of CPU time, of one call of sample()."""
    start = time.process_time()
    episodes = runner.sample()
    return float(sum(map(len, episodes)) / (time.process_time() - start))


def sampling() -> None:
    """Prints the table of sampling speeds, with an untrained policy."""
    runners = {
        name: RUNNERS[name][0](config=make_config(name, 1), worker_index=0) for name in RUNNERS
    }
    rates: dict[str, list[float]] = {name: [] for name in RUNNERS}
    for round_ in range(ROUNDS + 1):
        for name, runner in runners.items():
            measured = rate(runner)
            if round_:
                rates[name].append(measured)
            runner.get_metrics()
    ours = rates["PoolEnvRunner"]
    rows = []
    for name, theirs in rates.items():
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        rows.append([name, f"{statistics.median(theirs):,.0f}", f"{ratio:.1f}"])
    print(tabulate(rows, ["runner", "steps in a CPU second", "PoolEnvRunner is faster by"], "pipe"))


def learning(seeds: int) -> None:
    """Prints the table of seconds to a mean return of SOLVED."""
    rows = []
    for seed in range(seeds):
        for name in RUNNERS:
            algorithm = make_config(name, seed).build_algo()
            start, cpu_start, value = time.perf_counter(), time.process_time(), 0.0
            iterations = 0
            while value < SOLVED and iterations < MOST_ITERATIONS:
                value = algorithm.train()["env_runners"].get("episode_return_mean", 0.0)
                iterations += 1
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
            algorithm.stop()
            rows.append([seed, name, iterations, f"{value:.0f}", f"{cpu:.1f}", f"{seconds:.1f}"])
    headers = ["seed", "runner", "iterations", "return", "CPU seconds", "seconds"]
    print(tabulate(rows, headers, "pipe"))


def main() -> None:
    """Measures, and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3, help="trainings with each runner")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    sampling()
    print()
    learning(arguments.seeds)


if __name__ == "__main__":
    main()
