"""A build shows how far it is, and its errors whole."""

import os
import pathlib
import subprocess
import sys

import pytest

from tools.wheel.progress import told

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Lines as Bazel 4.2.3 prints them with --curses=no.
LINES = """
Starting local Bazel server and connecting to it...
INFO: Invocation ID: 1
Loading: 0 packages loaded
Analyzing: target //:wheel (3 packages loaded, 20 targets configured)
INFO: Found 1 target...
    currently loading: examples
[0 / 3] [Prepa] BazelWorkspaceStatusAction stable-status.txt
[1 / 1,200] Compiling a.cc; 3s linux-sandbox ... (2 actions running)
[700 / 1,200] 2 actions, 1 running
Target //:wheel up-to-date:
  /x/bin/parallel_pool.whl
ERROR: /x/BUILD:1:2: Compiling b.cc failed: (Exit 1)
b.cc:3:4: error: expected ';'
"""


def build(tmp_path: pathlib.Path, code: int) -> "subprocess.CompletedProcess[str]":
    """Runs the program next to a tools/bazel.sh that prints LINES."""
    script = tmp_path / "tools/bazel.sh"
    script.parent.mkdir()
    (tmp_path / "lines").write_text(LINES.lstrip())
    script.write_text(f'#!/bin/sh\necho "$@" >words\ncat lines >&2\nexit {code}\n')
    script.chmod(0o755)
    return subprocess.run(
        [sys.executable, "-m", "tools.wheel.progress", "//:wheel"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("code", [0, 1])
def test_only_errors_are_shown_of_bazel(tmp_path: pathlib.Path, code: int) -> None:
    done = build(tmp_path, code)
    assert done.returncode == code
    shown = done.stderr.splitlines()
    assert shown[0].startswith("ERROR: /x/BUILD")
    assert shown[1] == "b.cc:3:4: error: expected ';'"
    assert [line.startswith("built in") for line in shown[2:]] == [True] * (code == 0)
    words = (tmp_path / "words").read_text().split()
    assert (words[0], words[-1]) == ("build", "//:wheel")


def test_the_time_that_is_left() -> None:
    """It is told once some steps are done."""
    assert told(1, 1200, 60, "Compiling a.cc") == "building: step 1 of 1,200, 1 min: Compiling a.cc"
    assert told(300, 1200, 120, "") == "building: step 300 of 1,200, 2 min, about 6 more"
