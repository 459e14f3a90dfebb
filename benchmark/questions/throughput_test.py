import importlib.util
import itertools
import json
import pathlib
import sys
from typing import Any

import pytest
from PIL import Image

from benchmark.frame import report
from benchmark.peers import native, python, workloads
from benchmark.questions import throughput

MACHINE = {"cpu": "A Chip", "cores": 2, "python": "3.11.7", "date": "2026-11-21"}


def result(workload: str, peer: str, speed: float, frame_skip: int = 1) -> dict[str, Any]:
    family = "Atari" if frame_skip > 1 else "Classic control"
    of = {"workload": workload, "family": family, "peer": peer, "frame_skip": frame_skip}
    return {**of, "rounds": [], "steps_per_second": speed, "cpu_microseconds_per_step": 0.5}


def data(*results: Any) -> report.Data:
    of = {"benchmark": "throughput", "machine": MACHINE, "rounds": 5, "seconds": 2.0}
    return {**of, "results": list(results)}


RESULTS = data(
    result("CartPole-v1:8", "parallel_pool", 3e6),
    result("CartPole-v1:8", "envpool", 1e5),
    result("CartPole-v1:8", "gymnasium_sync", 1.2e5),
    result("Pong-v5:32/8", "parallel_pool", 8000, 4),
    result("Pong-v5:32/8", "envpool", 4000, 4),
    result("Acrobot-v1:2", "envpool", 7),
)


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(RESULTS))
    return path


def run(monkeypatch: pytest.MonkeyPatch, *argv: str) -> None:
    monkeypatch.setattr(sys, "argv", ["throughput", *argv])
    throughput.main()


def test_table() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in throughput.table(RESULTS).splitlines()
    ]
    assert rows[0] == [
        "workload",
        "peer",
        "steps/s",
        "frames/s",
        "CPU us/step",
        "parallel_pool is",
    ]
    assert rows[2:] == [
        ["CartPole-v1:8", "parallel_pool", "3,000,000", "", "0.50", "x1.00"],
        ["CartPole-v1:8", "envpool", "100,000", "", "0.50", "x30.00"],
        ["CartPole-v1:8", "gymnasium_sync", "120,000", "", "0.50", "x25.00"],
        ["Pong-v5:32/8", "parallel_pool", "8,000", "32,000", "0.50", "x1.00"],
        ["Pong-v5:32/8", "envpool", "4,000", "16,000", "0.50", "x2.00"],
        ["Acrobot-v1:2", "envpool", "7", "", "0.50", ""],
    ]


def test_plot() -> None:
    more = data(*RESULTS["results"], result("Acrobot-v1:2", "parallel_pool", 70))
    assert [(p.title, p.ratios) for p in throughput.panels(more)] == [
        ("Classic control: steps a second", {"envpool": [30.0, 10.0], "gymnasium_sync": [25.0]}),
        ("Atari: steps a second", {"envpool": [2.0]}),
    ]
    drawing = throughput.plot(more)
    small, atari = drawing.axes
    assert small.get_xscale() == "log"
    assert [text.get_text() for text in small.get_yticklabels()] == [
        "EnvPool",
        "Gymnasium's SyncVectorEnv",
    ]
    assert [text.get_text() for text in small.texts] == ["x20", "x25"]  # medians
    assert [text.get_text() for text in atari.texts] == ["x2.0"]
    bars: Any = small.patches
    assert [bar.get_x() + bar.get_width() for bar in bars] == [20, 25]
    said = " ".join(text.get_text() for text in drawing.texts)
    assert "A Chip, 2 cores" in said and "2026-11-21" in said


def test_one_family_has_a_panel_for_each_workload() -> None:
    of = [("a:1", "parallel_pool", 6), ("a:1", "envpool", 2), ("b:1", "parallel_pool", 8)]
    own = [result(*each) for each in (*of, ("b:1", "envpool", 2))]
    assert [(p.title, p.ratios) for p in throughput.panels(data(*own))] == [
        ("a:1: steps a second", {"envpool": [3.0]}),
        ("b:1: steps a second", {"envpool": [4.0]}),
    ]


def test_without_a_peer_the_figure_says_so() -> None:
    drawing = throughput.plot(data(result("a:1", "parallel_pool", 1)))
    assert not drawing.axes
    assert "No peer was measured." in [text.get_text() for text in drawing.texts]


