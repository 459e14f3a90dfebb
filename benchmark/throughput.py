"""Measures steps per second of ParallelPool and its peers, in turns on one machine.

Each peer of a workload has its own process. The peers take turns in rounds, so that other work of
the machine slows all of them down. The table shows medians over the rounds.
"""

import argparse
import importlib.util
from collections.abc import Iterator, Sequence
from typing import Any

from tqdm import tqdm

from benchmark import report, throughput_report
from benchmark.peers import MODULES, PEERS
from benchmark.rounds import measure, medians
from benchmark.workloads import POOLS, Workload, with_threads, workloads

_NAME = "throughput"


def _measure(
    chosen: list[tuple[Workload, list[str]]], rounds: int, seconds: float
) -> Iterator[dict[str, Any]]:
    """A result for each workload and peer."""
    total = rounds * sum(len(peers) for _, peers in chosen)
    with tqdm(total=total, unit="run", disable=None) as bar:
        for load, peers in chosen:
            compared = [load.peer(name) for name in peers]
            for peer, runs in zip(
                peers, measure(load.name, compared, rounds, seconds, bar), strict=True
            ):
                of = {"workload": load.name, "family": load.family, "peer": peer}
                yield {**of, "frame_skip": load.frame_skip, **medians(runs)}


def without_missing(peers: Sequence[str]) -> list[str]:
    """The peers that are installed; prints a line for each of the others."""
    missing = [p for p in peers if p in MODULES and not importlib.util.find_spec(MODULES[p])]
    for peer in missing:
        print(f"{peer} is skipped: {MODULES[peer]} is not installed", flush=True)
    return [peer for peer in peers if peer not in missing]


def _parser() -> argparse.ArgumentParser:
    names = " ".join(load.name for load in workloads())
    known = f"workloads: {names}\npeers: {' '.join(PEERS)}"
    parser = report.parser(_NAME, __doc__, known, seconds=2.0)
    parser.add_argument("--workloads", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument("--peers", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument(
        "--threads",
        nargs="+",
        type=report.positive,
        metavar="N",
        help=f"run {' and '.join(POOLS)} with num_threads=N; default: their own choice",
    )
    return parser


def main() -> None:
    """Measures or reads the workloads of the command line, and shows the results."""
    parser = _parser()
    args = parser.parse_args()

    def wanted(workload: str) -> bool:  # compares the name with and without threads
        return any(report.matches(name, args.workloads) for name in (workload, workload.split()[0]))

    def run() -> Iterator[dict[str, Any]]:
        loads = workloads()
        if args.threads:
            loads = [each for load in loads for each in with_threads(load, args.threads)]
        loads = [load for load in loads if wanted(load.name)]
        named = [p for p in PEERS if any(p in load.peers for load in loads)]
        installed = without_missing([p for p in named if report.matches(p, args.peers)])
        chosen = [(load, [p for p in load.peers if p in installed]) for load in loads]
        return _measure(chosen, args.rounds, args.seconds)

    def keep(result: Any) -> bool:
        return wanted(result["workload"]) and report.matches(result["peer"], args.peers)

    data = report.collect(_NAME, parser, args, run, keep)
    report.show(data, args, throughput_report.table, throughput_report.plot)


if __name__ == "__main__":
    main()
