"""Helpers of tests that start processes or look at them."""

import os
import pathlib
import subprocess
import sys
import time
from typing import Any

SECOND = 5.0  # faults are found within 20 ms; a loaded machine may take longer


def run_program(code: str, *flags: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Runs a program in a Python process, which imports what this one can; returns its outputs.

    Args:
        code: the program.
        *flags: the interpreter's, such as "-W", "error".
        **environment: variables, in addition to those of this process.
    """
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.run(
        [sys.executable, *flags, "-c", code],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def output_of(code: str, *flags: str, **environment: str) -> str:
    """The output of a program that ends with 0 and reports nothing; see run_program()."""
    done = run_program(code, *flags, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def worker_pids(pool: Any) -> list[int]:
    """The worker processes of a pool of envs in Python."""
    return [own.process.pid for own in pool._native._group.workers]


def is_alive(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def gone(pids: list[int], seconds: float = SECOND) -> bool:
    """Whether all processes end within some seconds."""
    end = time.monotonic() + seconds
    while any(map(is_alive, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
