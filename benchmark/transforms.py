"""The cost of the options that normalize and clip: us of a step of CartPole in one thread.

Pools with and without the options step in turns. Processor time, medians.
"""

import argparse
import statistics
import time
from typing import Any

import numpy as np
from tabulate import tabulate

STEPS = 200  # of a pool in a round
_OBSERVATION = {"normalize_observation": True, "clip_observation": 10.0}
_REWARD = {"normalize_reward": True, "clip_reward": 10.0}
OPTIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "observations": _OBSERVATION,
    "rewards": _REWARD,
    "both": _OBSERVATION | _REWARD,
    "both, statistics frozen": _OBSERVATION | _REWARD | {"update_statistics": False},
}


def measure(num_envs: int, rounds: int) -> dict[str, float]:
    """The us of a step, by the pool's options."""
    import parallel_pool

    make = parallel_pool.make_gymnasium
    pools = {
        name: make("CartPole-v1", num_envs=num_envs, num_threads=1, **options)
        for name, options in OPTIONS.items()
    }
    for pool in pools.values():
        pool.reset()
    action = np.random.default_rng(0).integers(0, 2, num_envs)
    found: dict[str, list[float]] = {name: [] for name in pools}
    for _ in range(rounds):
        for name, pool in pools.items():
            begin = time.process_time()
            for _ in range(STEPS):
                pool.step(action)
            found[name].append((time.process_time() - begin) / STEPS * 1e6)
    return {name: statistics.median(times) for name, times in found.items()}


def table(found: dict[str, float]) -> str:
    """A row for each pool."""
    rows = [[name, f"{us:.1f}", f"{us / found['none'] - 1:+.1%}"] for name, us in found.items()]
    headers = ["normalized and clipped", "us of a step", "cost"]
    return tabulate(rows, headers, "github", disable_numparse=True)


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--num-envs", type=int, default=1024, help="number of envs (1024)")
    parser.add_argument("--rounds", type=int, default=30, help="rounds of 200 steps (30)")
    args = parser.parse_args()
    print(table(measure(args.num_envs, args.rounds)))


if __name__ == "__main__":
    main()
