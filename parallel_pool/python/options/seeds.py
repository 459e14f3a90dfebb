"""Seeds of pools."""

import secrets
from collections.abc import Iterable
from typing import Any

from parallel_pool.python.options.option import as_int

_MAX_SEED = 2**64 - 1


def seed_of(task_id: str, seed: Any, count: int, limit: int = 2**63) -> int | list[int]:
    """The seed of `count` envs, made of Python's ints: the first one, or a list with one for each.

    Args:
        task_id: for errors.
        seed: as users give it; None: one of the system's random numbers below `limit`.
        count: the envs.
        limit: see `seed`.

    Raises:
        TypeError, ValueError: as seeds_of().
    """
    if seed is None:
        return secrets.randbelow(limit)
    return seeds_of(task_id, seed, count) if is_list(seed) else seeds_of(task_id, seed, 1)[0]


def seeds_of(task_id: str, seed: Any, count: int) -> list[int]:
    """One seed for each of `count` envs: seed, seed + 1, ... or as listed.

    Raises:
        TypeError: not an int, nor a sequence of ints.
        ValueError: a negative seed, or a sequence of another length.
    """
    what = f"{task_id}: seed"
    if is_list(seed):
        seeds = [as_int(f"{what}[{i}]", s) for i, s in enumerate(seed)]
        if len(seeds) != count:
            raise ValueError(
                f"{what} has {len(seeds)} values; it must have one for each of {count} envs"
            )
    else:
        first = as_int(what, seed)
        seeds = list(range(first, first + count))
    for s in seeds:
        if not 0 <= s <= _MAX_SEED:
            raise ValueError(f"{what} is {s}; allowed are the integers 0 to 2**64 - 1")
    return seeds


def is_list(seed: Any) -> bool:
    """Whether it has a seed for each env; an array without axes is one number."""
    is_scalar = isinstance(seed, str | bytes) or getattr(seed, "ndim", 1) == 0
    return isinstance(seed, Iterable) and not is_scalar


def rank_seed(seed: int, rank: int, num_envs: int) -> int:
    """The seed of the pool of one of several processes, so that no two envs share a seed.

    Env i of a pool gets seed + i, so pools with neighboring seeds share nearly all of them. This
    is seed + rank * num_envs: `make(task, num_envs=64, seed=rank_seed(seed, rank, 64))`.

    Args:
        seed: of the whole program.
        rank: the number of the process, from 0 on.
        num_envs: envs of each process's pool.

    Raises:
        TypeError: not an int.
        ValueError: a number below 0, or num_envs below 1.
    """
    for name, number, least in (("seed", seed, 0), ("rank", rank, 0), ("num_envs", num_envs, 1)):
        if as_int(f"rank_seed: {name}", number) < least:
            raise ValueError(f"rank_seed: {name} is {number}; it must be {least} or more")
    return int(seed) + int(rank) * int(num_envs)
