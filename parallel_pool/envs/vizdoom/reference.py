"""Vizdoom's own envs, which the tests compare with."""

import importlib.util
import pathlib
from typing import Any

import gymnasium

import parallel_pool
from parallel_pool.python.registry import registry

_SPEC = importlib.util.find_spec("vizdoom")
assert _SPEC is not None
assert _SPEC.origin is not None
PACKAGE = pathlib.Path(_SPEC.origin).parent
# The tasks of one scenario.
TASKS = [
    task
    for task in parallel_pool.list_all_envs()
    if registry().family(task) == "vizdoom" and task.startswith("Vizdoom") and task.endswith("-v1")
]


def make_theirs(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Vizdoom's env, without Gymnasium's wrappers."""
    importlib.import_module("vizdoom.gymnasium_wrapper")
    return gymnasium.make(task_id, disable_env_checker=True, **options).unwrapped
