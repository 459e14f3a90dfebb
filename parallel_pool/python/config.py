"""The keyword arguments of make(): what they are together, and errors."""

from collections.abc import Iterable
from typing import Any

from parallel_pool.core import _core
from parallel_pool.python import pool_options as of_pools
from parallel_pool.python.env_options import (
    TIME_LIMIT,
    EnvOptions,
    TaskOptions,
    check_rows,
    read_rows,
    split,
)
from parallel_pool.python.option import Option, as_int, suggest, unknown_option
from parallel_pool.python.peer_names import option_hint, own_options

_MAX_SEED = 2**64 - 1


def pool_options(task: _core.Task, players: int = 1) -> list[Option]:
    """The options that every task has, unless it has one of the same name itself.

    Args:
        task: the task.
        players: the most players of one of its envs.
    """
    own = {option.name for option in task_options(task)}
    return [option for _, option in of_pools.entries(task, own, players)]


def task_options(task: _core.Task) -> list[Option]:
    """The options of one task."""
    return [Option(*fields) for fields in task.options]


def reset_values(task: _core.Task, given: dict[str, Any]) -> list[Any]:
    """One value for each reset option of the task, None where nothing is given; [] if given is {}.

    Raises:
        ValueError: a value that is not allowed, or an option that the task does not have.
        TypeError: a value of the wrong type.
    """
    options = {fields[0]: Option(*fields) for fields in task.reset_options}
    for name in given:
        if name not in options:
            known = ["reset_mask", *options]
            raise ValueError(f"{task.id}: unknown reset option {name!r}{suggest(name, known)}")
    if not given:
        return []
    return [
        option.check(task.id, given[name]) if name in given else None
        for name, option in options.items()
    ]


def configure(
    task: _core.Task, kwargs: dict[str, Any]
) -> tuple[dict[str, Any], _core.Setup, EnvOptions]:
    """Every option with its value, the task with its own options set, and the options of each env.

    Raises:
        TypeError: an unknown keyword (with the nearest name) or a value of the wrong type.
        ValueError: a value that is not allowed, or that the task refuses.
    """
    options = task_options(task)
    kwargs = own_options(task.id, kwargs, {option.name: option.default for option in options})
    own_names = {option.name for option in options}
    of_pool = [option for _, option in of_pools.entries(task, own_names)]
    known = {option.name for option in of_pool} | own_names
    for name in kwargs:
        if name not in known:
            raise unknown_option(task.id, name, option_hint(name, known) or suggest(name, known))
    is_single = kwargs.get("num_envs", 1) is None
    if is_single:
        kwargs = _of_single_env(task.id, kwargs)
    num_envs = of_pools.NUM_ENVS.value(of_pools.NUM_ENVS.option, task, kwargs, 0)
    envs = _env_options(task, options, of_pool, kwargs, num_envs)
    setup = envs.parts[0].setup
    own = {o.name: value for o, value in zip(options, setup.options, strict=True)}
    players = max(1, setup.most_players)
    config = {
        option.name: entry.value(option, task, kwargs, num_envs)
        for entry, option in of_pools.entries(task, own_names, players)
    }
    config |= own | envs.parts[0].shown()
    if is_single:
        fixed = of_pools.of_single_envs()
        config = {n: v for n, v in config.items() if n in own or n not in fixed}
        config["num_envs"] = None
    return config, setup, envs


def _env_options(
    task: _core.Task,
    options: list[Option],
    of_pool: list[Option],
    kwargs: dict[str, Any],
    num_envs: int,
) -> EnvOptions:
    """The options of each env: those of `kwargs`, checked, and the rows of per_env."""
    rows = read_rows(task.id, options, of_pool, kwargs.get("per_env"), num_envs)
    given = {}
    for option in options:
        if option.name not in kwargs:
            continue
        value = option.check(task.id, kwargs[option.name])
        if option.kind != "env_arrays":
            given[option.name] = value
        elif value:
            check_rows(f"{task.id}: {option.name}", value, num_envs)
            rows.setdefault(option.name, split(value, num_envs))
    for option in of_pool:
        if option.name == TIME_LIMIT:
            limit = kwargs.get(TIME_LIMIT, option.default)
            given[TIME_LIMIT] = option.check(task.id, limit)
    return EnvOptions([TaskOptions.of(task, options, of_pool, num_envs, given, rows)])


def _of_single_env(task_id: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keywords as those of a pool of one env, with the defaults of a single env."""
    for name in of_pools.of_single_envs():
        if name in kwargs:
            raise TypeError(f"{task_id}: {name} has no meaning for a single env (num_envs=None)")
    return {**of_pools.defaults_of_single_envs(), **kwargs, "num_envs": 1}


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
