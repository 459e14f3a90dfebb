"""The processes that envs have started: who they are, and their end."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import pathlib
import signal
import sys
import time
from multiprocessing import forkserver, resource_tracker
from typing import Any

_PROC = pathlib.Path("/proc")
_ADOPTS = 36  # PR_SET_CHILD_SUBREAPER of Linux's prctl()
_POLL = 0.02  # s


def adopt() -> None:
    """Makes this process the parent of descendants whose own parent ends; Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPTS, 1, 0, 0, 0)


def descendants(pid: int) -> dict[int, str]:
    """The living processes that process `pid` has started, and those that these have started.

    Returns:
        The name of each by its number. On other systems than Linux, those that this process, which
        must be `pid`, has started by multiprocessing.
    """
    if not (_PROC / "self/stat").exists():
        return {p.pid: p.name for p in multiprocessing.active_children() if p.pid is not None}
    children: dict[int, list[tuple[int, str]]] = {}
    for folder in _PROC.iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            # 17 (name) S 4 ...: number, name, state, parent. A name may have spaces and brackets.
            name, rest = (folder / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            state, parent = rest.split()[:2]
            if state != "Z":
                children.setdefault(int(parent), []).append((int(folder.name), name))
    found: dict[int, str] = {}
    parents = [pid]
    while parents:
        for child, name in children.get(parents.pop(), ()):
            found[child] = name
            parents.append(child)
    return found


def kill(pids: Any) -> None:
    """Kills processes."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def end_own(limit: float) -> list[str]:
    """Ends the processes that this one's envs have started.

    They get `limit` seconds to end by themselves. Daemons of multiprocessing get none, because
    Python would end them at once.

    Returns:
        "NAME (NUMBER)" of each that was killed and is no daemon.
    """
    daemons = {p.pid for p in multiprocessing.active_children() if p.daemon}
    names = {p.pid: p.name for p in multiprocessing.active_children()}
    deadline = time.monotonic() + limit
    while (left := _left(daemons)) and time.monotonic() < deadline:
        time.sleep(_POLL)
    told = [f"{names.get(pid, name)} ({pid})" for pid, name in sorted(left.items())]
    while left := _left(set()):  # those that a process has started meanwhile, too
        kill(left)
        time.sleep(_POLL)
    return told


def _left(without: set[int | None]) -> dict[int, str]:
    # Multiprocessing's own helpers end with this process.
    helpers = {
        getattr(resource_tracker._resource_tracker, "_pid", None),
        getattr(forkserver._forkserver, "_forkserver_pid", None),
    }
    _reap()
    return {
        pid: name
        for pid, name in descendants(os.getpid()).items()
        if pid not in helpers and pid not in without
    }


def _reap() -> None:
    """Waits for the children of this process that have ended, adopted ones included."""
    multiprocessing.active_children()  # waits for its own
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
