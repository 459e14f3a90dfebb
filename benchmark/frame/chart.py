"""Draws the charts and fills in the numbers of the pages, from two files of results.

Usage: python -m benchmark.frame.chart THROUGHPUT.json START_UP.json

The files are those of `--json` of the questions `throughput` and `start_up`. `make chart` measures
them and calls this program. A page has its numbers between <!-- results: NAME --> and
<!-- end of NAME -->. The certificate of a release has all tables (`--out`).
"""

import argparse
import itertools
import pathlib
import re
import textwrap

from benchmark.frame import report
from benchmark.frame.ratios import NAMES, OURS, Panel, draw, draw_summary, shown
from benchmark.questions import start_up as start_up_question
from benchmark.questions import throughput as throughput_question

_ROOT = pathlib.Path(__file__).parents[2]
_CHART = "benchmark/chart.png"  # a panel for each family
_SUMMARY = "benchmark/summary.png"  # one axis, for the README
# The pages with numbers, below the checkout.
_PAGES = (
    "README.md",
    "benchmark/*.md",
    "docs/certificate.md",
    "parallel_pool/envs/**/README.md",
)
_POOL = "envpool"  # the peer with a column of its own, and of the sentence about start-up
_TASK = "Pong-v5"  # the task of that sentence
# The workloads of the sentence about speed, and what it calls their steps.
_SPEEDS = {
    "CartPole-v1:1024": "steps of `CartPole-v1` (1,024 envs)",
    "Pong-v5:16": "frames of `Pong-v5` (16)",
    "HalfCheetah-v5:16": "steps of `HalfCheetah-v5` (16)",
}


def ratios(throughput: report.Data, start_up: report.Data) -> str:
    """A row for each panel, with the median for each peer."""
    rows = []
    for panel in _panels(throughput, start_up):
        medians = {peer: shown(ratio) for peer, ratio in panel.medians().items()}
        first = medians.pop(_POOL, "")
        others = "; ".join(f"{NAMES[peer]} {ratio}" for peer, ratio in medians.items())
        rows.append([panel.title, first, others])
    headers = ["ParallelPool against", NAMES[_POOL], "other peers"]
    return report.table(headers, rows, text_columns=3)


def summary(throughput: report.Data, start_up: report.Data) -> str:
    """A row for each panel, with the median for EnvPool and for the strongest of the others."""
    rows = []
    for panel in _panels(throughput, start_up):
        first, other = panel.medians().get(_POOL), panel.next_peer(_POOL)
        name, ratio = (NAMES[other[0]], shown(other[1])) if other else ("", "")
        rows.append([panel.title.partition(":")[0], shown(first) if first else "", ratio, name])
    return report.table(["", NAMES[_POOL], "the next peer", "which is"], rows, text_columns=4)


def _panels(throughput: report.Data, start_up: report.Data) -> list[Panel]:
    return [*throughput_question.panels(throughput), *start_up_question.panels(start_up)]


def speed_sentence(throughput: report.Data) -> str:
    """Steps or frames a second of a few workloads, and the machine."""
    found = {r["workload"]: r for r in throughput["results"] if r["peer"] == OURS}
    speeds = [
        f"{_two_digits(found[load]['steps_per_second'] * found[load]['frame_skip'])} {what}"
        for load, what in _SPEEDS.items()
        if load in found
    ]
    about = throughput["machine"]
    text = f"In a second, on {about['cores']} cores of {about['cpu']}: {', '.join(speeds)}."
    return textwrap.fill(text, 100)


def _two_digits(number: float) -> str:
    """The number, rounded to two digits: 29,581,617 is 30,000,000."""
    return f"{float(f'{number:.1e}'):,.0f}"


def start_up_sentence(start_up: report.Data) -> str:
    """The seconds and the memory of many envs of one task, here and in EnvPool."""
    found = {r["peer"]: r for r in start_up["results"] if r["task"] == _TASK}
    ours, theirs = found[OURS], found[_POOL]
    text = (
        f"{ours['num_envs']:,} envs of `{_TASK}` are made and reset in {ours['seconds']:.1f} s, by "
        f"EnvPool in {theirs['seconds']:.0f} s. One of them takes {ours['kib_per_env']:,.0f} KiB "
        f"of memory, in EnvPool {theirs['kib_per_env']:,.0f} KiB."
    )
    return textwrap.fill(text, 100)


