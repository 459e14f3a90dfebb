"""Several tasks in one pool: make([...])."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parallel_pool.core import _core
from parallel_pool.python.backend import Backend
from parallel_pool.python.options import pool_options
from parallel_pool.python.options.env_options import OptionsOfEnvs
from parallel_pool.python.options.option import as_int
from parallel_pool.python.specs.joined_arrays import join_arrays
from parallel_pool.python.specs.native import open_native
from parallel_pool.python.specs.source import Kind, Remake, Source
from parallel_pool.python.specs.spec import Spec

# An entry of make()'s list: an id, or an id with options of this task.
Entry = str | tuple[str, Mapping[str, Any]]

_MOST_NAMED = 5  # tasks in the name of a pool

# How the arrays of the tasks become those of the pool.
_JOINING = ("action_padding", "observation_padding", "separate_spaces")


class SeveralTasks(Source):
    """Several tasks, each with its options and its number of envs."""

    def remake(self) -> tuple[Remake, Any]:
        """See Source."""
        made = [spec.source.remake() for spec in self.specs]
        return made[0][0], {k: v for _, libraries in made for k, v in libraries.items()}

    def open(self, spec: Any, kind: Kind) -> Backend:
        """See Source."""
        return open_native(spec, kind)


def make_several(
    entries: Sequence[Entry], kwargs: dict[str, Any], make_one: Callable[..., Spec]
) -> Spec:
    """The spec of several tasks.

    Args:
        entries: the tasks.
        kwargs: the keywords of make().
        make_one: make_spec() of one task.

    Raises:
        ValueError: no task, tasks that differ, or an option that is not allowed.
        TypeError: an entry or a value of the wrong type, or an unknown option.
    """
    tasks = [_parse(i, entry) for i, entry in enumerate(entries)]
    if not tasks:
        raise ValueError("there must be at least one task: the list is empty")
    if kwargs.get("num_envs", 1) is None:
        raise TypeError("num_envs is None, a single env: several tasks need a pool")
    name = _name(list(dict.fromkeys(task_id for task_id, _ in tasks)))
    counts = counts_of(name, tasks, kwargs.get("num_envs"))
    of_pool = (*pool_options.names(of_each_task=False), *_JOINING)
    common = {n: v for n, v in kwargs.items() if n not in of_pool}
    if "per_env" in common:
        raise TypeError(
            f"{name}: give per_env to one of the tasks: ({tasks[0][0]!r}, {{'per_env': ...}})"
        )
    specs = []
    for (task_id, own), count in zip(tasks, counts, strict=True):
        try:
            spec = make_one(task_id, **{**common, **own, "num_envs": count})
            has = {option.name for option in spec.source.options}
            for option in own:
                if option in of_pool and option not in has:
                    raise TypeError(
                        f"{task_id}: {option!r} is an option of the whole pool, not of one"
                    )
        except TypeError as error:
            if len(tasks) == 1 or not any(repr(option) in str(error) for option in common):
                raise
            raise TypeError(f"{error}; options of some tasks go to them: (id, options)") from None
        specs.append(spec)
    return _join(name, specs, kwargs, sum(counts))


def _name(ids: list[str]) -> str:
    """The name of a pool of these tasks."""
    if len(ids) <= _MOST_NAMED:
        return ", ".join(ids)
    return f"{', '.join(ids[:_MOST_NAMED])} and {len(ids) - _MOST_NAMED} more"


def _parse(i: int, entry: Any) -> tuple[str, dict[str, Any]]:
    """The id and the options of an entry."""
    if isinstance(entry, str):
        return entry, {}
    is_pair = isinstance(entry, tuple | list) and len(entry) == 2
    if is_pair and isinstance(entry[0], str) and isinstance(entry[1], Mapping):
        return entry[0], dict(entry[1])
    raise TypeError(
        f"tasks[{i}] must be an id or a pair (id, options) such as ('Pong-v5', {{'frame_skip': "
        f"4}}), not {entry!r}"
    )


def counts_of(name: str, tasks: list[tuple[str, dict[str, Any]]], num_envs: Any) -> list[int]:
    """The number of envs of each task.

    Args:
        name: of the pool, for errors.
        tasks: ids, each with its options; a number of envs among them is taken out.
        num_envs: of the pool: their sum, one number for each task, or None.

    Raises:
        TypeError: a number of the wrong type.
        ValueError: not as many numbers as tasks, or fewer envs than tasks.
    """
    own = [options.pop("num_envs", None) for _, options in tasks]
    if any(count is not None for count in own):
        counts = [as_int(f"{name}: num_envs", 1 if count is None else count) for count in own]
        if num_envs is not None and not isinstance(num_envs, int):
            raise TypeError(f"{name}: num_envs is given for each task already")
        if num_envs is not None and num_envs != sum(counts):
            raise ValueError(f"{name}: num_envs is {num_envs}; the tasks have {sum(counts)}")
        return counts
    if num_envs is None:
        return [1] * len(tasks)
    if isinstance(num_envs, Sequence) or hasattr(num_envs, "tolist"):
        counts = [as_int(f"{name}: num_envs[{i}]", count) for i, count in enumerate(num_envs)]
        if len(counts) != len(tasks):
            raise ValueError(
                f"{name}: num_envs has {len(counts)} values; there are {len(tasks)} tasks"
            )
        return counts
    total = as_int(f"{name}: num_envs", num_envs)
    if total < len(tasks):
        raise ValueError(f"{name}: num_envs is {total}; there are {len(tasks)} tasks")
    return [total // len(tasks) + (i < total % len(tasks)) for i in range(len(tasks))]


def _join(name: str, specs: list[Spec], kwargs: dict[str, Any], count: int) -> Spec:
    joining = {option: kwargs.get(option, False) for option in _JOINING}
    for option, value in joining.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name}: {option} must be True or False, not {value!r}")
    for spec in specs:
        if any(array.players for array in (*spec.state_arrays, *spec.action_arrays)):
            raise ValueError(
                f"{spec.task_id}: it has arrays with a row for each player, and a pool of several "
                "tasks has one for each env: make a pool of its own"
            )
    arrays = join_arrays(name, specs, **joining)
    parts = [
        (spec.setup, spec.config["num_envs"], action, state)
        for spec, action, state in zip(
            specs, arrays.action_places, arrays.state_places, strict=True
        )
    ]
    setup = _core.join(name, parts, arrays.action, arrays.state)
    first = specs[0].source
    source = SeveralTasks(
        id=name,
        reset_options=[
            option
            for option in first.reset_options
            if all(option.name in [o.name for o in spec.source.reset_options] for spec in specs)
        ],
        render_modes=[
            mode
            for mode in first.render_modes
            if all(mode in spec.source.render_modes for spec in specs)
        ],
        max_episode_steps=max(spec.max_episode_steps for spec in specs),
        specs=tuple(specs),
    )
    given = kwargs | {"num_envs": count}
    config = {
        option.name: entry.value(option, source, given, count)
        for entry, option in pool_options.entries(source, set())
        if not entry.of_each_task
    }
    config |= joining | {"tasks": tuple(spec.entry(spec.config) for spec in specs)}
    envs = OptionsOfEnvs([spec.envs.parts[0] for spec in specs], several=True)
    return Spec.of(source, config, setup, envs, kwargs)
