"""A figure of ratios: how many times better ParallelPool is than each peer."""

import dataclasses
import math
import statistics
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from benchmark.frame import report

OURS = "parallel_pool"
# The names of the peers in figures and in the tables of the README.
NAMES = {
    "envpool": "EnvPool",
    "ale_vector": "ale-py's AtariVectorEnv",
    "gymnasium_make": "Gymnasium's make, one env",
    "gymnasium_sync": "Gymnasium's SyncVectorEnv",
    "gymnasium_async": "Gymnasium's AsyncVectorEnv",
    "gymnasium_robotics": "Gymnasium-Robotics in SyncVectorEnv",
    "gymnasium_vector": "Gymnasium's NumPy CartPole",
    "mj_step": "mujoco.mj_step alone",
    "mpe2": "mpe2's loop in Python",
    "lbforaging": "lbforaging's loop in Python",
    "rware": "rware's loop in Python",
    "mamujoco": "mamujoco_v1's loop in Python",
    "metaworld": "MetaWorld in SyncVectorEnv",
    "ogbench": "OGBench in SyncVectorEnv",
    "highway_env": "highway-env in SyncVectorEnv",
    "nle": "nle's loop in Python",
    "nle_async": "nle in AsyncVectorEnv",
    "pettingzoo": "PettingZoo's loop in Python",
    "pettingzoo_atari": "PettingZoo's and SuperSuit's loop in Python",
    "vizdoom": "vizdoom in SyncVectorEnv",
    "python_loop": "a plain loop in Python",
    "python_batches": "a loop in Python that stacks its rows",
    "sb3_subproc": "SB3's SubprocVecEnv",
    "tianshou_shmem": "Tianshou's ShmemVectorEnv",
    "pufferlib": "PufferLib's Multiprocessing",
}
_COLORS = {"envpool": "#f0883e", "ale_vector": "#2da44e", "mj_step": "#8250df"}
_OTHER_COLOR = "#54aeff"  # Gymnasium's
_COLUMNS = 2


@dataclasses.dataclass(frozen=True)
class Panel:
    """One topic, such as the speed of a family.

    Attributes:
        title: the topic, and the unit of the ratios.
        ratios: for each peer, one ratio for each thing that was measured; above 1 means that
            ParallelPool is better.
    """

    title: str
    ratios: dict[str, list[float]]

    def medians(self) -> dict[str, float]:
        """The median of each peer's ratios."""
        return {peer: statistics.median(of) for peer, of in self.ratios.items()}

    def next_peer(self, first: str) -> tuple[str, float] | None:
        """The strongest peer but for `first`, by its median."""
        others = {peer: median for peer, median in self.medians().items() if peer != first}
        return min(others.items(), key=lambda of: of[1]) if others else None


def shown(ratio: float) -> str:
    """The ratio with two digits, or all digits before the point."""
    return f"x{ratio:,.{1 if ratio < 10 else 0}f}"


def draw(title: str, data: report.Data, panels: Sequence[Panel]) -> Figure:
    """A bar for each peer up to the median; a line from the least to the greatest ratio."""
    if not panels:
        drawing = report.figure(title, data, height=1.2)
        drawing.text(0.012, 0.2, "No peer was measured.", size=9)
        return drawing
    columns = min(_COLUMNS, len(panels))
    lines = [
        max(len(panel.ratios) for panel in panels[k : k + columns])
        for k in range(0, len(panels), columns)
    ]
    height = 0.8 + sum(0.75 + 0.26 * line for line in lines)
    drawing = report.figure(title, data, height)
    meaning = "log scale; bar: median of the tasks; line: from the least to the greatest"
    drawing.text(
        0.988, 1 - 0.36 / height, meaning, size=7.5, color=report.GRAY, ha="right", va="top"
    )
    grid = drawing.subplots(
        len(lines), columns, squeeze=False, height_ratios=[n + 2 for n in lines]
    )
    for k, axes in enumerate(grid.flat):
        if k < len(panels):
            _draw(axes, panels[k], lines[k // columns])
        else:
            axes.remove()
    return drawing


def draw_summary(title: str, data: report.Data, panels: Sequence[Panel], first: str) -> Figure:
    """One axis: a bar for each panel up to the median of `first`, a dot for the next peer."""
    height = 1.0 + 0.32 * len(panels)
    drawing = report.figure(title, data, height)
    axes = drawing.subplots()
    for k, panel in enumerate(panels):
        bar, dot = panel.medians().get(first), panel.next_peer(first)
        if bar is not None:
            axes.barh(k, bar - 1, 0.62, left=1, color=_COLORS[first])
            # Behind the dot, if it is where the text would be.
            end = dot[1] * 1.04 if dot is not None and bar * 0.95 < dot[1] < bar * 1.5 else bar
            axes.text(end * 1.06, k, shown(bar), size=9, weight="bold", va="center_baseline")
        if dot is not None:
            axes.plot(dot[1], k, "o", color=_OTHER_COLOR, markersize=6, zorder=3)
    axes.set_xscale("log")
    axes.set_xlim(right=axes.get_xlim()[1] * 1.6)
    _tidy(axes, _powers(axes.get_xlim()[1]), [p.title.partition(":")[0] for p in panels])
    axes.set_ylim(len(panels) - 0.4, -0.6)
    bars = Patch(color=_COLORS[first], label=NAMES[first])
    dots = Line2D([], [], marker="o", linestyle="", color=_OTHER_COLOR, label="the next peer")
    below_the_title = (1.0, 1 - 0.22 / height)
    where: Any = {"loc": "upper right", "bbox_to_anchor": below_the_title, "ncols": 2}
    drawing.legend(handles=[bars, dots], **where, frameon=False, fontsize=9)
    return drawing


def _draw(axes: Axes, panel: Panel, bars: int) -> None:
    """Draws a panel that has room for `bars`."""
    low = min(1.0, *(min(of) for of in panel.ratios.values()))
    high = max(2.0, *(max(of) for of in panel.ratios.values()))
    for k, (peer, median) in enumerate(panel.medians().items()):
        of = panel.ratios[peer]
        axes.barh(k, median - 1, 0.7, left=1, color=_COLORS.get(peer, _OTHER_COLOR))
        if len(of) > 1:
            axes.plot([min(of), max(of)], [k, k], color=report.GRAY, linewidth=1)
        end = max(1.0, *of, median) * (high / low) ** 0.03
        axes.text(end, k, shown(median), size=9, weight="bold", va="center_baseline")
    axes.set_xscale("log")
    ticks = _powers(high) if high >= 10 else [1, 2, 5]
    _tidy(axes, ticks, [NAMES.get(peer, peer) for peer in panel.ratios])
    axes.set_xlim(low, high * (high / low) ** 0.3)
    axes.set_ylim(bars - 0.4, -0.6)
    axes.set_title(panel.title, loc="left", size=10, weight="bold")


def _powers(high: float) -> list[int]:
    return [10**power for power in range(math.floor(math.log10(high)) + 1)]


def _tidy(axes: Axes, ticks: Sequence[int], names: Sequence[str]) -> None:
    """A log axis of ratios, with a line at 1 and a name for each bar."""
    axes.axvline(1, color=report.GRAY, linewidth=0.8)
    axes.set_xticks(ticks, [f"x{tick:,}" for tick in ticks])
    axes.set_yticks(range(len(names)), names)
    axes.minorticks_off()
    report.tidy(axes)
    axes.spines["bottom"].set_visible(False)
