"""The steps of a release: commands that anybody can run, and the figures that each leaves."""

import dataclasses
import hashlib
import json
import pathlib
import re
import shutil
from collections.abc import Callable
from typing import Any

# The measurements of a step, for the certificate: values of JSON.
Figures = dict[str, Any]

# (root of the checkout, folder of the release, the step's output) -> figures
Collect = Callable[[pathlib.Path, pathlib.Path, str], Figures]


@dataclasses.dataclass(frozen=True)
class Step:
    """One command.

    Attributes:
        name: of the step.
        command: of bash; `{release}` in it is the folder of the release.
        collect: reads its figures.
        needs: the steps whose files it reads. It runs again after them.
    """

    name: str
    command: str
    collect: Collect | None = None
    needs: tuple[str, ...] = ()


def counts(output: str) -> Figures:
    """The numbers of the last line `N passed, N failed[, N skipped]`; empty if there is none."""
    pattern = r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$"
    found = re.findall(pattern, output, re.MULTILINE)
    if not found:
        return {}
    passed, failed, skipped = (int(number or 0) for number in found[-1])
    return {"passed": passed, "failed": failed, "skipped": skipped}


def wheels(root: pathlib.Path, release: pathlib.Path, output: str) -> Figures:
    """Copies the wheels to the folder of the release; their bytes and SHA-256."""
    copies = release / "dist"
    shutil.rmtree(copies, ignore_errors=True)
    copies.mkdir(parents=True)
    for wheel in (root / "dist").glob("*.whl"):
        shutil.copy2(wheel, copies)
    return {
        "wheels": {
            wheel.name: {
                "bytes": wheel.stat().st_size,
                "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
            }
            for wheel in sorted(copies.glob("*.whl"))
        }
    }


def parity(root: pathlib.Path, release: pathlib.Path, output: str) -> Figures:
    """Env steps compared with the references: lines that tools/testing/run_tests.py prints."""
    pattern = r"^parity: (\S+): (\d+) tasks, (\d+) tasks x seeds, (\d+) env steps$"
    keys = ("tasks", "tasks_and_seeds", "env_steps")
    found = re.findall(pattern, output, re.MULTILINE)
    families = {family: dict(zip(keys, map(int, n), strict=True)) for family, *n in found}
    return {"parity": families}


def sequences(root: pathlib.Path, release: pathlib.Path, output: str) -> Figures:
    """The random sequences of calls that fuzz tests made."""
    found = re.search(r"^fuzz: (\d+) sequences for each of (\d+) tests$", output, re.MULTILINE)
    return {"sequences": int(found[1]) * int(found[2])} if found else {}


def tables(root: pathlib.Path, release: pathlib.Path, output: str) -> Figures:
    """The tables of benchmark/frame/chart.py."""
    names = ("ratios", "throughput", "start-up of all tasks")
    return {name: (release / f"{name}.md").read_text().strip() for name in names}


def measured(name: str) -> Collect:
    """Reads the medians of `--json` of a benchmark, without its single rounds."""

    def collect(root: pathlib.Path, release: pathlib.Path, output: str) -> Figures:
        results = json.loads((release / name).read_text())["results"]
        return {"medians": [{k: v for k, v in r.items() if k != "rounds"} for r in results]}

    return collect


def import_time(root: pathlib.Path, release: pathlib.Path, output: str) -> Figures:
    """Milliseconds and MiB of `import parallel_pool`."""
    found = re.search(r"import parallel_pool: (\S+) ms, (\S+) MiB", output)
    return {"import_ms": float(found[1]), "import_mib": float(found[2])} if found else {}


def steps(short: bool) -> list[Step]:
    """All steps, in order; the short form has the same ones with less work."""

    def form(long: str, brief: str) -> str:
        return brief if short else long

    pythons = form(" PYTHONS=all", ' PYTHONS="3.11 3.13"')
    wheel_targets = ("wheels", "wheel-aarch64", "wheel-macos", "wheel-windows")
    integrations = form(" LONG=1", ' INTEGRATION="gymnasium ray jax0.10"')
    chart = (
        "-m benchmark.frame.chart {release}/throughput.json {release}/start_up.json --out {release}"
    )
    rounds = form("--rounds 3 --seconds 0.5 ", "--rounds 1 --seconds 0.3 ")
    once = form("", "--rounds 1 ")
    return [
        Step("lint", "make lint"),
        Step("wheels", " && ".join(f"make {name}{pythons}" for name in wheel_targets), wheels),
        Step("test", form("make test LONG=1", "make test"), parity),
        Step("test-recipe", "make test-recipe"),
        Step("test-wheels", f"make test-wheels{pythons}"),
        Step("test-aarch64", "make test-aarch64"),
        Step("test-windows", "make test-windows"),
        Step("test-portable", "make test-portable"),
        Step("test-reproducible", "make test-reproducible"),
        Step("test-integrations", f"make test-integrations{integrations}"),
        Step("sanitize", "make sanitize"),
        Step("test-free-threaded", "make test-free-threaded"),
        Step("fuzz", form("make fuzz", "make fuzz FUZZ=200"), sequences),
        Step(
            "bench",
            f'make bench BENCH="{rounds}--json {{release}}/throughput.json"',
            measured("throughput.json"),
        ),
        Step(
            "start-up",
            f'make bench QUESTION=start_up BENCH="{once}--json {{release}}/start_up.json"',
            measured("start_up.json"),
        ),
        Step("chart", f".work/bench/bin/python -E -s {chart}", tables, ("bench", "start-up")),
        Step("import-time", "make import-time", import_time),
        Step("docs", "make docs"),  # the last one: it has the certificate with all tables
    ]