def test_a_peer_may_be_faster() -> None:
    slower = data(result("a:1", "parallel_pool", 1), result("a:1", "envpool", 4))
    (axes,) = throughput.plot(slower).axes
    assert [text.get_text() for text in axes.texts] == ["x0.2"]
    low, high = axes.get_xlim()
    assert low <= 0.25 and high > 1


def test_an_earlier_run_is_drawn(
    file: pathlib.Path,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    picture = tmp_path / "plot.png"
    run(monkeypatch, "--from-json", str(file), "--workloads", "Pong*", "--plot", str(picture))
    out = capsys.readouterr().out
    assert out.startswith("A Chip, 2 cores, Python 3.11.7, 2026-11-21\nmedians of 5 rounds of 2 s")
    assert "| envpool " in out and "CartPole" not in out
    with Image.open(picture) as image:
        assert image.width == 1800


def test_threads() -> None:
    (load,) = [load for load in workloads.all_workloads() if load.name == "CartPole-v1:64"]
    one, four = workloads.with_threads(load, [1, 4])
    assert (one.name, four.name) == ("CartPole-v1:64 t1", "CartPole-v1:64 t4")
    assert one.peers == ("parallel_pool", "envpool")
    (job,) = four.peer("envpool").jobs
    assert (job.peer, job.num_envs, job.batch_size, job.options) == (
        "envpool",
        64,
        64,
        {"num_threads": 4},
    )
    (job,) = load.peer("envpool").jobs
    assert job.options == {}


def test_a_workload_is_named_with_or_without_its_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured: list[tuple[str, list[str]]] = []

    def fake(chosen: Any, rounds: int, seconds: float) -> list[Any]:
        measured.extend((load.name, peers) for load, peers in chosen)
        return [result("x", "envpool", 1)]

    monkeypatch.setattr(throughput, "_measure", fake)
    monkeypatch.setattr(throughput, "without_missing", list)
    run(monkeypatch, "--threads", "1", "2", "--workloads", "CartPole-v1:8", "Pong*:32/8 t2")
    pools = ["parallel_pool", "envpool"]
    assert measured == [
        ("CartPole-v1:8 t1", pools),
        ("CartPole-v1:8 t2", pools),
        ("Pong-v5:32/8 t2", pools),
    ]


def test_peers_that_are_not_installed_are_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "envpool" else 1)
    peers = ["parallel_pool", "envpool", "ale_vector"]
    assert native.without_missing(peers) == ["parallel_pool", "ale_vector"]
    assert capsys.readouterr().out == "envpool is skipped: envpool is not installed\n"


def test_workloads_name_peers_that_there_are() -> None:
    loads = workloads.all_workloads()
    assert len({load.name for load in loads}) == len(loads)
    assert {peer for load in loads for peer in load.peers} == set(native.PEERS)
    of = {load.name: load.peers for load in loads}
    assert [name for name in of if "gymnasium_async" in of[name]] == [
        "CartPole-v1:8",
        "CartPole-v1:64",
        *(name for name in of if name.startswith("Python") and not name.endswith(" w0")),
    ]
    in_python = [load for load in loads if load.family == "Python envs"]
    assert {"PythonCartPole:8 w1", "PythonImage:64 w2"} < {load.name for load in in_python}
    assert {peer for load in in_python for peer in load.peers} == set(python.PEERS)
    assert {load.task for load in in_python} == set(python.TASKS)
    with_make = [name for name in of if "gymnasium_make" in of[name]]
    assert with_make == ["CartPole-v1:1", *(name for name in of if name.endswith(":single"))]
    assert len(with_make) == 1 + 1 + 6 + 11 + 5
    assert sum(load.family == "Control suite" for load in loads) == 4 * 51
    assert sum(load.family == "Procgen" for load in loads) == 2 * 2 * 16
    doom = [load for load in loads if load.family == "ViZDoom"]
    assert {load.peer("parallel_pool").jobs[0].options.popitem() for load in doom} == {
        ("use_combined_action", True),
        ("frame_skip", 4),
    }
    nethack = [load for load in loads if load.family == "NetHack"]
    assert [load.name for load in nethack] == ["NetHackScore-v0:64", "NetHackScore-v0:64 a13"]
    families = [family for family, _ in itertools.groupby(loads, lambda load: load.family)]
    assert len(set(families)) == len(families)  # each is a section
    assert families[0] == "Classic control" and families[-1] == "Single env"
