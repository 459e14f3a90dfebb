"""Policies by the names of their functions."""

import importlib
import sys
from collections.abc import Callable
from typing import Any

from parallel_pool.python.options.option import nearest

Policy = Callable[[Any], Any]  # the observations of all envs -> their actions


def load_policy(name: str) -> Policy:
    """The function that "module:function" names; ValueError if there is none."""
    module_name, _, function_name = name.partition(":")
    if not (module_name and function_name):
        raise ValueError(f"--policy is {name!r}; it must be MODULE:FUNCTION, such as agent:act")
    if "" not in sys.path:
        sys.path.insert(0, "")  # the working directory
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise ValueError(
            f"--policy is {name!r}: {module_name!r} cannot be imported: "
            f"{type(error).__name__}: {error}"
        ) from error
    policy = getattr(module, function_name, None)
    if not callable(policy):
        functions = [key for key, value in vars(module).items() if callable(value)]
        raise ValueError(
            f"--policy is {name!r}: {module_name!r} has no function {function_name!r}"
            f"{nearest(function_name, functions)}"
        )
    found: Policy = policy
    return found
