"""The table of EnvPool's paper on this machine: Pong and Ant, by seven ways to step envs.

Each arm plays in a process of its own, in turns. Its result is the best median over the numbers of
envs that the paper tries. `tools/bench.sh` makes both environments.
"""

import argparse
import dataclasses
import pathlib
import statistics
import sys
from collections.abc import Iterator
from typing import Any

from benchmark.frame import report
from benchmark.frame.rounds import play_arm, take_turns

_ARM = ["-I", "-W", "ignore", str(pathlib.Path(__file__).parents[1] / "peers/sample_factory.py")]
_RATIOS = (2.5, 2.6, 3, 4)  # envs for each thread of an async pool
# Rows of EnvPool's paper (arXiv 2206.10558): frames a second on 12, 32, 96 and 256 cores.
_PUBLISHED = {
    "Pong": {
        "a loop in Python": (4893, 7914, 3993, 4640),
        "AsyncVectorEnv": (15863, 47699, 46910, 71943),
        "Sample Factory 1, dummy sampler": (28216, 138847, 222327, 707494),
        "EnvPool, sync": (37396, 133824, 170380, 427851),
        "EnvPool, async": (49439, 200428, 359559, 891286),
    },
    "Ant": {
        "a loop in Python": (12861, 20298, 10474, 11569),
        "AsyncVectorEnv": (36586, 105432, 87403, 163656),
        "Sample Factory 1, dummy sampler": (62510, 309264, 461515, 1573262),
        "EnvPool, sync": (66622, 380950, 296681, 949787),
        "EnvPool, async": (105126, 582446, 887540, 2363864),
    },
}
_CORES = (12, 32, 96, 256)
_DELIVERS = {
    "a loop in Python": "each row",
    "AsyncVectorEnv": "batches",
    "Sample Factory 1, dummy sampler": "nothing: rows stay in its processes",
    "Sample Factory 2, sampler": "trajectories, for a policy of constants",
    "EnvPool, sync": "batches",
    "EnvPool, async": "batches",
    "ParallelPool, sync": "batches",
    "ParallelPool, async": "batches",
}


@dataclasses.dataclass(frozen=True)
class Arm:
    """One setting of one way to step envs: the argument of peers/sample_factory.py."""

    play: str  # a function of peers/sample_factory.py
    task: str
    num_envs: int
    seconds: float
    batch_size: int = 0
    num_threads: int = 0
    library: str = ""
    sample_factory_1: str = ""  # the folder of its package
    steps_per_second: float = 0.0  # of one worker, about: when the dummy sampler stops


def arms(task: str, cores: int, seconds: float, sample_factory_1: str) -> dict[str, list[Arm]]:
    """The settings of each row of the table."""
    steps = {"Pong": 1500.0, "Ant": 2500.0}[task]
    rows = {
        "a loop in Python": [Arm("loop", task, cores, seconds)],
        "AsyncVectorEnv": [Arm("processes", task, n, seconds) for n in (cores, 2 * cores)],
        "Sample Factory 1, dummy sampler": [
            Arm("dummy_sampler", task, cores, seconds, 0, 0, "", sample_factory_1, steps)
        ],
        "Sample Factory 2, sampler": [
            Arm("sampler", task, each * cores, seconds, num_threads=cores) for each in (2, 4, 8)
        ],
    }
    for name, library in (("EnvPool", "envpool"), ("ParallelPool", "parallel_pool")):
        sizes = {"sync": [(cores, cores)]}
        several = dict.fromkeys(int(cores * ratio) for ratio in _RATIOS)
        sizes["async"] = [(n, cores) for n in several]
        for mode, of in sizes.items():
            rows[f"{name}, {mode}"] = [
                Arm("pool", task, n, seconds, batch, cores, library) for n, batch in of
            ]
    return rows


def measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A result for each task and row of the table."""
    cores = args.cores or report.machine()["cores"]

    def play(arm: Arm) -> float:
        is_theirs = arm.play in ("dummy_sampler", "sampler")
        python = args.sample_factory if is_theirs else sys.executable
        return play_arm(_ARM, arm, python, limit=120 + 20 * arm.seconds)["frames"]

    for task in args.tasks:
        settings = arms(task, cores, args.seconds, args.sample_factory_1)
        every = [arm for of in settings.values() for arm in of]
        rates = take_turns(every, play, args.rounds, task)
        for name, of in settings.items():
            medians = {arm: statistics.median(rates[arm]) for arm in of if arm in rates}
            if medians:
                best = max(medians, key=lambda arm: medians[arm])
                yield {
                    "task": task,
                    "row": name,
                    "num_envs": best.num_envs,
                    "cores": cores,
                    "frames_per_second": medians[best],
                    "rounds": [{"num_envs": a.num_envs, "rates": rates[a]} for a in medians],
                }


def table(data: report.Data) -> str:
    """For each task the rows measured here, next to those of the paper."""
    texts = []
    for task in dict.fromkeys(result["task"] for result in data["results"]):
        results = [result for result in data["results"] if result["task"] == task]
        cores = results[0]["cores"]
        published = _PUBLISHED[task]
        rows = []
        for result in results:
            name = result["row"]
            paper = [f"{number:,}" for number in published.get(name, ())] or [""] * len(_CORES)
            speed = f"{result['frames_per_second']:,.0f}"
            rows.append([name, _DELIVERS[name], f"{result['num_envs']}", speed, *paper])
        headers = [task, "delivers", "envs", f"frames/s, {cores} cores here"]
        headers += [f"paper, {n} cores" for n in _CORES]
        texts.append(report.table(headers, rows, text_columns=2))
    return "\n\n".join(texts)


def main() -> None:
    """Measures the arms of the command line and prints the tables."""
    parser = report.parser("paper", __doc__, "tasks: Pong Ant", seconds=5.0, rounds=3, draws=False)
    parser.add_argument("--tasks", nargs="+", choices=["Pong", "Ant"], default=["Pong", "Ant"])
    parser.add_argument("--cores", type=report.positive, help="workers and threads; default: all")
    parser.add_argument("--sample-factory", help="the Python of Sample Factory's environment")
    parser.add_argument("--sample-factory-1", default="", help="the folder of Sample Factory 1")
    args = parser.parse_args()
    data = report.collect(
        "paper", parser, args, lambda: measure(args), lambda result: result["task"] in args.tasks
    )
    where, how = report.heading(data)
    print(f"{where}\n{how}, of the best number of envs\n\n{table(data)}")
