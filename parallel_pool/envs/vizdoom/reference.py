"""Vizdoom's own envs, which the tests compare with."""

import importlib.util
import os
import pathlib
import re
import tempfile
import time
from typing import Any

import gymnasium

import parallel_pool
from parallel_pool.python.specs.registry import registry

_SPEC = importlib.util.find_spec("vizdoom")
assert _SPEC is not None
assert _SPEC.origin is not None
PACKAGE = pathlib.Path(_SPEC.origin).parent
_ALL = [task for task in parallel_pool.list_all_envs() if registry().family(task) == "vizdoom"]
# Tasks that need files of the user.
WITHOUT_FILES = ["D3Battle-v1", "D4Battle2-v1", "VizdoomCustom-v1"]
# The tasks of one scenario by vizdoom's Gymnasium ids, and EnvPool's.
TASKS = [
    task
    for task in _ALL
    if task.startswith("Vizdoom") and task.endswith("-v1") and task not in WITHOUT_FILES
]
STACKED_TASKS = [
    task for task in _ALL if not task.startswith("Vizdoom") and task not in WITHOUT_FILES
]
MATCHES = ["VizdoomCig-v0", "VizdoomDeathmatch-v0"]  # of several players


def make_theirs(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Vizdoom's env, without Gymnasium's wrappers."""
    importlib.import_module("vizdoom.gymnasium_wrapper")
    return gymnasium.make(task_id, disable_env_checker=True, **options).unwrapped


def engines(of: int | None = None) -> list[int]:
    """The engines that a process has started and that have not ended."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        if int(stat[1]) == (of or os.getpid()) and command.startswith(bytes(PACKAGE / "vizdoom")):
            found.append(int(folder.name))
    return found


def leftovers() -> list[pathlib.Path]:
    """Files of the engines that pools have started."""
    temporary = pathlib.Path(tempfile.gettempdir()).glob("parallel_pool_vizdoom_*")
    shared = pathlib.Path("/dev/shm").glob("ViZDoom*")
    # Vizdoom's own controller gives its engines names of ten letters.
    return [*(file for file in shared if re.search("[0-9a-f]{16}$", file.name)), *temporary]


def nothing_is_left(before: list[pathlib.Path]) -> bool:
    """Whether no file is new since `before`. Files of engines that now start elsewhere go soon."""
    limit = time.monotonic() + 20
    while set(leftovers()) - set(before) and time.monotonic() < limit:
        time.sleep(0.01)
    return not set(leftovers()) - set(before)
