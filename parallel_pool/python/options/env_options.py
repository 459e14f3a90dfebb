"""Options that differ from env to env: `per_env` of make() and of reset(options=)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.options.option import Option
from parallel_pool.python.options.per_env_rows import TIME_LIMIT, PerEnvValues, read_rows, rows_at

if TYPE_CHECKING:
    from parallel_pool.core import _core

# The options of an env for the engine: its _core.Setup, and its time limit in steps.
EnvSetup = tuple[Any, int]


@dataclass
class OptionsOfTask:
    """The options of those envs of a pool that are of one task.

    Attributes:
        task: the task.
        options: the task's options.
        pool_options: the options of every pool that the task does not have itself.
        count: the number of envs.
        given: the options that the user gave to all envs; the task may compute the others from
            those of the env. Also TIME_LIMIT, unless the task has that option itself.
        rows: the options that the user gave to each env.
        setups: the task with the options of each env, if they differ; envs with the same options
            share one. Else the one of all envs.
    """

    task: _core.Task
    options: Sequence[Option]
    pool_options: Sequence[Option]
    count: int
    given: dict[str, Any]
    rows: PerEnvValues
    setups: list[_core.Setup]

    @classmethod
    def of(
        cls,
        task: _core.Task,
        options: Sequence[Option],
        pool_options: Sequence[Option],
        count: int,
        given: dict[str, Any],
        rows: PerEnvValues,
    ) -> OptionsOfTask:
        """The task for `count` envs with checked options; see the attributes.

        Raises:
            ValueError: the task refuses an option, or an option of an env changes its arrays.
        """
        made = cls(task, options, pool_options, count, given, rows, [])
        made.setups = made._configure(range(count if rows else 1), None)
        return made

    @property
    def setup(self) -> _core.Setup:
        """The task with the options of env 0."""
        return self.setups[0]

    def setup_of(self, env: int) -> _core.Setup:
        """The task with the options of an env."""
        return self.setups[env if self.rows else 0]

    def time_limit(self, env: int) -> int:
        """The longest episode of an env, in steps."""
        for k, option in enumerate(self.options):
            if option.name == TIME_LIMIT:
                return int(self.setup_of(env).options[k])
        return int(self.value_given(TIME_LIMIT, env))

    def value_given(self, name: str, env: int) -> Any:
        """The value that the user gave to an env; None: the task computes it."""
        return self.rows[name][env] if name in self.rows else self.given.get(name)

    def values(self, env: int) -> dict[str, Any]:
        """All options of an env: those of the task."""
        values = self.setup_of(env).options
        return {option.name: value for option, value in zip(self.options, values, strict=True)}

    def shown(self) -> dict[str, Any]:
        """The entries of `pool.config` that show what differs.

        `per_env` has each option that the user gave to each env, and those that differ because they
        follow from these; the option's own entry is that of env 0. Options that are arrays with a
        row for each env are shown as that.
        """
        per_env: PerEnvValues = {}
        stacked: dict[str, Any] = {}
        if not self.rows:
            return {"per_env": per_env}
        values = {id(setup): setup.options for setup in self.setups}
        for k, option in enumerate(self.options):
            column = [values[id(setup)][k] for setup in self.setups]
            if option.kind == "env_arrays":
                stacked[option.name] = _stacked(column)
            elif option.name in self.rows or any(value != column[0] for value in column):
                per_env[option.name] = column
        if TIME_LIMIT in self.rows:
            per_env[TIME_LIMIT] = list(self.rows[TIME_LIMIT])
        of_first = {name: column[0] for name, column in per_env.items()}
        return of_first | {"per_env": per_env} | stacked

    def read(self, given: Any, count: int) -> PerEnvValues:
        """The checked `per_env` of a call for `count` envs; see read_rows()."""
        return read_rows(self.task.id, self.options, self.pool_options, given, count)

    def with_rows(self, envs: Sequence[int], rows: PerEnvValues) -> OptionsOfTask:
        """A copy in which `envs` have the options of `rows`, a value for each.

        Raises:
            ValueError: an option is refused or would change the env's arrays, or make() did not
                name an array of the model.
        """
        new = replace(
            self,
            rows={name: list(column) for name, column in self.rows.items()},
            setups=[self.setup_of(env) for env in range(self.count)],
        )
        for name, values in rows.items():
            column = new._column(name)
            option = self._option(name)
            has_arrays = option is not None and option.kind == "env_arrays"
            for env, value in zip(envs, values, strict=True):
                column[env] = self._merged(name, column[env], value) if has_arrays else value
        differ = [env for env in envs if _key(new._all_given(env)) != _key(self._all_given(env))]
        for env, setup in zip(differ, new._configure(differ, self.setup), strict=True):
            new.setups[env] = setup
        return new

    def adopt(self, new: OptionsOfTask, envs: Sequence[int]) -> OptionsOfTask:
        """A copy in which `envs` have the options that they have in `new`."""
        made = self.with_rows((), {})
        for name in (*self.rows, *new.rows):
            column = made._column(name)
            for env in envs:
                column[env] = new.value_given(name, env)
        for env in envs:
            made.setups[env] = new.setup_of(env)
        return made

    def from_json(self, name: str, value: Any) -> Any:
        """The value of an option after a round trip through JSON."""
        option = self._option(name)
        return value if option is None else _from_json(option, value)

    def _option(self, name: str) -> Option | None:
        return next((option for option in self.options if option.name == name), None)

    def _column(self, name: str) -> list[Any]:
        """The row of an option, made if there is none: what the user gave to all envs, or None."""
        return self.rows.setdefault(name, [self.given.get(name)] * self.count)

    def _merged(self, name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> Any:
        for key in new:
            if key not in (old or {}):
                raise ValueError(
                    f"{self.task.id}: per_env: {name} has {key!r}, which make() did not name: "
                    f"reset() can change {', '.join(old or {}) or 'none'}"
                )
        return dict(old or {}) | dict(new)

    def _all_given(self, env: int) -> list[Any]:
        """The value of each option of the task; None: the task computes it."""
        return [self.value_given(option.name, env) for option in self.options]

    def _configure(self, envs: Sequence[int], like: _core.Setup | None) -> list[_core.Setup]:
        """The setup of each env of `envs`; what `like` has loaded is not loaded again."""
        made: dict[Any, _core.Setup] = {}
        setups = []
        for env in envs:
            values = self._all_given(env)
            key = _key(values)
            if key not in made:
                made[key] = self._configured(env, values, like)
                like = like or made[key]
            setups.append(made[key])
        return setups

    def _configured(self, env: int, values: list[Any], like: _core.Setup | None) -> _core.Setup:
        """One env's setup; ValueError unless its arrays are those of `like`."""
        own = {n: column[env] for n, column in self.rows.items() if n != TIME_LIMIT}
        try:
            setup = self.task.configure(values, like)
        except ValueError as error:
            if not own:
                raise
            raise ValueError(f"{error} (per_env: env {env} with {_text(own)})") from None
        difference = _difference(like or setup, setup)
        if difference:
            raise ValueError(
                f"{self.task.id}: per_env: env {env} with {_text(own)} has {difference}; all envs "
                "of a pool must have the same"
            )
        return setup


