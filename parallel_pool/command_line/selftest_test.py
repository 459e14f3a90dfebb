"""`selftest` finds what differs, goes on after a crash, and says what it skips."""

import json
import os
import pathlib
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np
import pytest

from parallel_pool.command_line import selftest
from parallel_pool.command_line.engine_checks import CHECKS
from parallel_pool.command_line.parser import main
from parallel_pool.testing.processes import output_of

Capture = pytest.CaptureFixture[str]


def changed(
    tmp_path: pathlib.Path, change: Callable[[dict[str, Any], dict[str, Any]], None]
) -> pathlib.Path:
    """A copy of the expected results, after `change` of its groups and runs."""
    with np.load(selftest.FILE) as arrays:
        runs = dict(arrays)
    groups = json.loads(str(runs["groups"]))
    change(groups, runs)
    file = tmp_path / "changed.npz"
    np.savez_compressed(file, **{**runs, "groups": np.array(json.dumps(groups))})
    return file


def lines(capture: Capture) -> dict[str, str]:
    """The results by the names of the checks, and the last line."""
    head, body, end = capture.readouterr().out.split("\n\n")
    assert head.startswith("ParallelPool: ")
    results = {line[:30].strip(): line[30:] for line in body.splitlines()}
    return {**results, "": end.splitlines()[-1]}


def test_the_engine_and_some_families(capsys: Capture) -> None:
    assert main(["selftest", "engine", "toy_text", "classic_control"]) == 0
    found = lines(capsys)
    checks = [f"engine: {check}" for check in CHECKS]
    assert [*found] == [*checks, "classic_control", "toy_text", ""]
    assert found.pop("") == "selftest ok"
    opengl = found.pop("engine: OpenGL")
    assert opengl == "ok" or (opengl.startswith("skipped: ") and "pixels need OpenGL" in opengl)
    if sys.platform == "win32":
        worker = found.pop("engine: Python env in worker")
        assert worker == "skipped: worker processes need Linux or macOS"
    assert all(result.startswith("ok") for result in found.values()), found


def test_a_wrong_row_is_named(tmp_path: pathlib.Path, capsys: Capture) -> None:
    def change(_: dict[str, Any], runs: dict[str, Any]) -> None:
        runs["Taxi-v3"]["obs"][1, 4] = 600

    assert selftest.run(["toy_text", "rware"], changed(tmp_path, change)) == 1
    found = lines(capsys)
    wrong = "FAILED: Taxi-v3: step 4: obs of env 1 is "
    assert found["toy_text"].startswith(wrong) and found["toy_text"].endswith("; expected 600")
    assert found["rware"] == "ok"
    assert found[""] == "selftest FAILED: toy_text"


def test_what_cannot_be_played_is_skipped(tmp_path: pathlib.Path, capsys: Capture) -> None:
    def change(groups: dict[str, Any], _: dict[str, Any]) -> None:
        groups["atari"] |= {"package": "no_package", "install": "pip install it"}
        groups["rware"]["family"] = "no_family"
        del groups["foraging"]

    file = changed(tmp_path, change)
    assert selftest.run(["atari", "rware", "foraging"], file) == 0
    assert lines(capsys) == {
        "atari": "skipped: it needs the package no_package: pip install it",
        "foraging": "skipped: there are no expected results",
        "rware": "skipped: this build has no family no_family",
        "": "selftest ok",
    }


def test_an_exception_is_shown(tmp_path: pathlib.Path, capsys: Capture) -> None:
    def change(groups: dict[str, Any], _: dict[str, Any]) -> None:
        groups["atari"]["tasks"]["Pong-v5"] = {"rain": 1}

    assert selftest.run(["atari", "rware"], changed(tmp_path, change)) == 1
    found = lines(capsys)
    assert found["atari"].startswith("FAILED: TypeError: Pong-v5 has no option 'rain'")
    assert found["rware"] == "ok"


def end_in_some(pipe: Connection, names: list[str], _: pathlib.Path) -> None:
    """Takes the place of selftest._make_checks()."""
    for name in names:
        if name == "mpe":
            os.kill(os.getpid(), signal.SIGSEGV)
        if name == "mujoco":
            os._exit(3)
        if name == "procgen":
            time.sleep(3600)
        pipe.send("ok")


def test_a_process_that_ends_is_one_failure(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = iter([600.0, 600.0, 600.0, 0.1, 600.0])  # also a busy machine is in time for 600 s
    monkeypatch.setattr(selftest, "_make_checks", end_in_some)
    monkeypatch.setattr(selftest, "wait", lambda objects, _: wait(objects, next(limits)))
    assert selftest.run(["atari", "mpe", "mujoco", "procgen", "toy_text"]) == 1
    is_windows = sys.platform == "win32"  # signals are exit codes there
    killed = "ended with exit code 11" if is_windows else "was ended by signal 11 (SIGSEGV)"
    assert lines(capsys) == {
        "atari": "ok",
        "mpe": f"FAILED: its process {killed}",
        "mujoco": "FAILED: its process ended with exit code 3",
        "procgen": "FAILED: it takes longer than 600 s",
        "toy_text": "ok",
        "": "selftest FAILED: mpe, mujoco, procgen",
    }


def test_the_program_may_still_choose_its_start_method() -> None:
    program = """
import multiprocessing
from parallel_pool.command_line import selftest
assert selftest.run(["toy_text"]) == 0
assert multiprocessing.get_start_method(allow_none=True) is None
"""
    output_of(program)


def test_an_unknown_family_is_refused(capsys: Capture) -> None:
    assert main(["selftest", "atary"]) == 2
    assert "selftest: there is no family 'atary'; did you mean atari" in capsys.readouterr().err
