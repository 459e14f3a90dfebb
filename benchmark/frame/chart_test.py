import json
import pathlib
import re
import sys
from typing import Any

import pytest

from benchmark.frame import chart
from benchmark.frame.ratios import NAMES, Panel
from benchmark.peers.native import PEERS
from benchmark.peers.workloads import all_workloads
from benchmark.questions import start_up

MACHINE = {"cpu": "A Chip", "cores": 2, "python": "3.11.7", "date": "2026-11-21"}


def data(benchmark: str, seconds: float, *results: Any) -> dict[str, Any]:
    of = {"benchmark": benchmark, "machine": MACHINE, "rounds": 3, "seconds": seconds}
    return {**of, "results": list(results)}


def speed(family: str, task: str, peer: str, steps: float) -> dict[str, Any]:
    of = {"workload": f"{task}:16", "family": family, "peer": peer, "frame_skip": 1, "rounds": []}
    return {**of, "steps_per_second": steps, "cpu_microseconds_per_step": 1.0}


def start(task: str, peer: str, seconds: float, kib: float) -> dict[str, Any]:
    of = {"task": task, "num_envs": 1000, "peer": peer, "rounds": []}
    return {**of, "seconds": seconds, "kib_per_env": kib}


SPEEDS = data(
    "throughput",
    2.0,
    speed("Atari", "Pong-v5", "parallel_pool", 400),
    speed("Atari", "Pong-v5", "envpool", 100),
    speed("MuJoCo", "Ant-v5", "parallel_pool", 30),
    speed("MuJoCo", "Ant-v5", "envpool", 20),
    speed("MuJoCo", "Ant-v5", "gymnasium_sync", 10),
    speed("Board games", "chess-v6", "parallel_pool", 90),
    speed("Board games", "chess-v6", "pettingzoo", 10),
)
STARTS = data(
    "start_up",
    0,
    start("Pong-v5", "parallel_pool", 0.3, 391),
    start("Pong-v5", "envpool", 39.9, 1220),
    start("Ant-v5", "parallel_pool", 1.0, 100),
    start("Ant-v5", "envpool", 2.0, 400),
)


def test_ratios_are_those_of_each_panel() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in chart.ratios(SPEEDS, STARTS).splitlines()
    ]
    assert rows[0] == ["ParallelPool against", "EnvPool", "other peers"]
    assert rows[2:] == [
        ["Atari: steps a second", "x4.0", ""],
        ["MuJoCo: steps a second", "x1.5", "Gymnasium's SyncVectorEnv x3.0"],
        ["Board games: steps a second", "", "PettingZoo's loop in Python x9.0"],
        ["Start-up: make and reset", "x68", ""],
        ["Memory of an env", "x3.6", ""],
    ]


def test_the_summary_names_the_strongest_of_the_other_peers() -> None:
    slower = speed("MuJoCo", "Ant-v5", "mj_step", 5)
    results = {**SPEEDS, "results": [*SPEEDS["results"], slower]}
    lines = chart.summary(results, STARTS).splitlines()
    assert [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:5]] == [
        ["Atari", "x4.0", "", ""],
        ["MuJoCo", "x1.5", "x3.0", "Gymnasium's SyncVectorEnv"],
        ["Board games", "", "x9.0", "PettingZoo's loop in Python"],
    ]


def test_a_family_has_a_column_for_each_peer_and_shape() -> None:
    async_pool = speed("MuJoCo", "Ant-v5", "envpool", 15) | {"workload": "Ant-v5:32/8"}
    ours = async_pool | {"peer": "parallel_pool", "steps_per_second": 60}
    results = [*SPEEDS["results"], async_pool, ours]
    *_, heads, _, row = chart.speed_table({**SPEEDS, "results": results}, "MuJoCo").splitlines()
    assert [cell.strip() for cell in heads.strip("|").split("|")] == [
        "task",
        "steps/s, 16",
        "EnvPool, 16",
        "EnvPool, 32/8",
        "Gymnasium's SyncVectorEnv, 16",
    ]
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "`Ant-v5`",
        "30",
        "x1.5",
        "x4.0",
        "x3.0",
    ]


