"""The table and the figure of throughput.py."""

from typing import Any

from matplotlib.figure import Figure

from benchmark import report
from benchmark.ratios import OURS, Panel, draw


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
