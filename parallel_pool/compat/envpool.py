"""install_as_envpool(): programs that say `import envpool` get this package."""

import importlib.machinery
import sys
import types
from typing import Any

from parallel_pool.compat.legacy_gym import LegacyGym
from parallel_pool.python.make import EnvType, make, make_dm, make_gym, make_gymnasium
from parallel_pool.python.pool import BasePool
from parallel_pool.python.registry import list_all_envs, make_spec

_FUNCTIONS = (list_all_envs, make, make_dm, make_gym, make_gymnasium, make_spec)


def install_as_envpool(*, legacy_gym: bool = False) -> None:
    """Makes `import envpool` in this process import this package.

    Libraries that import EnvPool then run unchanged: `envpool.make` and the other functions are
    those of this package, and `isinstance(pool, envpool.python.envpool.EnvPoolMixin)` is true for
    its pools. Call it before such libraries are imported; a second call does nothing.

    Args:
        legacy_gym: whether env_type="gym" makes views with the 4-tuples of gym before 0.26
            (parallel_pool.compat.LegacyGym), which older programs need.

    Raises:
        RuntimeError: EnvPool itself has been imported; nothing was changed.
    """
    there = sys.modules.get("envpool")
    if there is not None and not hasattr(there, "__parallel_pool__"):
        where = getattr(there, "__file__", None) or "an unknown place"
        raise RuntimeError(
            f"install_as_envpool(): this process has imported envpool itself, from {where}: call "
            "install_as_envpool() before everything that imports envpool"
        )
    envpool = _module("envpool")
    for function in _FUNCTIONS:
        setattr(envpool, function.__name__, function)
    if legacy_gym:
        envpool.make = _make_legacy  # type: ignore[attr-defined]
        envpool.make_gym = _make_legacy_gym  # type: ignore[attr-defined]
    mixin = _module("envpool.python.envpool", EnvPoolMixin=BasePool)
    protocol = _module("envpool.python.protocol", EnvPool=BasePool)
    python = _module("envpool.python", envpool=mixin, protocol=protocol)
    envpool.python = python  # type: ignore[attr-defined]
    for module in (envpool, python, mixin, protocol):
        sys.modules[module.__name__] = module


def _module(name: str, **members: Any) -> types.ModuleType:
    """A module that import statements and importlib.util.find_spec() accept."""
    module = types.ModuleType(name, "ParallelPool under EnvPool's name: see install_as_envpool().")
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    vars(module).update(members, __parallel_pool__=True)
    return module


def _make_legacy(task_id: str, env_type: EnvType = "gymnasium", **kwargs: Any) -> Any:
    """make(), with LegacyGym for env_type "gym"."""
    pool = make(task_id, env_type, **kwargs)
    return LegacyGym(pool) if env_type == "gym" else pool


def _make_legacy_gym(task_id: str, **kwargs: Any) -> LegacyGym:
    """make_gym(), as LegacyGym."""
    return LegacyGym(make_gym(task_id, **kwargs))