@dataclass
class OptionsOfEnvs:
    """The options of each env of a pool.

    Attributes:
        parts: the tasks of the pool, one after another.
        several: whether it was made of a list of tasks.
    """

    parts: list[OptionsOfTask]
    several: bool = False

    @property
    def differ(self) -> bool:
        """Whether envs have options of their own."""
        return self.several or any(part.rows for part in self.parts)

    def native(self) -> list[EnvSetup]:
        """The argument of _core.Pool: (setup, time limit) of each env; [] if they do not differ."""
        if not self.differ:
            return []
        return [
            (part.setup_of(env), part.time_limit(env))
            for part in self.parts
            for env in range(part.count)
        ]

    def place(self, env: int) -> tuple[int, int]:
        """The number of an env's part, and the env's number in it."""
        for number, part in enumerate(self.parts):
            if env < part.count:
                return number, env
            env -= part.count
        raise IndexError(env)

    def groups(self, env_ids: Sequence[int]) -> dict[int, tuple[list[int], list[int]]]:
        """For each part with some of `env_ids`: their places in the list, their numbers in it."""
        groups: dict[int, tuple[list[int], list[int]]] = {}
        for i, env in enumerate(env_ids):
            number, own = self.place(env)
            places, envs = groups.setdefault(number, ([], []))
            places.append(i)
            envs.append(own)
        return groups

    def changed(self, env_ids: Sequence[int], given: Any) -> OptionsOfEnvs:
        """The options after reset(env_ids, options={"per_env": given}).

        Raises:
            TypeError, ValueError: those of read_rows() and of OptionsOfTask.with_rows().
        """
        parts = list(self.parts)
        for number, (places, envs) in self.groups(env_ids).items():
            rows = parts[number].read(rows_at(given, places, len(env_ids)), len(places))
            parts[number] = parts[number].with_rows(envs, rows)
        return replace(self, parts=parts)

    def taking(self, other: OptionsOfEnvs, env_ids: Sequence[int]) -> OptionsOfEnvs:
        """These options, but those of `other` for some envs."""
        parts = list(self.parts)
        for number, (_, envs) in self.groups(env_ids).items():
            parts[number] = parts[number].adopt(other.parts[number], envs)
        return replace(self, parts=parts)

    def adopt(self, new: OptionsOfEnvs, native: list[EnvSetup]) -> OptionsOfEnvs:
        """These options with those changes of `new` that the pool, which has `native`, has made."""
        wanted = new.native()
        if not wanted:  # no env has options of its own
            return self
        made = [env for env, options in enumerate(native) if options == wanted[env]]
        return self.taking(new, made)


