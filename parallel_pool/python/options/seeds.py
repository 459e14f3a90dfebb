"""Seeds of pools."""

import secrets
from collections.abc import Iterable
from typing import Any

from parallel_pool.python.options.option import as_int

_MAX_SEED = 2**64 - 1


def seed_of(seed: Any, limit: int = 2**63) -> Any:
    """The seed, or if it is None one of the system's random numbers below `limit`."""
    return secrets.randbelow(limit) if seed is None else seed


def seeds_of(task_id: str, seed: Any, count: int) -> list[int]:
    """One seed for each of `count` envs: seed, seed + 1, ... or as listed.

    Raises:
        TypeError: not an int, nor a sequence of ints.
        ValueError: a negative seed, or a sequence of another length.
    """
    what = f"{task_id}: seed"
    is_scalar = isinstance(seed, str | bytes) or getattr(seed, "ndim", 1) == 0
    if isinstance(seed, Iterable) and not is_scalar:
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


def rank_seed(seed: int, rank: int, num_envs: int) -> int:
    """The seed of the pool of one of several processes, so that no two envs share a seed.

    Env i of a pool gets seed + i, so pools with neighbouring seeds share nearly all of them. This
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
