"""The table and the figure of scaling.py."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter

from benchmark import report

_COLOR = "#54aeff"
_COLUMNS = 2
# The fields of a setup, and their headings in the table. The first that varies in a sweep is its x.
_FIELDS = {
    "num_threads": "threads",
    "num_envs": "envs",
    "batch_size": "batch",
    "row_bytes": "row bytes",
    "spin_us": "step us",
    "pools": "pools",
}


def _cell(result: Any, field: str) -> str:
    value = result[field]
    return f"{value:g}" if isinstance(value, float) else str(value)


def table(data: report.Data) -> str:
    """A row for each setup."""
    rows = []
    for r in data["results"]:
        speed, cpu = r["steps_per_second"], r["cpu_microseconds_per_step"]
        numbers = [f"{speed:,.0f}", f"{r['efficiency']:.1%}", f"{cpu:,.2f}"]
        rows.append([r["sweep"], *(_cell(r, field) for field in _FIELDS), *numbers])
    headers = ["sweep", *_FIELDS.values(), "steps/s", "efficiency", "CPU us/step"]
    return report.table(headers, rows, text_columns=1)


def plot(data: report.Data) -> Figure:
    """A panel for each sweep: bars of efficiency, and steps/s above them."""
    sweeps: dict[str, list[Any]] = {}
    for r in data["results"]:
        sweeps.setdefault(r["sweep"], []).append(r)
    lines = -(-len(sweeps) // _COLUMNS)
    title = "Efficiency: time in envs, of the threads' time; above: env steps per second"
    drawing = report.figure(title, data, height=0.8 + 2.2 * lines)
    grid = drawing.subplots(lines, _COLUMNS, squeeze=False, sharey=True).flat
    for axes in grid[len(sweeps) :]:
        axes.set_visible(False)
    for axes, (sweep, results) in zip(grid, sweeps.items(), strict=False):
        _draw(axes, sweep, results)
    return drawing


def _draw(axes: Axes, sweep: str, results: list[Any]) -> None:
    vary = [field for field in _FIELDS if len({str(r[field]) for r in results}) > 1]
    field = vary[0] if vary else next(iter(_FIELDS))
    bars = axes.bar(range(len(results)), [r["efficiency"] for r in results], 0.8, color=_COLOR)
    short = EngFormatter(places=1, sep="")
    labels = [short(r["steps_per_second"]) for r in results]
    axes.bar_label(bars, labels, padding=2, fontsize=8)
    axes.set_xticks(range(len(results)), [_cell(r, field) for r in results])
    axes.set_xlabel(_FIELDS[field], fontsize=8)
    axes.set_title(sweep, loc="left", fontsize=9, weight="bold")
    axes.set_ylim(0, 1.15)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    report.tidy(axes)
