"""The peers by name, and what several of them use."""

import importlib
import pathlib
import runpy
from collections.abc import Callable
from typing import Any

from benchmark.frame.rounds import Job
from benchmark.frame.steps import Step

ROBOTICS = "parallel_pool/testing/robotics.py"

# The peers that peer() has added. Those of peers/python.py have a list of their own.
NATIVE: dict[str, Callable[[Job], Step]] = {}
# The module that each peer needs.
MODULES = {
    "sb3_subproc": "stable_baselines3",
    "tianshou_shmem": "tianshou",
    "pufferlib": "pufferlib",
}


def peer(module: str) -> Callable[[Callable[[Job], Step]], Callable[[Job], Step]]:
    """Adds a function to the peers; it needs `module`."""

    def add(function: Callable[[Job], Step]) -> Callable[[Job], Step]:
        NATIVE[function.__name__], MODULES[function.__name__] = function, module
        return function

    return add


def of_checkout(path: str) -> dict[str, Any]:
    """The names of a file that no wheel has, such as a reference of the tests."""
    return runpy.run_path(str(pathlib.Path(__file__).resolve().parents[2] / path))


def unwrapped(package: str, job: Job) -> list[Any]:
    """Envs that a package registers, without Gymnasium's wrappers."""
    import gymnasium

    importlib.import_module(package)
    return [gymnasium.make(job.task, **job.options).unwrapped for _ in range(job.num_envs)]
