"""The keyword arguments of make(): names, allowed values and errors."""

import enum
import math
import secrets
from collections.abc import Iterable
from typing import Any

from parallel_pool.core import _core
from parallel_pool.python.env_options import (
    TIME_LIMIT,
    EnvOptions,
    TaskOptions,
    check_rows,
    read_rows,
    split,
)
from parallel_pool.python.option import Option, as_float, as_int, suggest, unknown_option
from parallel_pool.python.peer_names import option_hint, own_options

# The native engine numbers the modes in this order.
AUTORESET_MODES = ("next_step", "same_step", "disabled")

REWARD_DTYPES = ("float32", "float64")

# What a single env (num_envs=None) is as a pool. These options cannot be given with it.
SINGLE_ENV: dict[str, Any] = {
    "batch_size": 1,
    "num_threads": 1,
    "thread_affinity_offset": -1,
    "autoreset_mode": "disabled",
    "render_env_id": None,
    "per_env": {},
}

# Options of every task that configure() reads itself.
OTHER_OPTIONS = (
    Option(
        "seed", "env i gets seed + i; a list: one for each; None: the system's", 42, kind="other"
    ),
    Option(
        "autoreset_mode",
        "what follows an episode's end: next_step, same_step, disabled",
        "next_step",
        kind="other",
    ),
    Option("reward_threshold", "the return that counts as solved", None, kind="other"),
    Option("render_mode", "how render() shows envs; None: it cannot", None, kind="other"),
    Option("render_env_id", "the env that render() shows; None: all", None, kind="other"),
    Option("per_env", "a value for each env, by option", {}, kind="other"),
)

MAX_EPISODE_STEPS = 2**31 - 1  # of tasks without a time limit
_MAX_INT = 2**31 - 1
_MAX_THREADS = 4096
_MAX_SEED = 2**64 - 1
_MAX_SIDE = 8192  # of a picture, in pixels


def pool_options(task: _core.Task, players: int = 1) -> list[Option]:
    """The options that every task has, unless it has one of the same name itself.

    Args:
        task: the task.
        players: the most players of one of its envs.
    """
    own = {option.name for option in task_options(task)}
    processors = _core.usable_processors() - 1
    options = [
        Option("num_envs", "envs in the pool", 1, 1, _MAX_INT),
        Option("batch_size", "rows that recv returns; 0: num_envs (sync)", 0, 0, _MAX_INT),
        Option("num_threads", "threads that run envs; 0: automatic", 0, 0, _MAX_THREADS),
        Option("max_episode_steps", "time limit in steps", task.max_episode_steps, 1, _MAX_INT),
        Option("max_num_players", "players in an env", players, players, players),
        Option("thread_affinity_offset", "first processor to pin to; -1: none", -1, -1, processors),
        Option(
            "record_episode_statistics", "info['episode']: returns, lengths", False, kind="bool"
        ),
        Option("pin_memory", "page-locked batches, for copies to a GPU", False, kind="bool"),
        Option("reward_dtype", "of rewards", "float32", choices=REWARD_DTYPES, kind="str"),
    ]
    if "rgb_array" in task.render_modes:
        options += [
            Option(f"render_{side}", f"{side} of a picture; 0: the task's", 0, 0, _MAX_SIDE)
            for side in ("width", "height")
        ]
    return [option for option in options if option.name not in own]


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

    The config has `seed`, too.

    Raises:
        TypeError: an unknown keyword (with the nearest name) or a value of the wrong type.
        ValueError: a value that is not allowed, or that the task refuses.
    """
    options = task_options(task)
    kwargs = own_options(task.id, kwargs, {option.name: option.default for option in options})
    known = {option.name for option in (*pool_options(task), *OTHER_OPTIONS, *options)}
    for name in kwargs:
        if name not in known:
            raise unknown_option(task.id, name, option_hint(name, known) or suggest(name, known))
    is_single = kwargs.get("num_envs", 1) is None
    if is_single:
        kwargs = _of_single_env(task.id, kwargs)
    num_envs = _values(task.id, pool_options(task)[:1], kwargs)["num_envs"]
    envs = _env_options(task, options, kwargs, num_envs)
    setup = envs.parts[0].setup
    own = {o.name: value for o, value in zip(options, setup.options, strict=True)}
    players = max(1, setup.most_players)
    config = _values(task.id, pool_options(task, players), kwargs) | own
    config |= envs.parts[0].shown()
    batch_size = config["batch_size"]
    if batch_size > num_envs:
        raise ValueError(
            f"{task.id}: batch_size is {batch_size}; it must be between 0 and num_envs = {num_envs}"
        )
    config["batch_size"] = batch_size or num_envs
    config["seed"] = seed_of(kwargs.get("seed", 42))
    config["reward_threshold"] = _threshold(task, kwargs)
    config["autoreset_mode"] = autoreset_mode_of(task.id, kwargs.get("autoreset_mode", "next_step"))
    config["render_mode"] = _render_mode(task, kwargs.get("render_mode"))
    config["render_env_id"] = _render_env_id(task, kwargs.get("render_env_id"), num_envs)
    config["num_threads"] = min(config["num_threads"] or _core.usable_threads(), max(num_envs, 1))
    if is_single:
        config = {n: v for n, v in config.items() if n in own or n not in SINGLE_ENV}
        config["num_envs"] = None
    return config, setup, envs


def _env_options(
    task: _core.Task, options: list[Option], kwargs: dict[str, Any], num_envs: int
) -> EnvOptions:
    """The options of each env: those of `kwargs`, checked, and the rows of per_env."""
    of_pool = pool_options(task)
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
    given |= _values(task.id, [option for option in of_pool if option.name == TIME_LIMIT], kwargs)
    return EnvOptions([TaskOptions.of(task, options, of_pool, num_envs, given, rows)])


def _of_single_env(task_id: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keywords as those of a pool of one env, with the defaults of a single env."""
    for name in SINGLE_ENV:
        if name in kwargs:
            raise TypeError(f"{task_id}: {name} has no meaning for a single env (num_envs=None)")
    return {"seed": None, "reward_dtype": "float64", **kwargs, "num_envs": 1}


