"""SAC and DQN of three libraries: with their own envs and buffers, and with ours.

16 envs, four updates after each of their steps, small networks on one thread. An arm is a process
of its own, and they take turns. The third form of each library has only the work of its networks:
no env steps and no buffer samples. The share of time that a form spends elsewhere is
1 - steps a second / those of the networks only.
"""

import dataclasses
import statistics
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from benchmark.frame import report
from benchmark.frame.rounds import play_arm, program, take_turns

_ARM = program("benchmark.peers.off_policy.__main__")
TASKS = {"HalfCheetah": "SAC, HalfCheetah-v5", "Pong": "DQN, Pong-v5"}
_LIBRARIES = {"sb3": "Stable-Baselines3", "tianshou": "Tianshou", "torchrl": "torchrl"}
_FORMS = ("own", "parallel_pool", "networks")


@dataclasses.dataclass(frozen=True)
class Arm:
    """The argument of peers/off_policy."""

    library: str
    task: str
    form: str
    seconds: float


def _measure(tasks: Sequence[str], rounds: int, seconds: float) -> Iterator[dict[str, Any]]:
    def play(arm: Arm) -> float:
        return play_arm(_ARM, arm, sys.executable, limit=120 + 10 * seconds)["rate"]

    for task in tasks:
        for library in _LIBRARIES:
            arms = [Arm(library, task, form, seconds) for form in _FORMS]
            rates = take_turns(arms, play, rounds, f"{task} {library}")
            found = {arm.form: each for arm, each in rates.items()}
            yield {"task": task, "library": library, "rates": found}


def table(data: report.Data) -> str:
    """A row for each task and library: steps a second, shares of time, and the ratio."""
    rows = []
    for result in data["results"]:
        rates = result["rates"]
        if len(rates) < len(_FORMS):
            continue  # a line has said which one was left out
        row = [TASKS[result["task"]], _LIBRARIES[result["library"]]]
        for form in ("own", "parallel_pool"):
            pairs = zip(rates[form], rates["networks"], strict=True)
            share = statistics.median(1 - rate / network for rate, network in pairs)
            row += [f"{statistics.median(rates[form]):,.0f}", f"{max(share, 0):.0%}"]
        pairs = zip(rates["parallel_pool"], rates["own"], strict=True)
        rows.append([*row, f"x{statistics.median(a / b for a, b in pairs):.2f}"])
    titles = ["", "library", "its own: steps/s", "elsewhere", "with ParallelPool", "elsewhere", ""]
    return report.table(titles, rows, text_columns=2)


def main() -> None:
    """Measures the tasks of the command line and prints the table."""
    parser = report.parser("off_policy", __doc__, f"tasks: {' '.join(TASKS)}", 6.0, draws=False)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    args = parser.parse_args()
    data = report.collect(
        "off_policy",
        parser,
        args,
        lambda: _measure(args.tasks, args.rounds, args.seconds),
        lambda result: result["task"] in args.tasks,
    )
    report.show(data, args, table)
