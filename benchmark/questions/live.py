"""The cost of looking at a run while it is recorded: record(view=True).

Each arm plays alone, in turns, because the view works in a process of its own.
"""

import dataclasses
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from benchmark.frame import report
from benchmark.frame.rounds import play_arm, program, take_turns
from benchmark.frame.steps import in_turn

_NAME = "live"
_WORKLOADS = {"CartPole-v1": 1024, "HalfCheetah-v5": 64}
_ARMS = ("plain", "recorded", "viewed")
_BEGIN = 5.0  # seconds before the clock starts, in which the viewer's server starts, too


@dataclasses.dataclass(frozen=True)
class Arm:
    """A pool: "plain", "recorded", or "viewed" while it is recorded."""

    name: str
    task: str
    num_envs: int
    seconds: float


def play() -> None:
    """Plays the arm of the command line alone; prints its steps of envs in a second."""
    import parallel_pool

    arm = Arm(**json.loads(sys.argv[-1]))
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        os.environ.pop(name, None)  # no window: the page of the viewer
    pool: Any = parallel_pool.make(arm.task, num_envs=arm.num_envs, seed=1)
    actions = in_turn(pool.action_space, arm.num_envs)
    with tempfile.TemporaryDirectory() as folder:
        if arm.name != "plain":
            pool.record(f"{folder}/run.ppr", view=arm.name == "viewed")
        pool.reset()
        _step(pool, actions, _BEGIN)
        rate = arm.num_envs * _step(pool, actions, arm.seconds) / arm.seconds
        pool.close()
    print(json.dumps({"rate": rate}, allow_nan=False))


def _step(pool: Any, actions: Iterator[Any], seconds: float) -> int:
    """Steps for so long; returns how often."""
    steps, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        pool.step(next(actions))
        steps += 1
    return steps


def measure(rounds: int, seconds: float) -> Iterator[dict[str, Any]]:
    """A result for each task and arm."""
    words = program(__name__, "play")
    for task, num_envs in _WORKLOADS.items():
        arms = [Arm(name, task, num_envs, seconds) for name in _ARMS]

        def alone(arm: Arm) -> float:
            return play_arm(words, arm, sys.executable, limit=60 + 10 * arm.seconds)["rate"]

        for arm, rates in take_turns(arms, alone, rounds, task).items():
            yield {"task": f"{task}:{num_envs}", "arm": arm.name, "rates": rates}


def table(data: report.Data) -> str:
    """A row for each arm: steps a second, and how many times those of the recorded pool."""
    of = {(r["task"], r["arm"]): r["rates"] for r in data["results"]}
    rows = []
    for (task, arm), rates in of.items():
        ratio = statistics.median(a / b for a, b in zip(rates, of[task, "recorded"], strict=True))
        rows.append([task, arm, f"{statistics.median(rates):,.0f}", f"x{ratio:.3f}"])
    return report.table(["workload", "pool", "steps/s", "to recorded"], rows, text_columns=2)


def main() -> None:
    """Measures or reads the workloads, and prints the table."""
    report.main(_NAME, __doc__, measure, table, seconds=8.0, rounds=7)
