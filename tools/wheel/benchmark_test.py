"""Short runs of the benchmarks, with the wheel installed as by `make bench`."""

import json
import os
import pathlib
import subprocess
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]


def run(site: pathlib.Path, folder: pathlib.Path, name: str, *args: str) -> tuple[str, Any]:
    """Asks a question; its output, and the results that it wrote with --json."""
    file = folder / "results.json"
    python = str(site.parents[2] / "bin/python")
    ask = [python, "-E", "-s", "-m", "benchmark", name]
    done = subprocess.run(
        [*ask, *args, "--json", file],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "MPLCONFIGDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(file.read_text())["results"]


def test_throughput(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    load = ["--workloads", "CartPole-v1:8", "--rounds", "1", "--seconds", "0.05"]
    peers = ["--peers", "parallel_pool", "envpool", "gymnasium_sync"]
    out, results = run(site, tmp_path, "throughput", *load, *peers)
    assert out.startswith("envpool is skipped: envpool is not installed\n")
    assert [(r["workload"], r["peer"]) for r in results] == [
        ("CartPole-v1:8", "parallel_pool"),
        ("CartPole-v1:8", "gymnasium_sync"),
    ]
    assert all(r["steps_per_second"] > 0 for r in results)

    picture = tmp_path / "plot.png"
    more = ["--threads", "2", "--plot", str(picture)]
    out, results = run(site, tmp_path, "throughput", *load, *peers, *more)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert [r["workload"] for r in results] == ["CartPole-v1:8 t2"]


def test_start_up(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    peers = ["--peers", "parallel_pool", "gymnasium_sync"]
    load = ["--tasks", "CartPole*", "--num-envs", "2000", "--rounds", "1"]
    out, results = run(site, tmp_path, "start_up", *load, *peers)
    ours, theirs = results
    assert (ours["peer"], theirs["peer"]) == ("parallel_pool", "gymnasium_sync")
    assert 0 < ours["seconds"] < theirs["seconds"]
    assert 0 < ours["kib_per_env"] < theirs["kib_per_env"]
    assert "times the memory" in out


def test_scaling(site: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out, results = run(site, tmp_path, "scaling", "--quick", "--sweeps", "step cost")
    assert [r["spin_us"] for r in results] == [1.0, 1000.0]
    # A step cannot be shorter than spin_us.
    assert all(0 < r["efficiency"] <= 1 for r in results)
    assert all(r["cpu_microseconds_per_step"] > 0 for r in results)
