"""The table and the figure of throughput.py."""

import itertools
import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from benchmark import report

_OURS = "parallel_pool"
_OUR_COLOR = "#0969da"
_COLORS = ("#f0883e", "#2da44e", "#8250df", "#bf8700", "#6e7781", "#cf6a87", "#54aeff")
_PANEL = 6  # the most workloads side by side
_GROUP = 0.84  # width of a workload's bars, as a part of the distance between workloads

Speeds = dict[str, dict[str, float]]  # steps/s by workload and peer


def table(data: report.Data) -> str:
    """A row for each result; the last column is the speed of parallel_pool over the peer's."""
    results = data["results"]
    ours = {r["workload"]: r["steps_per_second"] for r in results if r["peer"] == _OURS}
    rows = []
    for r in results:
        speed = r["steps_per_second"]
        frames = f"{speed * r['frame_skip']:,.0f}" if r["frame_skip"] > 1 else ""
        cpu = f"{r['cpu_microseconds_per_step']:,.2f}"
        ratio = f"x{ours[r['workload']] / speed:.2f}" if r["workload"] in ours else ""
        rows.append([r["workload"], r["peer"], f"{speed:,.0f}", frames, cpu, ratio])
    headers = ["workload", "peer", "steps/s", "frames/s", "CPU us/step", "parallel_pool is"]
    return report.table(headers, rows, text_columns=2)


def plot(data: report.Data) -> Figure:
    """Bars of steps/s; the numbers over ours are the ratio to the best peer."""
    speeds: Speeds = {}
    for r in data["results"]:
        speeds.setdefault(r["workload"], {})[r["peer"]] = r["steps_per_second"]
    peers = list(dict.fromkeys(r["peer"] for r in data["results"]))
    colors = dict(zip([p for p in peers if p != _OURS], itertools.cycle(_COLORS), strict=False))
    colors[_OURS] = _OUR_COLOR

    panels = _panels(list(speeds))
    title = "Env steps per second, on a log scale; above ours: times the best peer's"
    drawing = report.figure(title, data, height=1.1 + 2.5 * len(panels))
    for axes, names in zip(drawing.subplots(len(panels), squeeze=False)[:, 0], panels, strict=True):
        _draw(axes, {name: speeds[name] for name in names}, colors)
    handles = [drawing.axes[0].bar(0, 0, color=colors[peer], label=peer) for peer in peers]
    drawing.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return drawing


def _panels(names: list[str]) -> list[list[str]]:
    """The workloads of each panel; those of one task stay together if they fit."""
    panels: list[list[str]] = [[]]
    for _, group in itertools.groupby(names, lambda name: name.split(":")[0]):
        task = list(group)
        if panels[-1] and len(panels[-1]) + len(task) > _PANEL:
            panels.append([])
        for name in task:
            if len(panels[-1]) == _PANEL:
                panels.append([])
            panels[-1].append(name)
    return panels


def _draw(axes: Axes, speeds: Speeds, colors: dict[str, str]) -> None:
    width = _GROUP / max(len(of_peers) for of_peers in speeds.values())
    for k, of_peers in enumerate(speeds.values()):
        for i, (peer, speed) in enumerate(of_peers.items()):
            x = k + (i - (len(of_peers) - 1) / 2) * width
            axes.bar(x, speed, width * 0.94, color=colors[peer])
            if peer == _OURS and len(of_peers) > 1:
                best = max(v for p, v in of_peers.items() if p != _OURS)
                ratio = f"x{speed / best:.{0 if speed >= 10 * best else 1}f}"
                style = {"color": _OUR_COLOR, "size": 9, "weight": "bold"}
                axes.text(x, speed * 1.15, ratio, style, ha="center")
    every = [speed for of_peers in speeds.values() for speed in of_peers.values()]
    axes.set_yscale("log")
    axes.set_ylim(10 ** math.floor(math.log10(min(every) / 2)), max(every) * 2.5)
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_xticks(range(len(speeds)), list(speeds))
    axes.set_xlim(-0.5, len(speeds) - 0.5)
    report.tidy(axes)
