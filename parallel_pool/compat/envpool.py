"""install_as_envpool(): programs that say `import envpool` get this package."""

import importlib.machinery
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parallel_pool.compat.legacy_gym import LegacyGym
from parallel_pool.python import dm_api, gymnasium_api
from parallel_pool.python.make import EnvType, make
from parallel_pool.python.pool import BasePool
from parallel_pool.python.registry import list_all_envs, make_spec, registry
from parallel_pool.python.spec import Spec
from parallel_pool.python.text import decode_mission

# The release of EnvPool whose calls the modules have: programs compare versions.
_VERSION = "1.2.5"

# EnvPool's packages of envs, as its users import them for their tasks. Those of families that are
# not here stay unknown, and with them importing programs.
_PACKAGES = (
    "atari",
    "box2d",
    "classic_control",
    "minigrid",
    "mujoco",
    "mujoco.gym",
    "procgen",
    "toy_text",
)


@dataclass(frozen=True)
class _Makers:
    """EnvPool's functions that make pools.

    Attributes:
        legacy_gym: whether env_type="gym" makes LegacyGym.
        gym_reset_return_info: whether reset() of env_type="gym" returns (obs, info).
    """

    legacy_gym: bool
    gym_reset_return_info: bool

    def make(self, task_id: str, env_type: EnvType = "gymnasium", **kwargs: Any) -> Any:
        """parallel_pool.make(), with EnvPool's defaults: render() shows env 0."""
        if kwargs.get("render_mode") is not None:
            kwargs.setdefault("render_env_id", 0)
        with_info = kwargs.pop("gym_reset_return_info", None)
        if env_type == "gym":
            with_info = self.gym_reset_return_info if with_info is None else with_info
            pool = make(task_id, env_type, gym_reset_return_info=with_info, **kwargs)
            return LegacyGym(pool) if self.legacy_gym else pool
        if with_info is not None and not with_info:
            raise ValueError(
                f"{task_id}: gym_reset_return_info is {with_info!r}; it must be True with "
                f"env_type={env_type!r}"
            )
        return make(task_id, env_type, **kwargs)

    def functions(self) -> dict[str, Callable[..., Any]]:
        """The functions by their names in envpool and envpool.registration."""

        def make_dm(task_id: str, **kwargs: Any) -> Any:
            return self.make(task_id, "dm", **kwargs)

        def make_gym(task_id: str, **kwargs: Any) -> Any:
            return self.make(task_id, "gym", **kwargs)

        def make_gymnasium(task_id: str, **kwargs: Any) -> Any:
            return self.make(task_id, "gymnasium", **kwargs)

        named = (list_all_envs, make_spec, make_dm, make_gym, make_gymnasium)
        return {"make": self.make} | {function.__name__: function for function in named}


def install_as_envpool(
    *, legacy_gym: bool = False, gym_reset_return_info: bool | None = None
) -> None:
    """Makes `import envpool` in this process import this package.

    Libraries that import EnvPool then run unchanged: `envpool.make` and the other functions make
    pools of this package, and `isinstance(pool, envpool.python.envpool.EnvPoolMixin)` is true for
    them. With `render_mode`, `render()` shows env 0 or that of `render_env_id`, as EnvPool's does.
    Call it before such libraries are imported; the last call is the one that holds.

    Args:
        legacy_gym: whether env_type="gym" makes views with the 4-tuples of gym before 0.26
            (parallel_pool.compat.LegacyGym), which older programs need.
        gym_reset_return_info: whether `reset()` of env_type="gym" returns (obs, info), or obs;
            None: (obs, info), as EnvPool does from 1.2 on, unless `legacy_gym` is True.

    Raises:
        RuntimeError: EnvPool itself has been imported; nothing was changed.
        ValueError: both arguments are True; gym before 0.26 had no infos of a reset.
    """
    if legacy_gym and gym_reset_return_info:
        raise ValueError(
            "install_as_envpool(): legacy_gym and gym_reset_return_info are both True; reset() of "
            "gym before 0.26 returns obs only"
        )
    there = sys.modules.get("envpool")
    if there is not None and not hasattr(there, "__parallel_pool__"):
        where = getattr(there, "__file__", None) or "an unknown place"
        raise RuntimeError(
            f"install_as_envpool(): this process has imported envpool itself, from {where}: call "
            "install_as_envpool() before everything that imports envpool"
        )
    if gym_reset_return_info is None:
        gym_reset_return_info = not legacy_gym
    functions = _Makers(legacy_gym, gym_reset_return_info).functions()
    classes: dict[str, type] = {"EnvPool": BasePool, "EnvSpec": Spec}
    classes |= {"DMEnvPool": dm_api.Pool, "GymnasiumEnvPool": gymnasium_api.Pool}
    _install("envpool", __version__=_VERSION, **functions, **classes)
    _install("envpool.registration", **functions, base_path="")
    _install("envpool.python")
    _install("envpool.python.envpool", EnvPoolMixin=BasePool)
    _install("envpool.python.protocol", **classes)
    _install("envpool.entry")
    families = {registry().family(task_id) for task_id in list_all_envs()}
    for package in _PACKAGES:
        if package.split(".")[0] in families:
            _install(f"envpool.{package}")
            _install(f"envpool.{package}.registration")
    if "minigrid" in families:
        vars(sys.modules["envpool.minigrid"]).update(decode_mission=decode_mission)


def _install(name: str, **members: Any) -> None:
    """Installs a module that import statements and importlib.util.find_spec() accept."""
    module = types.ModuleType(name, "ParallelPool under EnvPool's name: see install_as_envpool().")
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    module.__file__ = __file__
    vars(module).update(members, __parallel_pool__=True)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
