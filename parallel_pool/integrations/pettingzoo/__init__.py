"""PettingZoo's APIs for tasks of several players.

    from parallel_pool.integrations.pettingzoo import aec_env, parallel_env, vector_env

    parallel_env("SimpleSpread-v3")               # a pettingzoo.ParallelEnv: all players act
    aec_env("ConnectFour-v0")                     # a pettingzoo.AECEnv: one player after another
    vector_env("SimpleSpread-v3", num_envs=100)   # a VectorEnv with a row for each player

The first two are one env with PettingZoo's dicts, for its tools and tests. Training runs much
faster on the third, or on a pool of parallel_pool.make().
"""

from typing import Any

try:
    from pettingzoo.utils.conversions import parallel_to_aec
except ImportError as _error:
    raise ImportError(
        "parallel_pool.integrations.pettingzoo needs PettingZoo: pip install pettingzoo"
    ) from _error

from parallel_pool.integrations.pettingzoo.aec import AECEnv
from parallel_pool.integrations.pettingzoo.parallel import ParallelEnv
from parallel_pool.integrations.pettingzoo.players import spec_with_players, takes_turns
from parallel_pool.integrations.pettingzoo.vector import VectorEnv

__all__ = ["AECEnv", "ParallelEnv", "VectorEnv", "aec_env", "env", "parallel_env", "vector_env"]


def parallel_env(task_id: str, render_mode: str | None = None, **options: Any) -> ParallelEnv:
    """One env as a pettingzoo.ParallelEnv, for tasks whose players act at the same time.

    Args:
        task_id: one of parallel_pool.list_all_envs(), such as "SimpleSpread-v3".
        render_mode: "rgb_array", "ansi", "human" or None.
        **options: those of parallel_pool.make(), without those of a pool, such as num_envs.
            Without `seed` the system draws one. `reward_dtype` is "float64" by default.

    Raises:
        TypeError: an unknown option, or one that the env sets itself.
        ValueError: a value that is not allowed, or a task whose players take turns or have no
            names; the message names what to call instead.
    """
    return ParallelEnv(task_id, render_mode, **options)


def aec_env(task_id: str, render_mode: str | None = None, **options: Any) -> Any:
    """One env as a pettingzoo.AECEnv.

    Where players act at the same time, each is asked in turn, and the env steps after the last one:
    PettingZoo's parallel_to_aec() of parallel_env().

    Args:
        task_id: one of parallel_pool.list_all_envs(), such as "ConnectFour-v0".
        render_mode: "rgb_array", "ansi", "human" or None.
        **options: as in parallel_env().

    Raises:
        TypeError: an unknown option, or one that the env sets itself.
        ValueError: a value that is not allowed, or a task whose players have no names; the message
            names what to call instead.
    """
    spec = spec_with_players(task_id, "aec_env", {"render_mode": render_mode} | options, 1)
    if takes_turns(spec):
        return AECEnv(task_id, render_mode, **options)
    return parallel_to_aec(ParallelEnv(task_id, render_mode, **options))


env = aec_env  # PettingZoo's name


def vector_env(task_id: str, num_envs: int = 1, **options: Any) -> VectorEnv:
    """Many envs as one VectorEnv of `num_envs` times the number of players.

    Args:
        task_id: one of parallel_pool.list_all_envs(), such as "SimpleSpread-v3".
        num_envs: the number of envs; each has a row for each of its players.
        **options: those of parallel_pool.make(), without batch_size and autoreset_mode. Without
            `seed` the system draws one.

    Raises:
        TypeError: an unknown option, or one that the env sets itself.
        ValueError: a value that is not allowed, or a task without players or whose players come
            and go.
    """
    return VectorEnv(task_id, num_envs, **options)
