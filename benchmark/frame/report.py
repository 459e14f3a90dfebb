"""Common parts of the questions: options, files, tables and figures."""

import argparse
import datetime
import difflib
import fnmatch
import json
import math
import os
import pathlib
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from tabulate import tabulate

WIDTH = 9.0  # width of a figure, in inches: 900 pixels, drawn at twice that
DPI = 200
GRAY = "#57606a"

# The content of a file of --json: benchmark, machine, rounds, seconds, results.
Data = dict[str, Any]


def machine() -> dict[str, Any]:
    """The machine, the versions and the date, on which the numbers depend."""
    cpu = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    return {
        "cpu": cpu,
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "date": datetime.date.today().isoformat(),
    }


def heading(data: Data) -> tuple[str, str]:
    """Two lines of text: the machine and the date; the meaning of the numbers."""
    about = data["machine"]
    cores = f"{about['cores']} core{'' if about['cores'] == 1 else 's'}"
    where = f"{about['cpu']}, {cores}, Python {about['python']}, {about['date']}"
    times = "1 round" if data["rounds"] == 1 else f"{data['rounds']} rounds"
    length = f" of {data['seconds']:g} s" if data["seconds"] else ""
    return where, f"medians of {times}{length}"


def output(text: str) -> pathlib.Path:
    """The argument of an option for an output file; checked now, because the run is long."""
    path = pathlib.Path(text)
    if not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {path.parent}")
    return path


def picture(text: str) -> pathlib.Path:
    """The argument of an option for a figure."""
    path = output(text)
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise argparse.ArgumentTypeError(f"{path.name} must end in .png, .svg or .pdf")
    return path


