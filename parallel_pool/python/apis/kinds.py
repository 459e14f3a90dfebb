"""The classes of pools and single envs of each API."""

from collections.abc import Callable
from typing import Any

from parallel_pool.python.apis import dm_api, dm_single, gym_api, gymnasium_api, gymnasium_env
from parallel_pool.python.apis.gym_env import env_class

POOLS: dict[str, type[Any]] = {
    "gymnasium": gymnasium_api.Pool,
    "gym": gym_api.Pool,
    "dm": dm_api.Pool,
}
_SINGLES: dict[str, Callable[[], type[Any]]] = {
    "gymnasium": lambda: gymnasium_env.Env,
    "gym": env_class,  # imports gym
    "dm": lambda: dm_single.Env,
}


def class_of(env_type: str, is_single: bool = False) -> type[Any]:
    """The class of an API's pools, or of its single envs; ValueError if there is no such API."""
    if env_type not in POOLS:
        raise ValueError(f"env_type is {env_type!r}; allowed are 'gymnasium', 'gym' and 'dm'")
    return _SINGLES[env_type]() if is_single else POOLS[env_type]
