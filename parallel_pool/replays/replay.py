"""replay(): a recorded run again, from any of its steps."""

import os
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parallel_pool._build_info import VERSION
from parallel_pool.core import _core
from parallel_pool.python.apis import dm_api, dm_single, gym_api, gymnasium_api, gymnasium_env
from parallel_pool.python.errors import EnvError, ReplayError
from parallel_pool.python.options.option import as_int
from parallel_pool.python.pools.base import open_envs
from parallel_pool.python.recordings import file
from parallel_pool.python.recordings.recording import FORMAT, describe
from parallel_pool.python.specs.registry import registry, spec_again
from parallel_pool.python.specs.spec import Spec
from parallel_pool.python_envs.make_python import make_python_spec

if TYPE_CHECKING:
    from typing_extensions import Self

# Options that change no result.
_FREE = ("num_threads", "thread_affinity_offset", "pin_memory", "num_workers", "start_method")


def replay(
    path: str | os.PathLike[str],
    *,
    env_id: int | None = None,
    env: Any = None,
    num_threads: int = 0,
    render_mode: str | None = None,
) -> "Replay":
    """Plays a run again that a pool's record() has written.

    Results equal those of the run, bit for bit, on any machine and any number of threads. A digest
    of every 64th result is compared with that of the run.

    Args:
        path: the file.
        env_id: plays this env alone, which is as many times faster as there are envs; None: all.
            With `normalize_observation` or `normalize_reward` all envs are played, because their
            statistics are common.
        env: the envs of a pool of make_python(), as it took them. The file has their actions and
            seeds, but not their code.
        num_threads: as of make().
        render_mode: "rgb_array" for render() and frames().

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no recording, or the task has other arrays or options here; an unknown
            env.
        RuntimeError: a task's library must be loaded first (parallel_pool.load()).
    """
    return Replay(path, env_id, env, num_threads, render_mode)


