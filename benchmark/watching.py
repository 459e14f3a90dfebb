"""The cost of record(): processor time of a step with and without it.

Two pools of the same task step in turns, with random actions. Medians of rounds; the time of the
thread that writes the file is counted.
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


def measure(task: str, num_envs: int, rounds: int, seconds: float) -> tuple[float, float, int]:
    """The us of a step without and with recording, and the bytes of a million steps of an env."""
    import parallel_pool

    def make() -> tuple[Any, list[Any]]:
        pool = parallel_pool.make(task, num_envs=num_envs)
        pool.reset()
        return pool, [pool.sample_actions() for _ in range(_SETS)]

    pools = {False: make(), True: make()}
    found: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "run.ppr")
        recorded = pools[True][0]
        recorded.record(file)
        begin = recorded.stats()["steps"]
        for _ in range(rounds):
            for is_recorded, (pool, actions) in pools.items():
                found[is_recorded].append(_us_of_a_step(pool, actions, seconds))
        recorded.stop_recording()
        steps = recorded.stats()["steps"] - begin
        size = os.path.getsize(file)
    ratios = [with_it / without for without, with_it in zip(*found.values(), strict=True)]
    without = statistics.median(found[False])
    return without, statistics.median(ratios) * without, int(size / steps * 1e6)


def _us_of_a_step(pool: Any, actions: list[Any], seconds: float) -> float:
    """The processor time of a step of all envs, of all threads."""
    end, steps, begin = time.monotonic() + seconds, 0, time.process_time()
    while time.monotonic() < end:
        for action in actions:
            pool.step(action)
        steps += len(actions)
    return (time.process_time() - begin) / steps * 1e6


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each pool (20)")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds of a round (1)")
    args = parser.parse_args()
    rows = []
    for task, num_envs in WORKLOADS.items():
        without, with_it, size = measure(task, num_envs, args.rounds, args.seconds)
        cost = f"{with_it / without - 1:+.1%}"
        rows.append([f"{task}:{num_envs}", f"{without:.1f}", f"{with_it:.1f}", cost, f"{size:,}"])
    headers = ["workload", "us of a step", "recorded", "cost", "bytes of 1 M steps"]
    print(tabulate(rows, headers, "github", disable_numparse=True))


if __name__ == "__main__":
    main()
