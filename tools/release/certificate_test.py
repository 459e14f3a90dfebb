"""A certificate says what was measured, and of the rest that it was not."""

import hashlib
import json
import pathlib
import re
from typing import Any

from tools.release import certificate
from tools.release.certificate import FOLDER
from tools.release.steps import import_time, measured, parity, sequences, steps, wheels

ROOT = pathlib.Path(__file__).parent.parent.parent
STEPS = steps(short=True)


def result(figures: dict[str, Any], code: int = 0) -> dict[str, Any]:
    rest = {"command": "", "seconds": 90, "counts": {}, "machine": certificate.machine(ROOT)}
    return {**rest, "code": code, "figures": figures}


def made(done: dict[str, Any]) -> dict[str, Any]:
    return certificate.record(ROOT, "0123abc", STEPS, done, short=True)


def section(page: str, title: str) -> str:
    return page.split(f"## {title}\n")[1].split("\n## ")[0]


def test_nothing_is_claimed_of_steps_that_were_not_run() -> None:
    page = certificate.page(made({}), has_chart=False)
    for title in ("Wheels", "Equality with the references", "Random misuse", "Import"):
        text = section(page, title)
        assert "Not run." in text
        assert not re.search(r"\d", text.split("`")[2])
    assert page.count("| not run |") == len(STEPS)
    assert "short form" in page
    assert "![" not in page


def test_a_failed_step_has_no_figures() -> None:
    done = {"fuzz": result({"sequences": 600}, code=1)}
    page = certificate.page(made(done), has_chart=False)
    assert "600" not in page
    assert "failed** (exit 1)" in section(page, "Random misuse")


def test_a_step_that_measured_nothing_is_not_called_passed() -> None:
    page = certificate.page(made({"test": result({"parity": {}})}), has_chart=False)
    assert section(page, "Equality with the references").endswith("\n\nNot measured.\n")


def test_the_page_has_the_figures_and_their_commands() -> None:
    done = {
        "wheels": result({"wheels": {"a-1-cp311.whl": {"bytes": 12_300_000, "sha256": "ab12"}}}),
        "test": result(
            {
                "parity": {
                    "atari": {"tasks": 3, "tasks_and_seeds": 6, "env_steps": 4000},
                    "mpe": {"tasks": 2, "tasks_and_seeds": 2, "env_steps": 500},
                },
            }
        ),
        "fuzz": result({"sequences": 600}),
        "chart": result({"ratios": "| a | b |", "throughput": "", "start-up of all tasks": ""}),
        "import-time": result({"import_ms": 300.0, "import_mib": 40.0}),
    }
    page = certificate.page(made(done), has_chart=True)
    assert "| a-1-cp311.whl | `ab12` | 12.3 |" in section(page, "Wheels")
    assert "| all | 5 | 8 | 4,500 |" in section(page, "Equality with the references")
    assert "600 random sequences" in section(page, "Random misuse")
    assert "300 ms and 40 MiB" in section(page, "Import")
    assert "![Ratios to each peer](chart.png)" in page
    for step in STEPS:
        assert f"`{step.command.format(release='.')}`" in page


def test_files_are_written_and_equal_the_record(tmp_path: pathlib.Path) -> None:
    record = made({"fuzz": result({"sequences": 600})})
    certificate.write(tmp_path, record, tmp_path / "chart.png")
    assert json.loads((tmp_path / FOLDER / "certificate.json").read_text()) == record
    assert (tmp_path / FOLDER / "certificate.md").read_text() == certificate.page(record, False)


def test_a_picture_stays_as_long_as_its_figures(tmp_path: pathlib.Path) -> None:
    drawn, picture = tmp_path / "chart.png", tmp_path / FOLDER / "chart.png"
    drawn.write_bytes(b"picture")
    figures = {"ratios": "| a | b |", "throughput": "", "start-up of all tasks": ""}
    page = tmp_path / FOLDER / "certificate.md"
    certificate.write(tmp_path, made({"chart": result(figures)}), drawn)
    assert picture.read_bytes() == b"picture"
    drawn.unlink()  # as on another machine than that of the measurements
    certificate.write(tmp_path, made({"chart": result(figures)}), drawn)
    assert picture.exists()
    assert "chart.png" in page.read_text()
    certificate.write(tmp_path, made({}), drawn)
    assert not picture.exists()
    assert "chart.png" not in page.read_text()


def test_versions_are_those_of_the_locks() -> None:
    versions = made({})["versions"]
    assert versions["commit"] == "0123abc"
    assert re.search(r"mujoco \d+\.\d+", versions["references"])
    assert re.search(r"mujoco-core 4\.\d+", versions["references"])
    assert re.search(r"envpool \d+\.\d+", versions["peers"])
    text = (ROOT / "third_party/procgen/workspace.bzl").read_text()
    found = re.search(r"procgen (\d+\.\d+\.\d+)$", versions["references"])
    assert found and f'version = "{found[1]}",' in text.split("gym3.BUILD")[0]


def test_wheels_are_kept_with_their_hashes(tmp_path: pathlib.Path) -> None:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/a.whl").write_bytes(b"abc")
    release = tmp_path / "release"
    found = wheels(tmp_path, release, "")["wheels"]
    assert found == {"a.whl": {"bytes": 3, "sha256": hashlib.sha256(b"abc").hexdigest()}}
    assert (release / "dist/a.whl").read_bytes() == b"abc"


def test_medians_are_kept_without_their_rounds(tmp_path: pathlib.Path) -> None:
    results = [{"workload": "A", "steps_per_second": 5.0, "rounds": [{"steps_per_second": 5.0}]}]
    (tmp_path / "throughput.json").write_text(json.dumps({"results": results, "rounds": 1}))
    found = measured("throughput.json")(tmp_path, tmp_path, "")
    assert found == {"medians": [{"workload": "A", "steps_per_second": 5.0}]}


def test_figures_are_read_from_outputs() -> None:
    here = pathlib.Path()
    line = "fuzz: 200 sequences for each of 3 tests\n"
    assert sequences(here, here, line) == {"sequences": 600}
    lines = "parity: mujoco/gym: 2 tasks, 3 tasks x seeds, 165 env steps\n9 passed, 0 failed\n"
    family = {"tasks": 2, "tasks_and_seeds": 3, "env_steps": 165}
    assert parity(here, here, lines) == {"parity": {"mujoco/gym": family}}
    line = "import parallel_pool: 300 ms, 40 MiB (median of 9 processes)\n"
    assert import_time(here, here, line) == {"import_ms": 300.0, "import_mib": 40.0}