def positive(text: str) -> int:
    """The argument of an option that counts from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 on")
    return int(text)


def duration(text: str) -> float:
    """The argument of an option in seconds."""
    seconds = float(text)  # argparse reports a ValueError
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return seconds


def parser(
    benchmark: str,
    description: str | None,
    known: str,
    seconds: float,
    rounds: int = 5,
    *,
    draws: bool = True,
) -> argparse.ArgumentParser:
    """A parser with the common options.

    Args:
        benchmark: the name of the question.
        description: what it measures.
        known: a list of the names that can be selected.
        seconds: default length of a round; 0: rounds end by themselves.
        rounds: default number of rounds.
        draws: whether it can draw its results.
    """
    made = argparse.ArgumentParser(
        prog=f"python -m benchmark {benchmark}",
        description=description,
        epilog=known,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--rounds", type=positive, default=rounds)
    if seconds:
        help_text = "of each peer in a round"
        made.add_argument("--seconds", type=duration, default=seconds, help=help_text)
    else:
        made.set_defaults(seconds=0)
    made.add_argument("--json", type=output, metavar="FILE", help="write all rounds to FILE")
    if draws:
        made.add_argument("--plot", type=picture, metavar="FILE.png", help="draw the results")
    made.add_argument(
        "--from-json",
        type=pathlib.Path,
        metavar="FILE",
        help="show the results that --json wrote to FILE, and measure nothing",
    )
    return made


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns, as in a shell, matches the name."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def load(file: pathlib.Path, benchmark: str) -> Data:
    """The results that `benchmark` wrote to `file`; ValueError if it did not write the file."""
    try:
        data: Data = json.loads(file.read_text())
        if data["benchmark"] == benchmark:
            return data
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError):
        pass
    raise ValueError(f"{file} was not written by --json of `python -m benchmark {benchmark}`")


def collect(
    benchmark: str,
    options: argparse.ArgumentParser,
    args: argparse.Namespace,
    run: Callable[[], Iterable[Any]],
    keep: Callable[[Any], bool],
) -> Data:
    """The results of run(), or the selected ones of an earlier run; exits if there are none.

    Writes the file of --json after each result, because a run takes hours and may be interrupted.
    """
    if args.from_json:
        try:
            data = load(args.from_json, benchmark)
        except ValueError as error:
            options.error(str(error))
        data["results"] = [result for result in data["results"] if keep(result)]
    else:
        data = {
            "benchmark": benchmark,
            "machine": machine(),
            "rounds": args.rounds,
            "seconds": args.seconds,
            "results": [],
        }
        try:
            for result in run():
                data["results"].append(result)
                _write(data, args)
        except KeyboardInterrupt:
            if args.json and data["results"]:
                kept = f"{len(data['results'])} results are in {args.json}; --from-json shows them"
                print(f"{options.prog}: interrupted: {kept}", file=sys.stderr)
            sys.exit(130)
    if not data["results"]:
        options.error(_no_such_name(options, args))
    _write(data, args)
    return data


def _no_such_name(options: argparse.ArgumentParser, args: argparse.Namespace) -> str:
    """An error for names of the command line that select nothing."""
    given = {key: value for key, value in vars(args).items() if value != options.get_default(key)}
    names = [str(name) for value in given.values() if isinstance(value, list) for name in value]
    known = str(options.epilog).split()
    near = [near for name in names for near in difflib.get_close_matches(name, known, n=2)]
    meant = f"; did you mean {' or '.join(dict.fromkeys(near))}?" if near else "."
    return f"there is nothing for {' '.join(names)}{meant} --help lists all names"


def _write(data: Data, args: argparse.Namespace) -> None:
    """Writes the file of --json in one go, so that Ctrl-C leaves no half of it."""
    if args.json:
        part = args.json.with_name(args.json.name + ".part")
        part.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n")
        part.replace(args.json)


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int) -> str:
    """A Markdown table; all but the first `text_columns` are numbers."""
    align = ["left"] * text_columns + ["right"] * (len(headers) - text_columns)
    return tabulate(rows, headers, tablefmt="pipe", colalign=align, disable_numparse=True)


def figure(title: str, data: Data, height: float) -> Figure:
    """An empty figure, `height` inches high, with a title, the machine and the date."""
    below = ConstrainedLayoutEngine(rect=(0, 0, 1, 1 - 0.62 / height))
    drawing = Figure(figsize=(WIDTH, height), dpi=DPI, layout=below)
    drawing.text(0.012, 1 - 0.12 / height, title, size=13, weight="bold", va="top")
    subtitle = "\n".join(heading(data))
    drawing.text(0.012, 1 - 0.36 / height, subtitle, size=7.5, color=GRAY, va="top")
    return drawing


def tidy(axes: Axes) -> None:
    """Formats a panel with bars: lines at the values, but no ticks and no frame."""
    axes.tick_params(which="both", length=0, labelsize=8)
    axes.grid(axis="x", color="#d0d7de", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)


def show(
    data: Data,
    args: argparse.Namespace,
    tabulated: Callable[[Data], str],
    drawn: Callable[[Data], Figure] | None = None,
) -> None:
    """Prints the table, and draws the figure of --plot."""
    where, what = heading(data)
    print(f"{where}\n{what}\n\n{tabulated(data)}")
    if drawn and args.plot:
        drawn(data).savefig(args.plot)


def main(
    benchmark: str,
    description: str | None,
    measure: Callable[[int, float], Iterable[Any]],
    tabulated: Callable[[Data], str],
    *,
    seconds: float,
    rounds: int = 5,
) -> None:
    """A question without options of its own: measures or reads the results, and prints the table.

    Args:
        benchmark: the name of the question.
        description: what it measures.
        measure: the results of so many rounds of so many seconds.
        tabulated: the table of the results.
        seconds: default length of a round.
        rounds: default number of rounds.
    """
    options = parser(benchmark, description, "", seconds, rounds, draws=False)
    args = options.parse_args()
    data = collect(
        benchmark, options, args, lambda: measure(args.rounds, args.seconds), lambda _: True
    )
    show(data, args, tabulated)