def _from_json(option: Option, value: Any) -> Any:
    if option.kind == "env_arrays":
        return {name: np.array(rows, np.float64) for name, rows in value.items()}
    if option.kind == "numbers_by_int":
        value = {int(key): numbers for key, numbers in value.items()}
    return option.check("per_env", value)


def _key(value: Any) -> Any:
    """Something hashable that differs if the value does."""
    if isinstance(value, dict):
        return tuple((key, _key(part)) for key, part in value.items())
    if isinstance(value, list):
        return tuple(_key(part) for part in value)
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    return type(value), value


def _difference(old: _core.Setup, new: _core.Setup) -> str:
    """'array X instead of Y' where two setups cannot be of one pool; empty if they can."""
    for olds, news in (
        (old.action_arrays, new.action_arrays),
        (old.state_arrays, new.state_arrays),
    ):
        names = [array[0] for array in olds], [array[0] for array in news]
        if names[0] != names[1]:
            return f"the arrays {', '.join(names[1])} instead of {', '.join(names[0])}"
        for before, after in zip(olds, news, strict=True):
            if before != after:
                text = [str(ArraySpec(*array)) for array in (after, before)]
                if text[0] == text[1]:
                    text = [f"{low} .. {high}" for _, _, _, _, low, high, *_ in (after, before)]
                return f"{after[0]} {text[0]} instead of {text[1]}"
    if old.players != new.players or old.most_players != new.most_players:
        return "other players"
    if old.render_size != new.render_size:
        return f"pictures of {new.render_size} instead of {old.render_size} pixels"
    return ""


def _stacked(column: list[dict[str, Any]]) -> dict[str, Any]:
    """Arrays with a row for each env, read-only."""
    stacked = {name: np.stack([arrays[name] for arrays in column]) for name in column[0]}
    for array in stacked.values():
        array.setflags(write=False)
    return stacked


def _text(options: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_brief(value)}" for name, value in options.items())


def _brief(value: Any) -> str:
    return json.dumps(value, default=lambda array: f"array{np.shape(array)}")