class Replay:
    """A run that is played again: an iterator of its results.

    A result is that of recv(), also where the run called reset(). If an env threw, an EnvError is
    raised as in the run, and the next result follows.

    Attributes:
        path: the file.
        header: what was recorded, by name: "task", "version", "env_type", "config", ...
        results: the number of results of the whole run: batches that the pool returned.
        step: the number of the last result, from 0 on; -1 before the first.
        damage: what is wrong with the file, whose readable part is played; empty if nothing.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        env_id: int | None = None,
        env: Any = None,
        num_threads: int = 0,
        render_mode: str | None = None,
    ) -> None:
        """See replay()."""
        self.path = os.fspath(path)
        self._reader = file.Reader(self.path)
        self._own = {"num_threads": num_threads, "render_mode": render_mode}
        self._env = env
        self.header: dict[str, Any] = file.from_bytes(next(self._reader.all(file.HEADER)).payload)
        if self.header["format"] != FORMAT:
            raise ValueError(f"{self.path} is a recording of another version of ParallelPool")
        if self.header["version"] != VERSION:
            warnings.warn(
                f"{self.path} was recorded with ParallelPool {self.header['version']}, this is "
                f"{VERSION}: digests show whether its results are equal",
                stacklevel=3,
            )
        self.damage = self._reader.damage
        self._parts = self._reader.find(file.CALLS, file.KEYFRAME)
        self._keyframes = {number for number, _ in self._reader.find(file.KEYFRAME)}
        self._digests = dict(self._pairs())
        self._setups = [one for r in self._reader.all(file.SETUPS) for one in _list(r.payload)]
        ends = [file.from_bytes(r.payload)["results"] for r in self._reader.all(file.END)]
        self.results: int = ends[0] if ends else max([n for _, n in self._parts], default=0)
        if self.damage:
            warnings.warn(f"{self.path}: {self.damage}", stacklevel=3)
        self._spec = self._make_spec()
        self._only = self._checked_env(env_id)
        self.verified = 0  # digests that were equal
        self._open()

    def _pairs(self) -> Iterator[tuple[int, int]]:
        for record in self._reader.all(file.DIGESTS):
            for number, digest in np.frombuffer(record.payload, np.uint64).reshape(-1, 2).tolist():
                yield number, digest

    def _make_spec(self) -> Spec:
        header = self.header
        config = {n: v for n, v in header["config"].items() if n not in _FREE}
        if header["libraries"] is None:
            if self._env is None:
                raise ValueError(
                    f"{self.path} is of a pool of make_python(): give its envs by env=..., as "
                    "make_python() took them"
                )
            config |= {"num_workers": 0, "render_mode": self._own["render_mode"]}
            if config.pop("step_timeout", 0):
                config.pop("num_workers")
            spec = make_python_spec(self._env, **config)
        else:
            for task_id in header["libraries"]:
                registry().find(task_id)  # its error names the nearest
            if config["num_envs"] is not None:
                config["num_threads"] = self._own["num_threads"]
            config["render_mode"] = self._own["render_mode"]
            spec = spec_again(header["libraries"], config)
        if describe(spec.setup) != header["arrays"]:
            raise ValueError(
                f"{self.path}: {header['task']} has other arrays in this version than in that of "
                f"the run, {header['version']}"
            )
        return spec

    def _checked_env(self, env_id: int | None) -> int | None:
        if env_id is None:
            return None
        count = self.num_envs
        if not 0 <= as_int("env_id", env_id) < count:
            raise ValueError(f"env_id is {env_id}; the run has the envs 0 to {count - 1}")
        return int(env_id)

    @property
    def num_envs(self) -> int:
        """The number of envs of the run."""
        return int(self._spec.config["num_envs"] or 1)

    @property
    def is_async(self) -> bool:
        """Whether the pool was async."""
        return not self._spec.is_single and self.header["config"]["batch_size"] != self.num_envs

    def _open(self) -> None:
        """A new pool at the beginning of the run."""
        self._end_pool()
        config = self._spec.config
        is_common = config["normalize_observation"] or config["normalize_reward"]
        self._filters = self._only is not None and bool(is_common)
        played = [] if self._only is None or is_common else [self._only]
        sync = self._spec
        if self.is_async:
            sync = replace(sync, config=config | {"batch_size": self.num_envs})
        self._pool: Any = open_envs(_kind(self.header["env_type"], sync.is_single), sync)
        self._native = self._pool._native
        core = getattr(self._native, "core_pool", self._native)
        self._player = _core.Replayer(core, self.is_async, played)
        for part, values in self._setups:
            task = self._pool._envs.parts[part]
            self._player.add_setup(task.task.configure(values, task.setup))
        self._next_part = 0
        self._ahead: tuple[Any, ...] | EnvError | None = None
        self.step = -1

    def __iter__(self) -> "Self":
        """Returns itself."""
        return self

    def __next__(self) -> Any:
        """The next result.

        Raises:
            EnvError: an env threw, as in the run.
            ReplayError: a digest shows that this result, or one of the 63 before, differs from the
                run.
        """
        result, self._ahead = self._ahead or self._play(), None
        if result is None:
            raise StopIteration
        self.step = self._player.number
        if not isinstance(result, EnvError):
            return self._shaped(result)
        result.result = self._shaped(result.result)
        raise result

    def _play(self) -> tuple[Any, ...] | EnvError | None:
        """The next result, or the error in its place; None at the end."""
        while True:
            result: tuple[Any, ...] | EnvError | None
            try:
                result = self._player.next()
            except EnvError as error:
                result = error
            if result is None and not self._feed():
                return None
            if result is not None:
                self._check_digest()
                if not self._filters or self._only in self._player.envs:
                    return result

    def _feed(self, restart: bool = False) -> bool:
        if self._next_part >= len(self._parts):
            return False
        number, first = self._parts[self._next_part]
        try:
            calls = self._reader.read(number).payload
        except ValueError as error:
            self.damage = str(error)
            warnings.warn(f"{self.path}: {error}; the replay ends there", stacklevel=4)
            self._next_part = len(self._parts)
            return False
        begins = restart or (self._next_part == 0 and number in self._keyframes)
        self._player.feed(calls, first if begins else None)
        self._next_part += 1
        return True

    def _check_digest(self) -> None:
        digest, number = self._player.digest, self._player.number
        if digest is None or number not in self._digests:
            return
        if self._digests[number] != digest:
            raise ReplayError(
                f"{self.path}: result {number}, or one of the {_every(number)} before, differs "
                f"from the run, which was recorded with ParallelPool {self.header['version']}"
            )
        self.verified += 1

    def _shaped(self, result: tuple[Any, ...]) -> Any:
        finish = getattr(self._native, "finish", None)
        if finish is not None:
            result = finish(result)
        if self._filters:
            row = list(self._player.envs).index(self._only)
            result = _row(result, slice(row, row + 1))
        shape = getattr(self._pool, "_shape", None) or getattr(self._pool, "_time_step", None)
        return result if shape is None else shape(*result)

    @property
    def env_id(self) -> Any:
        """The envs of the last result, in its order: int32."""
        return self._player.envs

    @property
    def was_reset(self) -> Any:
        """Which of them were asked for a reset, without an action: bool."""
        return self._player.resets.astype(bool)

    @property
    def action(self) -> dict[str, Any]:
        """The actions that led to the last result, by array: a row for each of `env_id`.

        Those of envs that were asked for a reset have no meaning. Arrays of players have a row for
        each player.
        """
        return dict(self._player.actions)

    def seek(self, step: int) -> None:
        """Goes to a result: the next one is number `step`, or the first after it of `env_id`.

        It begins at the keyframe before; the run has one about every few thousand steps.

        Raises:
            ValueError: the run has no such result.
        """
        if not 0 <= as_int("step", step) < max(self.results, 1):
            raise ValueError(f"step is {step}; the run has the results 0 to {self.results - 1}")
        known = [k for k, (n, first) in enumerate(self._parts) if n in self._keyframes]
        starts = [k for k in known if self._parts[k][1] <= step]
        while starts:
            start = starts.pop()
            here = self._player.number + (self._ahead is None)
            if here > step or self._parts[start][1] > here or not self._player.all_live:
                self._ahead = None
                self._next_part = start
                self._feed(restart=True)
            if self._go_to(step):
                return
        self._open()
        self._go_to(step)

    def _go_to(self, step: int) -> bool:
        """Plays results until the next one is `step`; False if its envs do not go that far back."""
        while self._ahead is None or self._player.number < step:
            self._ahead = None
            if self._player.number == step - 1 and self._player.all_live:
                break
            self._ahead = self._play()
            if self._ahead is None:
                break
        self.step = step - 1
        return self._player.all_live

    def env(self, env_id: int) -> "Replay":
        """A replay of one env alone."""
        own = {name: self._own[name] for name in ("num_threads", "render_mode")}
        return Replay(self.path, env_id, self._env, **own)

    def render(self) -> Any:
        """Pictures of the envs after the last result, as of pool.render().

        Raises:
            RuntimeError: replay() was not given a render_mode.
        """
        if self._spec.is_single:
            return self._pool.render()
        return self._pool.render(self._only)

    def frames(self) -> Iterator[Any]:
        """Pictures after each of the following results: uint8 (envs, height, width, 3)."""
        for _ in self:
            yield np.asarray(self.render())

    def _end_pool(self) -> None:
        if hasattr(self, "_pool"):
            self._pool.close()

    def close(self) -> None:
        """Frees the envs and closes the file; may be called again."""
        self._end_pool()
        self._reader.close()

    def __enter__(self) -> "Self":
        """Returns itself; the end of a `with` block closes it."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Closes it."""
        self.close()

    def __repr__(self) -> str:
        """The file, the task and the number of results."""
        of_env = "" if self._only is None else f", env {self._only}"
        return f"<replay of {self.path}: {self.header['task']}, {self.results} results{of_env}>"


def _every(number: int) -> int:
    return min(number, 63)


def _list(payload: bytes) -> list[Any]:
    made: list[Any] = file.from_bytes(payload)
    return made


def _kind(env_type: str, is_single: bool) -> type[Any]:
    """The class of the envs of a run."""
    if is_single:
        return dm_single.Env if env_type == "dm" else gymnasium_env.Env
    kinds = {"gym": gym_api.Pool, "dm": dm_api.Pool}
    return kinds.get(env_type, gymnasium_api.Pool)


def _row(value: Any, rows: slice) -> Any:
    if isinstance(value, dict):
        return {name: _row(part, rows) for name, part in value.items()}
    if isinstance(value, tuple):
        return tuple(_row(part, rows) for part in value)
    return value[rows]
