"""Helpers of tests that look at processes."""

import pathlib
import time
from typing import Any

SECOND = 5.0  # faults are found within 20 ms; a loaded machine may take longer


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
