"""The tasks that tests of all tasks play."""

import importlib.util
import os
import re
from typing import Any

import parallel_pool
from parallel_pool.python.specs.registry import registry
from parallel_pool.testing.form import IS_LONG

# A map of a whole game of Doom is a task at each of five difficulties: 680 tasks.
_MAP_OF_A_GAME = re.compile(r"Vizdoom\w+?(E\dM\d|MAP\d\d)-S\d-v0")
# Those that are played. The other two games are not free.
_MAPS = ("VizdoomFreedoom1E1M1-S1-v0", "VizdoomFreedoom2MAP01-S1-v0")
# Options that have no default.
_NEED_FILES = ("D3Battle-v1", "D4Battle2-v1", "VizdoomCustom-v1")
# Games over a network, whose results depend on time. The family's tests play them.
_MATCHES = ("VizdoomCig-v0", "VizdoomDeathmatch-v0")
# Each env of these tasks is a process that takes 0.5 s to start: the short form plays some.
_SHORT = (
    "Basic-v1",
    "HealthGathering-v1",
    "VizdoomBasicAudio-v1",
    "VizdoomBasicNotifications-v1",
    "VizdoomDeathmatch-v1",
    "VizdoomDefendCenter-MultiBinary-v1",
    "VizdoomFreedoom1E1M1-S1-v0",
)
# Families of many tasks that are alike: the short form plays one of so many.
_ALIKE = {"atari": 10, "minigrid": 10, "mujoco": 14}
# MetaWorld's models are those of its package.
_HAS_METAWORLD = importlib.util.find_spec("metaworld") is not None
# NetHack's engine and levels are those of packages, which not every Python has.
_HAS_NETHACK = all(importlib.util.find_spec(name) is not None for name in ("nle", "minihack"))
# A family whose engine cannot run here; tools/wheel/venv.py sets it.
_WITHOUT = os.environ.get("WITHOUT_FAMILY", "")
# Suites whose tasks have several players, and how the names of other such tasks begin: they have no
# single envs.
_SUITES_OF_PLAYERS = ("board_games", "foraging", "mpe", "pettingzoo", "rware")
_NAMES_OF_PLAYERS = ("MaMuJoCo", "intersection-multi-agent")
# Options with which tasks satisfy the rules. TakeCover's first 30 tics are the same for all seeds.
# An engine's first automap differs from the first one after a reset; the reference's does, too.
OPTIONS: dict[str, dict[str, Any]] = {
    task: {"frame_skip": 4} for task in ("VizdoomTakeCover-v1", "VizdoomTakeCover-MultiBinary-v1")
}
OPTIONS |= {task: {"automap_buffer_enabled": False} for task in _MAPS}


def is_map(task_id: str) -> bool:
    """Whether the task is a map of a whole game."""
    return _MAP_OF_A_GAME.fullmatch(task_id) is not None


def described() -> list[str]:
    """The tasks whose specs can be made without options and without files that are not free."""
    return [
        task
        for task in parallel_pool.list_all_envs()
        if task not in _NEED_FILES
        and (not is_map(task) or task.startswith("VizdoomFreedoom"))
        and registry().family(task) != _WITHOUT
        and (_HAS_NETHACK or registry().family(task) != "nethack")
        and (_HAS_METAWORLD or registry().suite(task) != "metaworld")
    ]


def played() -> list[str]:
    """The tasks of described() that tests play: one map of each free game among them."""
    tasks = [
        task for task in described() if task not in _MATCHES and (not is_map(task) or task in _MAPS)
    ]
    if IS_LONG:
        return tasks
    left_out: set[str] = set()
    for family, every in _ALIKE.items():
        alike = [task for task in tasks if registry().family(task) == family]
        left_out |= {task for i, task in enumerate(alike) if i % every}
    return [
        task
        for task in tasks
        if task not in left_out and (registry().family(task) != "vizdoom" or task in _SHORT)
    ]


def with_one_player() -> list[str]:
    """Those of played() that have one player, and so are single envs, too."""
    return [
        task
        for task in played()
        if registry().suite(task) not in _SUITES_OF_PLAYERS
        and not task.startswith(_NAMES_OF_PLAYERS)
    ]
