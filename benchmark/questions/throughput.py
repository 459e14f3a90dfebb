"""The steps per second of ParallelPool and its peers.

Each peer of a workload has its own process. The peers take turns in rounds, so that other work of
the machine slows all of them down. The table shows medians over the rounds.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.figure import Figure

from benchmark.frame import report
from benchmark.frame.ratios import OURS, Panel, draw
from benchmark.frame.rounds import compare
from benchmark.peers.native import PEERS, without_missing
from benchmark.peers.workloads import POOLS, Workload, all_workloads, with_threads

_NAME = "throughput"


def _measure(
    chosen: list[tuple[Workload, list[str]]], rounds: int, seconds: float
) -> Iterator[dict[str, Any]]:
    """A result for each workload and peer."""
    loads = {load.name: load for load, _ in chosen}
    compared = {load.name: [load.peer(name) for name in peers] for load, peers in chosen}
    for name, peer, found in compare(compared, rounds, seconds):
        of = {"workload": name, "family": loads[name].family, "peer": peer}
        yield {**of, "frame_skip": loads[name].frame_skip, **found}


def _ours(results: list[Any]) -> dict[str, float]:
    """The steps/s of parallel_pool by workload."""
    return {r["workload"]: r["steps_per_second"] for r in results if r["peer"] == OURS}


def table(data: report.Data) -> str:
    """A row for each result; the last column is the speed of parallel_pool over the peer's."""
    results = data["results"]
    ours = _ours(results)
    rows = []
    for r in results:
        speed = r["steps_per_second"]
        frames = f"{speed * r['frame_skip']:,.0f}" if r["frame_skip"] > 1 else ""
        cpu = f"{r['cpu_microseconds_per_step']:,.2f}"
        ratio = f"x{ours[r['workload']] / speed:.2f}" if r["workload"] in ours else ""
        rows.append([r["workload"], r["peer"], f"{speed:,.0f}", frames, cpu, ratio])
    headers = ["workload", "peer", "steps/s", "frames/s", "CPU us/step", "parallel_pool is"]
    return report.table(headers, rows, text_columns=2)


def panels(data: report.Data) -> list[Panel]:
    """For each family, parallel_pool's steps/s over each peer's, over all workloads.

    Results of one family have a panel for each workload.
    """
    ours = _ours(data["results"])
    found: dict[str, dict[str, list[float]]] = {}
    topic = "family" if len({r["family"] for r in data["results"]}) > 1 else "workload"
    for r in data["results"]:
        if r["peer"] != OURS and r["workload"] in ours:
            ratios = found.setdefault(r[topic], {}).setdefault(r["peer"], [])
            ratios.append(ours[r["workload"]] / r["steps_per_second"])
    return [Panel(f"{family}: steps a second", ratios) for family, ratios in found.items()]


def plot(data: report.Data) -> Figure:
    """Bars of the ratios, in a panel for each family."""
    return draw("Speed: ParallelPool's steps a second over the peer's", data, panels(data))


def _parser(chosen: Sequence[str]) -> argparse.ArgumentParser:
    names = " ".join(load.name for load in all_workloads())
    known = f"workloads: {names}\npeers: {' '.join(PEERS)}"
    parser = report.parser(_NAME, __doc__, known, seconds=2.0)
    parser.add_argument("--workloads", nargs="+", default=list(chosen), help="names or patterns")
    parser.add_argument("--peers", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument(
        "--threads",
        nargs="+",
        type=report.positive,
        metavar="N",
        help=f"run {' and '.join(POOLS)} with num_threads=N; default: their own choice",
    )
    return parser


def main(workloads: Sequence[str] = ("*",)) -> None:
    """Measures or reads the workloads of the command line, and shows the results."""
    parser = _parser(workloads)
    args = parser.parse_args()

    def wanted(workload: str) -> bool:  # compares the name with and without threads
        return any(report.matches(name, args.workloads) for name in (workload, workload.split()[0]))

    def run() -> Iterator[dict[str, Any]]:
        loads = all_workloads()
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
    report.show(data, args, table, plot)