def test_the_sentence_about_speed_counts_frames() -> None:
    load = speed("Atari", "Pong-v5", "parallel_pool", 400) | {"frame_skip": 4}
    text = chart.speed_sentence({**SPEEDS, "results": [load]})
    assert text == "In a second, on 2 cores of A Chip: 1,600 frames of `Pong-v5` (16)."


def test_each_family_is_a_section_below_one_of_the_certificate() -> None:
    tables = chart.throughput_tables(SPEEDS)
    assert re.findall("^#.*", tables, re.MULTILINE) == [
        "### Atari",
        "### MuJoCo",
        "### Board games",
    ]


def test_start_up_has_a_panel_of_time_and_one_of_memory() -> None:
    seconds, memory = start_up.panels(STARTS)
    assert seconds == Panel("Start-up: make and reset", {"envpool": [39.9 / 0.3, 2.0]})
    assert memory.ratios == {"envpool": [1220 / 391, 4.0]}
    assert [axes.get_title("left") for axes in start_up.plot(STARTS).axes] == [
        seconds.title,
        memory.title,
    ]
    assert "x133.00" in start_up.table(STARTS)


def test_every_peer_has_a_name() -> None:
    assert set(NAMES) | {"parallel_pool"} == set(PEERS)
    assert {peer for peers in start_up._TASKS.values() for peer in peers} <= set(PEERS)


def test_a_page_is_filled_in_its_places_only() -> None:
    page = "a\n\n<!-- results: x y -->\n\nold\n\n<!-- end of x y -->\n\nb\n"
    filled = chart.fill(page, {"x y": "new"})
    assert filled == page.replace("old", "new")
    assert chart.fill(filled, {"x y": "new"}) == filled
    assert chart.fill(page, {}) == page  # what was not measured stays


def test_the_pages_have_places_for_the_numbers_that_the_certificate_does_not_show() -> None:
    pages = "".join(page.read_text() for page in chart.pages(pathlib.Path()))
    places = re.findall(r"<!-- results: ([\w -]+) -->", pages)
    families = {f"speed of {load.family}" for load in all_workloads()}
    shown = {"throughput", "start-up of all tasks"}
    blocks = set(chart.blocks(SPEEDS, STARTS)) - shown
    assert {name for name in blocks if not name.startswith("speed of ")} <= set(places)
    assert {name for name in places if name.startswith("speed of ")} < families
    assert places == re.findall(r"<!-- end of ([\w -]+) -->", pages)


def test_the_program_draws_and_fills(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "benchmark").mkdir()
    for name in ("README.md", "benchmark/README.md"):
        (tmp_path / name).write_text("<!-- results: start-up -->\n<!-- end of start-up -->\n")
    files = [str(tmp_path / "throughput.json"), str(tmp_path / "start_up.json")]
    for file, results in zip(files, (SPEEDS, STARTS), strict=True):
        pathlib.Path(file).write_text(json.dumps(results))
    monkeypatch.setattr(sys, "argv", ["chart", "--root", str(tmp_path), *files])
    chart.main()
    text = " ".join((tmp_path / "README.md").read_text().split())
    assert "1,000 envs of `Pong-v5` are made and reset in 0.3 s, by EnvPool in 40 s." in text
    for name in (chart._CHART, chart._SUMMARY):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")

    out = tmp_path / "out"
    out.mkdir()
    before = (tmp_path / "README.md").read_text()
    monkeypatch.setattr(sys, "argv", ["chart", "--root", str(tmp_path), "--out", str(out), *files])
    chart.main()
    assert (out / "chart.png").read_bytes().startswith(b"\x89PNG")
    assert (out / "ratios.md").read_text() == chart.ratios(SPEEDS, STARTS) + "\n"
    assert (tmp_path / "README.md").read_text() == before

    monkeypatch.setattr(sys, "argv", ["chart", files[1], files[0]])
    with pytest.raises(SystemExit):
        chart.main()
    assert (
        "was not written by --json of `python -m benchmark throughput`" in capsys.readouterr().err
    )
