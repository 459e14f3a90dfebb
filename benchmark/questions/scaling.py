"""How the speed grows with threads, envs, batches, rows and the cost of a step.

The env only computes, for the time of its option spin_us (spin_env.cc). Efficiency is the part of
the threads' time that they spent in the env: steps/s * step cost / threads.
"""

import argparse
import dataclasses
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from benchmark.frame import report
from benchmark.frame.rounds import Job, Peer, compare

_NAME = "scaling"
_ENV = pathlib.Path(__file__).with_name("spin_env.cc")
_ASYNC = 4  # num_envs / batch_size of an async pool
_WARM_UP = 0.2  # seconds
# The fields of a setup, and their headings in the table.
_FIELDS = {
    "num_threads": "threads",
    "num_envs": "envs",
    "batch_size": "batch",
    "row_bytes": "row bytes",
    "spin_us": "step us",
    "pools": "pools",
}


@dataclasses.dataclass(frozen=True)
class Setup:
    """A pool, or one pool for each of several sets of processors, and its env."""

    num_threads: int
    num_envs: int
    batch_size: int
    row_bytes: int = 64
    spin_us: float = 20.0
    pinned: bool = False
    processes: tuple[tuple[int, ...], ...] = ((),)  # the processors of each pool; none: all

    @property
    def name(self) -> str:
        """A name such as "2 threads 256/64 envs 64 B 20 us"."""
        shape = f"{self.num_envs}/{self.batch_size} envs {self.row_bytes} B {self.spin_us:g} us"
        return f"{self.num_threads} threads {shape}"

    @property
    def pools(self) -> str:
        """The number of pools, and their processors."""
        if len(self.processes) > 1:
            return f"{len(self.processes)}, one per node"
        return "1, pinned" if self.pinned else "1"

    def peer(self, library: pathlib.Path) -> Peer:
        """The peer of this setup; pools share threads and envs in proportion to processors."""
        every = sum(len(cpus) for cpus in self.processes)
        jobs = []
        for cpus in self.processes:
            part, whole = (len(cpus), every) if cpus else (1, 1)
            options = {
                "num_threads": self.num_threads * part // whole,
                "spin_us": self.spin_us,
                "row_bytes": self.row_bytes,
                "thread_affinity_offset": 0 if self.pinned else -1,
            }
            num_envs, batch_size = (n * part // whole for n in (self.num_envs, self.batch_size))
            job = Job("parallel_pool", "Spin-v0", num_envs, batch_size, options, str(library), cpus)
            jobs.append(dataclasses.replace(job, warm_up=_WARM_UP))
        return Peer(self.name, tuple(jobs))


def numa_nodes(root: str = "/") -> list[tuple[int, ...]]:
    """The processors of each NUMA node that this process may use."""
    usable = os.sched_getaffinity(0)
    nodes = []
    for file in pathlib.Path(root).glob("sys/devices/system/node/node*/cpulist"):
        cpus: set[int] = set()
        for part in filter(None, file.read_text().strip().split(",")):
            first, _, last = part.partition("-")
            cpus.update(range(int(first), int(last or first) + 1))
        nodes.append(tuple(sorted(cpus & usable)))
    return sorted(node for node in nodes if node)


def sweeps(threads: int, nodes: Sequence[tuple[int, ...]], quick: bool) -> dict[str, list[Setup]]:
    """The setups of each comparison, for `threads` processors on `nodes`."""
    envs = max(8, -(-256 // threads)) * threads  # enough for each thread
    base = Setup(threads, envs, envs)
    few = dataclasses.replace(base, batch_size=envs // _ASYNC)

    def some(values: Sequence[Any]) -> Sequence[Any]:
        return (values[0], values[-1]) if quick and len(values) > 2 else values

    def each(setup: Setup, name: str, values: Sequence[Any]) -> list[Setup]:
        return [dataclasses.replace(setup, **{name: value}) for value in some(values)]

    powers = [n for n in (2**k for k in range(20)) if n < threads]
    found = {
        "threads, sync": each(base, "num_threads", [*powers, threads]),
        "threads, async": each(few, "num_threads", [*powers, threads]),
        "envs": [Setup(threads, n, n) for n in some([4**k for k in range(7)])],
        "batches": each(base, "batch_size", [n for n in (1, 4, 16, 64) if n < envs] + [envs]),
        "row bytes": each(base, "row_bytes", [64, 1024, 16384, 131072]),
        "step cost": each(base, "spin_us", [1.0, 5.0, 20.0, 100.0, 1000.0]),
    }
    if len(nodes) > 1:
        large = dataclasses.replace(base, row_bytes=16384)
        found["nodes"] = [
            large,
            dataclasses.replace(large, pinned=True),
            dataclasses.replace(large, processes=tuple(nodes)),
        ]
    return found


def _build(folder: str) -> pathlib.Path:
    """Compiles the env as in docs/add_an_env.md; returns the library."""
    ask = [sys.executable, "-I", "-m", "parallel_pool", "--cflags"]
    flags = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.split()
    library = pathlib.Path(folder, "spin_env.so")
    subprocess.run(["g++", *flags, str(_ENV), "-o", str(library)], check=True)
    return library


def _measure(
    chosen: dict[str, list[Setup]], rounds: int, seconds: float
) -> Iterator[dict[str, Any]]:
    """A result for each setup of each sweep."""
    with tempfile.TemporaryDirectory() as folder:
        library = _build(folder)
        compared = {sweep: [s.peer(library) for s in setups] for sweep, setups in chosen.items()}
        every = itertools.chain.from_iterable(chosen.values())
        for setup, (sweep, _, found) in zip(every, compare(compared, rounds, seconds), strict=True):
            busy = found["steps_per_second"] * 1e-6 * setup.spin_us
            of = {**dataclasses.asdict(setup), "pools": setup.pools, **found}
            yield {"sweep": sweep, **of, "efficiency": busy / setup.num_threads}


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


def _parser(names: Sequence[str]) -> argparse.ArgumentParser:
    parser = report.parser(_NAME, __doc__, "sweeps: " + "; ".join(names), seconds=1.0, draws=False)
    parser.add_argument("--sweeps", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument(
        "--quick", action="store_true", help="the ends of each sweep, one round of 0.2 s"
    )
    return parser


def main() -> None:
    """Measures or reads the setups of the command line, and shows the results."""
    threads, nodes = len(os.sched_getaffinity(0)), numa_nodes()
    parser = _parser(list(sweeps(threads, nodes, quick=False)))
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.seconds = 1, 0.2

    def wanted(sweep: str) -> bool:
        return report.matches(sweep, args.sweeps)

    def run() -> Iterator[dict[str, Any]]:
        every = sweeps(threads, nodes, args.quick)
        chosen = {sweep: setups for sweep, setups in every.items() if wanted(sweep)}
        return _measure(chosen, args.rounds, args.seconds) if chosen else iter(())

    data = report.collect(_NAME, parser, args, run, lambda result: wanted(result["sweep"]))
    report.show(data, args, table)