def _values(task_id: str, options: list[Option], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The value of each option: that of `kwargs`, checked, or its default."""
    return {
        option.name: option.check(task_id, kwargs[option.name])
        if option.name in kwargs
        else option.default
        for option in options
    }


def autoreset_mode_of(task_id: str, mode: Any) -> str:
    """One of AUTORESET_MODES; also accepts Gymnasium's enum, its names and its values."""
    name = mode.name if isinstance(mode, enum.Enum) else mode
    if isinstance(name, str):
        # next_step, NEXT_STEP (the enum's name), NextStep (its value)
        plain = name.replace("_", "").lower()
        for known in AUTORESET_MODES:
            if plain == known.replace("_", ""):
                return known
    raise ValueError(
        f"{task_id}: autoreset_mode is {mode!r}; "
        f"allowed are {', '.join(map(repr, AUTORESET_MODES))}"
    )


def _render_mode(task: _core.Task, mode: Any) -> str | None:
    """A render mode of the task, or None; ValueError otherwise."""
    modes = task.render_modes
    if mode is None or mode in modes:
        return mode  # type: ignore[no-any-return]
    if not modes:
        raise ValueError(f"{task.id}: render_mode is {mode!r}; this task cannot be rendered")
    raise ValueError(
        f"{task.id}: render_mode is {mode!r}; allowed are {', '.join(map(repr, modes))} and None"
    )


def _render_env_id(task: _core.Task, env_id: Any, num_envs: int) -> int | None:
    """The env that render() shows by default; None: all envs."""
    if env_id is None:
        return None
    what = f"{task.id}: render_env_id"
    number = as_int(what, env_id)
    if not 0 <= number < num_envs:
        raise ValueError(f"{what} is {number}; allowed are 0 to {num_envs - 1}, and None for all")
    return number


def _threshold(task: _core.Task, kwargs: dict[str, Any]) -> float | None:
    """The return that counts as solved: the user's, else the task's, if it has one."""
    own = None if math.isnan(task.reward_threshold) else task.reward_threshold
    given = kwargs.get("reward_threshold", own)
    if given is None:
        return None
    return as_float(f"{task.id}: reward_threshold", given)


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
