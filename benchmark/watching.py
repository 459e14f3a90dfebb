"""The cost of record() and of profile(): processor time of a step with and without them.

Pools of the same task step in turns, with random actions. Medians of rounds; the time of the thread
that writes the file is counted.
"""

import argparse
import os
import pathlib
import statistics
import tempfile
import time
from typing import Any

from tabulate import tabulate

WORKLOADS = {"CartPole-v1": 1024, "Pong-v5": 64, "HalfCheetah-v5": 64}
_SETS = 1024  # of actions, drawn before


def measure(task: str, num_envs: int, rounds: int, seconds: float) -> dict[str, float]:
    """The us of a step by "plain", "recorded" and "profiled" pools; the bytes of 1 M env steps."""
    import parallel_pool

    names = ("plain", "recorded", "profiled")
    pools = {name: parallel_pool.make(task, num_envs=num_envs) for name in names}
    for pool in pools.values():
        pool.reset()
    actions = [pools["plain"].sample_actions() for _ in range(_SETS)]
    found: dict[str, list[float]] = {name: [] for name in names}
    recorded = pools["recorded"]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "run.ppr")
        begin = recorded.stats()["steps"]
        with recorded.record(file), pools["profiled"].profile():
            for _ in range(rounds):
                for name, pool in pools.items():
                    found[name].append(_us_of_a_step(pool, actions, seconds))
        size = os.path.getsize(file) / (recorded.stats()["steps"] - begin) * 1e6
    plain = found["plain"]
    ratios = {
        name: statistics.median(a / b for a, b in zip(times, plain, strict=True))
        for name, times in found.items()
    }
    us = {name: ratio * statistics.median(plain) for name, ratio in ratios.items()}
    return us | {"bytes": size}


def _us_of_a_step(pool: Any, actions: list[Any], seconds: float) -> float:
    """The processor time of a step of all envs, of all threads."""
    end, steps, begin = time.monotonic() + seconds, 0, time.process_time()
    while time.monotonic() < end:
        for action in actions[:64]:
            pool.step(action)
        actions = actions[64:] + actions[:64]
        steps += 64
    return (time.process_time() - begin) / steps * 1e6


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each pool (20)")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds of a round (1)")
    args = parser.parse_args()
    rows = []
    for task, num_envs in WORKLOADS.items():
        us = measure(task, num_envs, args.rounds, args.seconds)
        costs = [f"{us[name] / us['plain'] - 1:+.1%}" for name in ("recorded", "profiled")]
        rows.append([f"{task}:{num_envs}", f"{us['plain']:.1f}", *costs, f"{us['bytes']:,.0f}"])
    headers = ["workload", "us of a step", "recorded", "profiled", "bytes of 1 M recorded steps"]
    print(tabulate(rows, headers, "github", disable_numparse=True))


if __name__ == "__main__":
    main()
