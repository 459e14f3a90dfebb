"""The package vizdoom, which the tests run and compare with."""

import importlib.util
import pathlib
from typing import Any

import gymnasium

import parallel_pool

_SPEC = importlib.util.find_spec("vizdoom")
assert _SPEC is not None
assert _SPEC.origin is not None
PACKAGE = pathlib.Path(_SPEC.origin).parent
_ALL = parallel_pool.load(pathlib.Path(__file__).parent / "_family.so")
# The tasks of vizdoom's Gymnasium ids, and those of EnvPool whose files the package has.
TASKS = [task for task in _ALL if task.startswith("Vizdoom") and task != "VizdoomCustom-v1"]
WITHOUT_FILES = ["D3Battle-v1", "D4Battle2-v1", "VizdoomCustom-v1"]
STACKED_TASKS = [task for task in _ALL if task not in (*TASKS, *WITHOUT_FILES)]


def make_theirs(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Vizdoom's env, without Gymnasium's wrappers."""
    importlib.import_module("vizdoom.gymnasium_wrapper")
    return gymnasium.make(task_id, disable_env_checker=True, **options).unwrapped


def make_ours(task_id: str, **options: Any) -> Any:
    """A pool of the family."""
    return parallel_pool.make(task_id, engine_path=str(PACKAGE), **options)