def speed_table(data: report.Data, family: str) -> str:
    """The machine, and a row for each task of a family: its speed relative to each peer's.

    A column is a peer and a shape of pool; the first has the steps a second of the first shape.
    """
    results = [r for r in data["results"] if r["family"] == family]
    rates: dict[str, dict[tuple[str, str], float]] = {}
    for r in results:
        task, _, shape = r["workload"].partition(":")
        rates.setdefault(task, {})[r["peer"], shape] = r["steps_per_second"]
    columns = dict.fromkeys((r["peer"], r["workload"].partition(":")[2]) for r in results)
    peers = sorted({peer for peer, _ in columns if peer != OURS}, key=list(NAMES).index)
    columns = {(peer, shape): None for peer in peers for of, shape in columns if of == peer}
    first = next(iter(columns))[1]
    rows = []
    for task, found in rates.items():
        speed = found.get((OURS, first))
        row = [f"`{task}`", "" if speed is None else f"{speed:,.0f}"]
        for peer, shape in columns:
            ours, theirs = found.get((OURS, shape)), found.get((peer, shape))
            row.append(shown(ours / theirs) if ours and theirs else "")
        rows.append(row)
    headers = ["task", f"steps/s, {first}", *(f"{NAMES[p]}, {shape}" for p, shape in columns)]
    return f"{_date(data)}\n\n{report.table(headers, rows, text_columns=1)}"


def _date(data: report.Data) -> str:
    return textwrap.fill(f"{', '.join(report.heading(data))}.", 100)


def throughput_tables(throughput: report.Data) -> str:
    """A section of the certificate with a table for each family."""
    sections = [_date(throughput)]
    for family, results in itertools.groupby(throughput["results"], lambda r: r["family"]):
        table = throughput_question.table({**throughput, "results": list(results)})
        sections.append(f"### {family}\n\n{table}")
    return "\n\n".join(sections)


def blocks(throughput: report.Data, start_up: report.Data) -> dict[str, str]:
    """The texts for the pages and the certificate, by their names."""
    return {
        "ratios": ratios(throughput, start_up),
        "summary": summary(throughput, start_up),
        "speed": speed_sentence(throughput),
        "start-up": start_up_sentence(start_up),
        "throughput": throughput_tables(throughput),
        **{
            f"speed of {family}": speed_table(throughput, family)
            for family in dict.fromkeys(r["family"] for r in throughput["results"])
        },
        "start-up of all tasks": f"{_date(start_up)}\n\n{start_up_question.table(start_up)}",
    }


def fill(page: str, texts: dict[str, str]) -> str:
    """The page with the text of each of its places; one that is not in `texts` stays as it is."""

    def replaced(place: re.Match[str]) -> str:
        name = place[1]
        if name not in texts:
            return place[0]
        return f"<!-- results: {name} -->\n\n{texts[name]}\n\n<!-- end of {name} -->"

    place = re.compile(r"<!-- results: ([\w -]+) -->.*?<!-- end of \1 -->", re.DOTALL)
    return place.sub(replaced, page)


def pages(root: pathlib.Path) -> list[pathlib.Path]:
    """The pages of a checkout that have places for numbers."""
    found = [page for pattern in _PAGES for page in sorted(root.glob(pattern))]
    return [page for page in found if "<!-- results: " in page.read_text()]


def main() -> None:
    """Draws the chart and rewrites the pages of the checkout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("throughput", type=pathlib.Path)
    parser.add_argument("start_up", type=pathlib.Path)
    parser.add_argument(
        "--root", type=pathlib.Path, default=_ROOT, help="the checkout whose pages are rewritten"
    )
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        metavar="FOLDER",
        help="write chart.png and NAME.md, each text, to FOLDER; rewrite no page",
    )
    args = parser.parse_args()
    try:
        throughput = report.load(args.throughput, "throughput")
        start_up = report.load(args.start_up, "start_up")
    except ValueError as error:
        parser.error(str(error))
    panels = _panels(throughput, start_up)
    title = "How many times better than each peer ParallelPool is"
    drawing = draw(title, throughput, panels)
    texts = blocks(throughput, start_up)
    if args.out:
        drawing.savefig(args.out / "chart.png")
        for name, text in texts.items():
            (args.out / f"{name}.md").write_text(text + "\n")
        return
    drawing.savefig(args.root / _CHART)
    title = "How many times faster, or smaller, ParallelPool is than its peers"
    draw_summary(title, throughput, panels, _POOL).savefig(args.root / _SUMMARY)
    for page in pages(args.root):
        page.write_text(fill(page.read_text(), texts))
        print(f"wrote {page}")
    for name in (_CHART, _SUMMARY):
        print(f"wrote {args.root / name}")


if __name__ == "__main__":
    main()
