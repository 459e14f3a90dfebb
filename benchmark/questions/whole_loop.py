"""All that PPO does between two updates, by six ways to write it: steps a second.

64 envs, 128 steps of a rollout, a small policy in NumPy (Stable-Baselines3: its own in torch on
one thread), statistics of episodes, observations and rewards normalized and clipped, buffers and
advantages. Each arm plays in a process of its own, in turns. `tools/bench.sh` makes
both environments.
"""

import argparse
import dataclasses
import statistics
import sys
from collections.abc import Iterator
from typing import Any

from benchmark.frame import report
from benchmark.frame.rounds import play_arm, program, take_turns

_ARM = program("benchmark.peers.loops")
TASKS = ("CartPole", "HalfCheetah", "Pong")
# The arms of peers/loops.py with their names, and whether they are in the environment with torch.
_NAMES = {
    "parallel_pool": ("ParallelPool: options and Rollout", False),
    "envpool": ("EnvPool, CleanRL's loop", False),
    "pufferlib": ("PufferLib, CleanRL's loop", True),
    "gymnasium_sync": ("Gymnasium's SyncVectorEnv and wrappers", False),
    "sb3_parallel_pool": ("Stable-Baselines3 over ParallelPool", True),
    "sb3": ("Stable-Baselines3, VecNormalize", True),
}
_WITHOUT_PONG = ("sb3_parallel_pool", "sb3")  # their network would take nearly all of the time


@dataclasses.dataclass(frozen=True)
class Arm:
    """The argument of peers/loops.py."""

    play: str
    task: str
    seconds: float


def arms(task: str, seconds: float) -> list[Arm]:
    """The arms of a task."""
    return [
        Arm(play, task, seconds) for play in _NAMES if task != "Pong" or play not in _WITHOUT_PONG
    ]


def measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A result for each task and arm."""

    def play(arm: Arm) -> float:
        python = args.python if _NAMES[arm.play][1] else sys.executable
        return play_arm(_ARM, arm, python, limit=60 + 10 * arm.seconds)["rate"]

    for task in args.tasks:
        rates = take_turns(arms(task, args.seconds), play, args.rounds, task)
        for arm, found in rates.items():
            yield {"task": task, "arm": arm.play, "rates": found}


def table(data: report.Data) -> str:
    """A row for each arm: steps a second, and how many times as many ParallelPool makes."""
    results = {(result["task"], result["arm"]): result["rates"] for result in data["results"]}
    tasks = list(dict.fromkeys(result["task"] for result in data["results"]))
    rows = []
    for arm, (name, _) in _NAMES.items():
        row = [name]
        for task in tasks:
            rates = results.get((task, arm))
            if rates is None:
                row += ["", ""]
                continue
            ours = results.get((task, "parallel_pool"), rates)
            ratios = [a / b for a, b in zip(ours, rates, strict=True)]
            row += [f"{statistics.median(rates):,.0f}", f"x{statistics.median(ratios):.1f}"]
        if any(row[1:]):
            rows.append(row)
    headers = ["steps a second", *(text for task in tasks for text in (task, ""))]
    return report.table(headers, rows, text_columns=1)


def main() -> None:
    """Measures the arms of the command line and prints the table."""
    parser = report.parser("whole_loop", __doc__, f"tasks: {' '.join(TASKS)}", 4.0, draws=False)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--python", help="the Python of the environment with torch")
    args = parser.parse_args()
    data = report.collect(
        "whole_loop", parser, args, lambda: measure(args), lambda r: r["task"] in args.tasks
    )
    report.show(data, args, table)
