"""Modules under the names that pickles of earlier versions have for them."""

import sys
import types

from parallel_pool.python.apis import (
    dm_api,
    dm_single,
    gym_api,
    gym_env,
    gymnasium_api,
    gymnasium_env,
    gymnasium_vec,
)
from parallel_pool.python.pools.base import make_again
from parallel_pool.python.specs.registry import spec_again

_APIS = (dm_api, dm_single, gym_api, gym_env, gymnasium_api, gymnasium_env, gymnasium_vec)


def install() -> None:
    """Lets pickle find the classes of pools, and the functions that make pools and specs again."""
    functions = types.ModuleType("base")
    vars(functions).update(make_again=make_again, spec_again=spec_again)
    modules = {api.__name__.rpartition(".")[2]: api for api in _APIS}
    for name, module in {**modules, "base": functions, "registry": functions}.items():
        sys.modules[f"parallel_pool.python.{name}"] = module
