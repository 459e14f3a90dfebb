"""Several tasks in one pool: make([...])."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parallel_pool.core import _core
from parallel_pool.python import pool_options
from parallel_pool.python.config import configure
from parallel_pool.python.env_options import TIME_LIMIT, EnvOptions
from parallel_pool.python.joined_arrays import join_arrays
from parallel_pool.python.option import as_int
from parallel_pool.python.spec import Spec

# What make() takes: an id, or an id with options of this task.
Entry = str | tuple[str, Mapping[str, Any]]

# How the arrays of the tasks become those of the pool.
_JOINING = ("action_padding", "observation_padding", "separate_spaces")


@dataclasses.dataclass
class _Tasks:
    """The tasks of a pool in place of a _core.Task."""

    id: str
    setup: _core.Setup
    render_modes: list[str]
    reset_options: list[tuple[Any, ...]]
    options: tuple[()] = ()
    max_episode_steps: int = 2**31 - 1
    reward_threshold: float = math.nan
    turn_based: bool = False

    def configure(self, values: list[Any], like: _core.Setup | None) -> _core.Setup:
        """The tasks, which have their options already."""
        return self.setup


@dataclasses.dataclass(frozen=True, repr=False)
class SeveralSpec(Spec):
    """Several tasks with their options; make(spec) makes pools of them.

    `config["tasks"]` has an (id, options) of each task; make_spec() takes it as it is.

    Attributes:
        parts: the tasks; see `tasks`.
    """

    parts: tuple[Spec, ...] = ()

    @property
    def tasks(self) -> tuple[Spec, ...]:
        """The tasks, each with its options and its number of envs, in the order of the envs.

        info["task_id"] is an index into this tuple.
        """
        return self.parts

    @property
    def libraries(self) -> dict[str, str | None]:
        """The library of each task."""
        return {spec.task_id: spec.library for spec in self.parts}

    @property
    def reward_threshold(self) -> float | None:
        """None: each of the `tasks` has its own."""
        return None

    @property
    def max_episode_steps(self) -> int:
        """The longest time limit of a task, in steps."""
        return max(spec.max_episode_steps for spec in self.parts)

    def config_of(self, envs: EnvOptions) -> dict[str, Any]:
        """The config of a pool whose envs have other options now."""
        return self.config | {"tasks": _own(self.parts, self.task_configs(envs))}

    def task_configs(self, envs: EnvOptions) -> list[dict[str, Any]]:
        """The config of each of the `tasks` whose envs have other options now."""
        return [
            spec.config_of(EnvOptions([part]))
            for spec, part in zip(self.parts, envs.parts, strict=True)
        ]

    def __str__(self) -> str:
        """The tasks, spaces, infos and options as text for people."""
        lines = super().__str__().splitlines()
        first = 0
        for spec in self.parts:
            end = first + spec.config["num_envs"]
            lines.append(f"  task         {spec.task_id}: envs {first} to {end - 1}")
            first = end
        return "\n".join(lines)


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
    name = ", ".join(dict.fromkeys(task_id for task_id, _ in tasks))
    counts = _counts(name, tasks, kwargs.get("num_envs"))
    of_pool = (*pool_options.names(of_each_task=False), *_JOINING)
    common = {n: v for n, v in kwargs.items() if n not in of_pool}
    if "per_env" in common:
        raise TypeError(
            f"{name}: give per_env to one of the tasks: ({tasks[0][0]!r}, {{'per_env': ...}})"
        )
    specs = []
    for (task_id, own), count in zip(tasks, counts, strict=True):
        for option in own:
            if option in of_pool and option != "num_envs":
                raise TypeError(f"{task_id}: {option!r} is an option of the whole pool, not of one")
        try:
            spec = make_one(task_id, **{**common, **own, "num_envs": count})
        except TypeError as error:
            if len(tasks) == 1 or not any(repr(option) in str(error) for option in common):
                raise
            raise TypeError(f"{error}; options of some tasks go to them: (id, options)") from None
        specs.append(spec)
    return _join(name, specs, kwargs, sum(counts))


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


def _counts(name: str, tasks: list[tuple[str, dict[str, Any]]], num_envs: Any) -> list[int]:
    """The number of envs of each task."""
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
    modes = [m for m in specs[0].task.render_modes if all(m in s.task.render_modes for s in specs)]
    reset_options = [
        fields
        for fields in specs[0].task.reset_options
        if all(fields[0] in [f[0] for f in spec.task.reset_options] for spec in specs)
    ]
    task: Any = _Tasks(name, setup, modes, reset_options)
    of_pool = pool_options.names(of_each_task=False)
    own = {name: kwargs[name] for name in of_pool if name in kwargs}
    config, _, _ = configure(task, {**own, "num_envs": count})
    config = {name: value for name, value in config.items() if name in of_pool}
    config |= joining | {"tasks": _own(specs, [spec.config for spec in specs])}
    envs = EnvOptions([spec.envs.parts[0] for spec in specs], several=True)
    plain = Spec.of(task, {**config, TIME_LIMIT: 0}, setup, envs, None, kwargs)
    fields = {field.name: getattr(plain, field.name) for field in dataclasses.fields(plain)}
    return SeveralSpec(**{**fields, "config": config}, parts=tuple(specs))


def _own(
    specs: Sequence[Spec], configs: list[dict[str, Any]]
) -> tuple[tuple[str, dict[str, Any]], ...]:
    """(id, options) of each task: its own options, and those that tasks may differ in."""
    entries = []
    for spec, config in zip(specs, configs, strict=True):
        of_task = pool_options.names(of_each_task=True)
        names = ["num_envs", *(o.name for o in spec.envs.parts[0].options), *of_task]
        entries.append((spec.task_id, {n: config[n] for n in dict.fromkeys(names) if n in config}))
    return tuple(entries)
