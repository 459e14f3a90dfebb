"""The certificate of a release: what was built, tested and measured, as JSON and as a page.

The page is made of the JSON alone. A number that no step has measured is not in it.
"""

import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
from typing import Any

from tools.release.steps import Step

# The content of certificate.json.
Record = dict[str, Any]

# The libraries that parity tests compare with, and those of the benchmarks, as the locks call them.
_REFERENCES = [
    "ale-py",
    "box2d",
    "dm-control",
    "gymnasium",
    "lbforaging",
    "minigrid",
    "mpe2",
    "mujoco",
    "nle",
    "pettingzoo",
    "rware",
    "vizdoom",
]
FOLDER = "dist/certificate"  # of the checkout: certificate.md, certificate.json and chart.png
_PEERS = [
    "ale-py",
    "envpool",
    "gymnasium",
    "lbforaging",
    "mpe2",
    "mujoco",
    "nle",
    "pettingzoo",
    "rware",
    "vizdoom",
]


def _first_line(*command: str, cwd: pathlib.Path) -> str:
    try:
        run = subprocess.run(
            command, cwd=cwd, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return (run.stdout.strip() or "unknown").splitlines()[0]


def _processor() -> str:
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return names[0] if names else platform.machine()


def _pins(lock: pathlib.Path) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==(\S+)", lock.read_text(), re.MULTILINE))


def machine(root: pathlib.Path) -> dict[str, str]:
    """The parts of this machine that matter to a step."""
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    return {
        "processor": f"{_processor()}, {len(os.sched_getaffinity(0))} cores",
        "system": f"{system}, {' '.join(platform.libc_ver())}",
        "compiler": _first_line("g++", "--version", cwd=root),
        "Bazel": _first_line("dpkg-query", "-W", "-f", "${Version}", "bazel-bootstrap", cwd=root),
        "Python": platform.python_version(),
    }


def _machines(root: pathlib.Path, done: dict[str, Any]) -> dict[str, str]:
    """The machines of all steps that were run: the different values of each row."""
    all_of_them = [result["machine"] for result in done.values()] or [machine(root)]
    return {
        key: "; ".join(dict.fromkeys(one[key] for one in all_of_them)) for key in all_of_them[0]
    }


def _versions(root: pathlib.Path, commit: str, done: dict[str, Any]) -> dict[str, str]:
    text = (root / "build_defs/version.bzl").read_text()
    (version,) = re.findall(r'^VERSION = "(.*)"$', text, re.MULTILINE)
    build = _pins(root / "third_party/pip/requirements.lock")
    newer = _pins(root / "third_party/pip/mujoco4.lock")
    peers = _pins(root / "benchmark/requirements.lock")
    # No lock has it, because it has no wheel for this Python.
    text = (root / "third_party/procgen/workspace.bzl").read_text()
    procgen = re.findall(r'project = "procgen".*?\n +version = "([^"]*)"', text, re.DOTALL)[0]
    return {
        "ParallelPool": version,
        "commit": commit,
        **_machines(root, done),
        "NumPy": build["numpy"],
        "references": ", ".join(
            [
                *(f"{name} {build[name]}" for name in _REFERENCES),
                *(f"{name} {version}" for name, version in newer.items()),
                f"procgen {procgen}",
            ]
        ),
        "peers": ", ".join(f"{name} {peers[name]}" for name in _PEERS),
    }


def _form(short: bool) -> str:
    return "short" if short else "long"


def results(root: pathlib.Path, commit: str, short: bool) -> dict[str, Any]:
    """The results of steps, by name, in the certificate of a checkout; empty if it is of another.

    A part of a release may have been made on another machine. Exits if the file is damaged.
    """
    try:
        made = json.loads((root / FOLDER / "certificate.json").read_text())
    except FileNotFoundError:
        return {}
    except json.JSONDecodeError as error:
        sys.exit(
            f"release: {FOLDER}/certificate.json cannot be read ({error}): remove it to begin anew"
        )
    if made["versions"]["commit"] != commit or made["form"] != _form(short):
        return {}
    return {name: result for name, result in made["steps"].items() if result is not None}


def record(
    root: pathlib.Path, commit: str, known: list[Step], done: dict[str, Any], short: bool
) -> Record:
    """The certificate of these results; a step without a result is null."""
    return {
        "form": _form(short),
        "date": datetime.date.today().isoformat(),
        "versions": _versions(root, commit, done),
        "steps": {step.name: done.get(step.name) for step in known},
        "commands": {step.name: step.command.format(release=".") for step in known},
    }


def _table(headers: list[str], rows: list[list[str]], numbers_from: int) -> str:
    align = [":--" if i < numbers_from else "--:" for i in range(len(headers))]
    return "\n".join("| " + " | ".join(row) + " |" for row in [headers, align, *rows])


def _outcome(result: Any) -> str:
    if result is None:
        return "not run"
    return "passed" if result["code"] == 0 else f"**failed** (exit {result['code']})"


def _steps(made: Record) -> str:
    rows = []
    for name, result in made["steps"].items():
        found = result["counts"] if result else {}
        numbers = [
            f"{found[key]:,}" if key in found else "" for key in ("passed", "failed", "skipped")
        ]
        minutes = f"{result['seconds'] / 60:.1f}" if result else ""
        rows.append([f"`{made['commands'][name]}`", _outcome(result), *numbers, minutes])
    headers = ["command", "result", "tests passed", "failed", "skipped", "minutes"]
    return _table(headers, rows, 2)


def _figures(made: Record, step: str, key: str) -> Any:
    result = made["steps"].get(step)
    return result["figures"].get(key) if result and result["code"] == 0 else None


def _command(made: Record, step: str) -> str:
    return f"Command: `{made['commands'][step]}`."


def _section(made: Record, title: str, step: str, text: str | None, measured_by: str) -> str:
    """A section with the figures of a step, or that it was not run; the command that made them."""
    if text is None:
        result = made["steps"].get(step)
        is_empty = result is not None and result["code"] == 0
        text = "Not measured." if is_empty else f"{_outcome(result).capitalize()}."
    return f"## {title}\n\n{_command(made, measured_by)}\n\n{text}"


def _wheels(made: Record) -> str | None:
    found = _figures(made, "wheels", "wheels")
    if not found:
        return None
    rows = [[n, f"`{w['sha256']}`", f"{w['bytes'] / 1e6:.1f}"] for n, w in found.items()]
    return _table(["wheel", "SHA-256", "MB"], rows, 2)


def _parity(made: Record) -> str | None:
    found = _figures(made, "test", "parity")
    if not found:
        return None
    keys = ("tasks", "tasks_and_seeds", "env_steps")
    rows = [[family, *(f"{row[key]:,}" for key in keys)] for family, row in found.items()]
    total = [f"{sum(row[key] for row in found.values()):,}" for key in keys]
    rows.append(["all", *total])
    headers = ["family", "tasks", "tasks x seeds", "env steps"]
    text = "Each of these env steps equals that of the reference, played in the same test, by `==`."
    return f"{text}\n\n{_table(headers, rows, 1)}"


def _random_misuse(made: Record) -> str | None:
    found = _figures(made, "fuzz", "sequences")
    if not found:
        return None
    return (
        f"{found:,} random sequences of calls, good and bad, had the results and the errors of a "
        "model of the documented semantics. No process crashed, and none hung."
    )


def _import(made: Record) -> str | None:
    ms, mib = (_figures(made, "import-time", key) for key in ("import_ms", "import_mib"))
    if ms is None:
        return None
    return (
        f"`import parallel_pool` takes {ms:.0f} ms and {mib:.0f} MiB, NumPy and Gymnasium included."
    )


def page(made: Record, has_chart: bool) -> str:
    """The page of a certificate, in Markdown."""
    short = made["form"] == "short"
    form = " This is the short form: fewer env steps, seeds and rounds." if short else ""
    intro = (
        f"What was built, tested and measured for this version, on {made['date']}, by "
        f"`make release{' RELEASE=--short' * short}`.{form} "
        f"[JSON](certificate.json) has the same numbers."
    )
    versions = _table(["", ""], [[name, text] for name, text in made["versions"].items()], 2)
    chart = "![Ratios to each peer](chart.png)\n\n" if has_chart else ""
    ratios = _figures(made, "chart", "ratios")
    throughput = _figures(made, "chart", "throughput")
    start_up = _figures(made, "chart", "start-up of all tasks")
    figures = [
        ("Wheels", "wheels", _wheels(made), "wheels"),
        ("Equality with the references", "test", _parity(made), "test"),
        ("Random misuse", "fuzz", _random_misuse(made), "fuzz"),
        ("Speed: ratios to the peers", "chart", ratios and chart + ratios, "chart"),
        ("Speed: steps per second", "chart", throughput, "bench"),
        ("Start-up and memory", "chart", start_up, "start-up"),
        ("Import", "import-time", _import(made), "import-time"),
    ]
    sections = [
        "# Certificate",
        intro,
        f"## Versions\n\n{versions}",
        f"## Steps\n\n{_steps(made)}",
        *(_section(made, *figure) for figure in figures if figure[1] in made["steps"]),
    ]
    return "\n\n".join(sections) + "\n"


def write(root: pathlib.Path, made: Record, chart: pathlib.Path) -> None:
    """Writes certificate.json, certificate.md and, if it was drawn, chart.png."""
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / "chart.png"
    if _figures(made, "chart", "ratios") is None:
        picture.unlink(missing_ok=True)
    elif chart.exists():  # else another machine drew the picture that is there
        shutil.copyfile(chart, picture)
    (folder / "certificate.json").write_text(json.dumps(made, indent=1, allow_nan=False) + "\n")
    (folder / "certificate.md").write_text(page(made, picture.exists()))
