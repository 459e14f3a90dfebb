"""install_as_envpool(): programs that say `import envpool` get this package."""

import importlib
import importlib.machinery
import re
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from parallel_pool.compat import envpool_modules, envpool_pools
from parallel_pool.compat.legacy_gym import LegacyGym
from parallel_pool.python.apis import dm_api, gymnasium_api
from parallel_pool.python.apis.kinds import POOLS
from parallel_pool.python.apis.make import EnvType, make, spec_of
from parallel_pool.python.arrays.text import decode_mission
from parallel_pool.python.pools.base import open_envs
from parallel_pool.python.specs.registry import list_all_envs, make_spec, registry

# The release of EnvPool whose calls the modules have: programs compare versions.
_VERSION = "1.2.7"

# EnvPool's packages of envs that are inside of another.
_INNER = {"mujoco": ("gym", "dmc")}


@dataclass(frozen=True)
class _Makers:
    """EnvPool's functions that make pools.

    Attributes:
        legacy_gym: whether env_type="gym" makes LegacyGym.
        gym_reset_return_info: whether reset() of env_type="gym" returns (obs, info).
        registered: the classes of register(), with the options, by task.
    """

    legacy_gym: bool
    gym_reset_return_info: bool
    registered: dict[str, tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=dict)

    def make(self, task_id: Any, env_type: EnvType = "gymnasium", **kwargs: Any) -> Any:
        """parallel_pool.make(), with EnvPool's defaults: render() shows env 0."""
        if self._is_own(task_id):
            return self._own(task_id, env_type)(self.make_spec(task_id, **kwargs))
        if kwargs.get("render_mode") is not None:
            kwargs.setdefault("render_env_id", 0)
        with_info = kwargs.pop("gym_reset_return_info", None)
        if with_info is None:
            with_info = env_type != "gym" or self.gym_reset_return_info
        if env_type != "gym" and not with_info:
            raise ValueError(
                f"{task_id}: gym_reset_return_info is {with_info!r}; it must be True with "
                f"env_type={env_type!r}"
            )
        is_spec = isinstance(task_id, envpool_pools.EnvSpec)
        spec = spec_of(task_id.spec if is_spec else task_id, kwargs)
        if env_type not in POOLS or spec.is_single:
            return make(spec, env_type)
        if env_type == "dm":
            return open_envs(envpool_pools.DMEnvPool, spec)
        # If reset() returns (obs, info), the pools of gym and Gymnasium are VectorEnvs with the
        # spaces of Gymnasium, as in EnvPool 1.2.
        if with_info and not (env_type == "gym" and self.legacy_gym):
            return open_envs(envpool_pools.GymnasiumEnvPool, spec)
        pool = open_envs(envpool_pools.GymEnvPool, spec, gym_reset_return_info=False)
        return LegacyGym(pool) if self.legacy_gym else pool

    def make_spec(self, task_id: Any, **kwargs: Any) -> envpool_pools.EnvSpec:
        """parallel_pool.make_spec(), with EnvPool's members."""
        if self._is_own(task_id):
            options = self.registered[task_id][2] | kwargs
            own = self._own(task_id, "spec")
            made: envpool_pools.EnvSpec = own(own.gen_config(**options))
            return made
        return envpool_pools.EnvSpec(make_spec(task_id, **kwargs))

    def register(
        self,
        task_id: str,
        import_path: str,
        spec_cls: str,
        dm_cls: str,
        gymnasium_cls: str,
        aliases: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        """Adds a task whose spec and pools are classes of the module `import_path`.

        Raises:
            ValueError: there is such a task.
        """
        classes = {"spec": spec_cls, "dm": dm_cls, "gym": gymnasium_cls, "gymnasium": gymnasium_cls}
        for name in (task_id, *aliases):
            if name in self.registered or name in registry().tasks:
                raise ValueError(f"register(): there is a task {name!r} already")
            self.registered[name] = (import_path, classes, kwargs)

    def _is_own(self, task_id: Any) -> bool:
        """Whether it is a task of register(); a list of tasks is none."""
        return isinstance(task_id, str) and task_id in self.registered

    def _own(self, task_id: str, kind: str) -> Any:
        """A class of register()."""
        import_path, classes, _ = self.registered[task_id]
        return getattr(importlib.import_module(import_path), classes[kind])

    def functions(self) -> dict[str, Callable[..., Any]]:
        """The functions by their names in envpool and envpool.registration."""

        def make_dm(task_id: str, **kwargs: Any) -> dm_api.Pool:
            pool: dm_api.Pool = self.make(task_id, "dm", **kwargs)
            return pool

        def make_gym(task_id: str, **kwargs: Any) -> gymnasium_api.Pool:
            pool: gymnasium_api.Pool = self.make(task_id, "gym", **kwargs)
            return pool

        def make_gymnasium(task_id: str, **kwargs: Any) -> gymnasium_api.Pool:
            pool: gymnasium_api.Pool = self.make(task_id, "gymnasium", **kwargs)
            return pool

        def list_envs() -> list[str]:
            return sorted([*list_all_envs(), *self.registered])

        own = (make_dm, make_gym, make_gymnasium, self.make, self.make_spec, self.register)
        return {function.__name__: function for function in own} | {"list_all_envs": list_envs}


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
    public = functions | envpool_modules.CLASSES
    _install("envpool", __version__=_VERSION, __all__=list(public), **public)
    _install("envpool.registration", **functions, base_path="", package_base_path="")
    for name, own in envpool_modules.modules().items():
        _install(name, **own)
    _install("envpool.entry")
    families = {registry().family(task_id) for task_id in list_all_envs()} - {""}
    for family in sorted(families):
        for package in (family, *(f"{family}.{inner}" for inner in _INNER.get(family, ()))):
            _install(f"envpool.{package}")
            _install(f"envpool.{package}.registration")
    for module, members in _MEMBERS.items():
        if module in sys.modules:
            vars(sys.modules[module]).update({name: get() for name, get in members.items()})


def _atari_games() -> list[str]:
    """The games by the names of their ROMs, such as "ms_pacman" of MsPacman-v5."""
    ids = (task_id for task_id in list_all_envs() if registry().suite(task_id) == "atari")
    names = (re.sub(r"(?<=.)(?=[A-Z]|\d[a-z])", "_", task_id.rpartition("-")[0]) for task_id in ids)
    return sorted(name.lower() for name in names)


# Members of EnvPool's modules that only one family has: functions that make them.
_MEMBERS: dict[str, dict[str, Callable[[], Any]]] = {
    "envpool.atari.registration": {"atari_game_list": _atari_games},
    "envpool.minigrid": {"decode_mission": lambda: decode_mission},
}


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
