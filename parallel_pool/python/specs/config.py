"""The keyword arguments of make(): what they are together, and errors."""

from typing import Any

from parallel_pool.core import _core
from parallel_pool.python.options import pool_options as of_pools
from parallel_pool.python.options.env_options import OptionsOfEnvs, OptionsOfTask
from parallel_pool.python.options.nested import without_dicts
from parallel_pool.python.options.option import Option, suggest_option, unknown_option
from parallel_pool.python.options.other_libraries import option_hint, own_options
from parallel_pool.python.options.per_env_rows import TIME_LIMIT, check_rows, read_rows, split
from parallel_pool.python.specs.native import NativeTask
from parallel_pool.python.specs.source import Source


def pool_options(source: Source, players: int = 1) -> list[Option]:
    """The options that every task has, unless it has one of the same name itself.

    Args:
        source: the task.
        players: the most players of one of its envs.
    """
    own = {option.name for option in source.options}
    return [option for _, option in of_pools.entries(source, own, players)]


def configure(
    task: NativeTask, kwargs: dict[str, Any]
) -> tuple[dict[str, Any], _core.Setup, OptionsOfEnvs]:
    """Every option with its value, the task with its own options set, and the options of each env.

    Raises:
        TypeError: an unknown keyword (with the nearest name) or a value of the wrong type.
        ValueError: a value that is not allowed, or that the task refuses.
    """
    options = task.options
    own_names = {option.name for option in options}
    kwargs = without_dicts(task.id, kwargs, own_names)
    kwargs = own_options(task.id, kwargs, {option.name: option.default for option in options})
    of_pool = [option for _, option in of_pools.entries(task, own_names)]
    known = {option.name for option in of_pool} | own_names
    for name in kwargs:
        if name not in known:
            hint = option_hint(name, known) or suggest_option(task.id, name, known)
            raise unknown_option(task.id, name, hint)
    is_single = kwargs.get("num_envs", 1) is None
    if is_single:
        kwargs = _of_single_env(task.id, kwargs)
    num_envs = of_pools.NUM_ENVS.value(of_pools.NUM_ENVS.option, task, kwargs, 0)
    envs = _env_options(task, of_pool, kwargs, num_envs)
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
    task: NativeTask,
    of_pool: list[Option],
    kwargs: dict[str, Any],
    num_envs: int,
) -> OptionsOfEnvs:
    """The options of each env: those of `kwargs`, checked, and the rows of per_env."""
    rows = read_rows(task.id, task.options, of_pool, kwargs.get("per_env"), num_envs)
    given = {}
    for option in task.options:
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
    return OptionsOfEnvs(
        [OptionsOfTask.of(task.native, task.options, of_pool, num_envs, given, rows)]
    )


def _of_single_env(task_id: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keywords as those of a pool of one env, with the defaults of a single env."""
    for name in of_pools.of_single_envs():
        if name in kwargs:
            raise TypeError(f"{task_id}: {name} has no meaning for a single env (num_envs=None)")
    return {**of_pools.defaults_of_single_envs(), **kwargs, "num_envs": 1}
