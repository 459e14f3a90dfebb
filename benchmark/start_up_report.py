"""The table and the figure of start_up.py."""

from typing import Any

from matplotlib.figure import Figure

from benchmark import report
from benchmark.ratios import OURS, Panel, draw


def _ours(data: report.Data) -> dict[str, Any]:
    """The results of parallel_pool by task."""
    return {r["task"]: r for r in data["results"] if r["peer"] == OURS}


def table(data: report.Data) -> str:
    """A row for each result; the last two columns are the peer's numbers over parallel_pool's."""
    ours = _ours(data)
    rows = []
    for r in data["results"]:
        own = ours.get(r["task"])
        ratios = [f"x{r[f] / own[f]:.2f}" if own else "" for f in ("seconds", "kib_per_env")]
        numbers = [f"{r['seconds']:.3f}", f"{r['kib_per_env']:,.1f}", *ratios]
        rows.append([r["task"], r["peer"], f"{r['num_envs']:,}", *numbers])
    headers = ["task", "peer", "envs", "seconds", "KiB an env", "times the seconds"]
    return report.table([*headers, "times the memory"], rows, text_columns=2)


def panels(data: report.Data) -> list[Panel]:
    """Start-up time and memory: the peer's numbers over parallel_pool's, over all tasks."""
    ours = _ours(data)
    titles = {
        "seconds": "Start-up: make and reset",
        "kib_per_env": "Memory of an env",
    }
    made = []
    for field, title in titles.items():
        ratios: dict[str, list[float]] = {}
        for r in data["results"]:
            if r["peer"] != OURS and r["task"] in ours:
                ratios.setdefault(r["peer"], []).append(r[field] / ours[r["task"]][field])
        if ratios:
            made.append(Panel(title, ratios))
    return made


def plot(data: report.Data) -> Figure:
    """Bars of the ratios."""
    return draw("Start-up and memory: the peer's over ParallelPool's", data, panels(data))
