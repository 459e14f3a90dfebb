"""replay(): a recorded run again, from any of its steps."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parallel_pool.core import _core
from parallel_pool.python.apis.kinds import class_of
from parallel_pool.python.arrays.trees import nest, take_rows
from parallel_pool.python.errors import EnvError, ReplayError
from parallel_pool.python.options.option import as_int
from parallel_pool.python.pools.base import open_envs
from parallel_pool.replays.run import Run

if TYPE_CHECKING:
    from typing_extensions import Self

_Result = tuple[Any, ...]

_DIGEST_EVERY = 64  # results; kDigestEvery of the engine


class Replay:
    """A run that is played again: an iterator of its results.

    A result is that of recv(), also where the run called reset(). If an env threw, an EnvError is
    raised as in the run, and the next result follows. With `env_id` a result has the row of that
    env alone, and so have `env_id`, `was_reset` and `action`.

    Attributes:
        path: the file.
        header: what was recorded, by name: "task", "version", "env_type", "config", ...
        results: the number of results of the whole run: batches that the pool returned.
        step: the number of the last result, from 0 on; -1 before the first.
        digests: those of the run, by the number of the last of the 64 results that each is of.
        verified: how many of them were equal to those of this replay so far.
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
        self._run = run = Run(path, env, num_threads, render_mode)
        self._arguments = env, num_threads, render_mode
        self.path: str = run.path
        self.header: dict[str, Any] = run.header
        self.results: int = run.results
        self.digests: dict[int, int] = run.digests
        self.num_envs: int = int(run.spec.config["num_envs"] or 1)
        if env_id is not None and not 0 <= as_int("env_id", env_id) < self.num_envs:
            run.close()
            raise ValueError(f"env_id is {env_id}; the run has the envs 0 to {self.num_envs - 1}")
        self._only = env_id
        config = run.spec.config
        # The statistics of all envs are common: all are played.
        self._is_filter = env_id is not None and bool(
            config["normalize_observation"] or config["normalize_reward"]
        )
        self._pool: Any = None
        self.verified: int = 0
        self._open()

    def _open(self) -> None:
        """A new pool at the beginning of the run."""
        if self._pool is not None:
            self._pool.close()
        run, spec = self._run, self._run.spec
        if run.is_async:
            spec = replace(spec, config=spec.config | {"batch_size": self.num_envs})
        self._pool = open_envs(class_of(self.header["env_type"], spec.is_single), spec)
        core = self._pool._native.core_pool
        envs = [] if self._only is None or self._is_filter else [self._only]
        self._player = _core.Replayer(core, run.is_async, envs, run.has_old_digests)
        self._setups = 0
        self._add_setups()
        self._next_part = 0
        self._ahead: _Result | EnvError | None = None  # the next result, if it was played already
        self.step: int = -1

    def _add_setups(self) -> None:
        """Gives the player the options of envs that were built again, which it has not yet."""
        for task, values in self._run.setups[self._setups :]:
            part = self._pool._envs.parts[task]
            self._player.add_setup(part.task.configure(values, part.setup))
            self._setups += 1

    @property
    def pool(self) -> Any:
        """The pool that plays, for its spaces and spec; only the replay may step it."""
        return self._pool

    @property
    def damage(self) -> str:
        """The file's damage; its readable part is played. Empty if there is none."""
        return self._run.damage

    def check(self) -> str:
        """Reads the file to its end; returns its damage."""
        return self._run.check()

    def look_again(self) -> bool:
        """Looks for results that a program has appended to the file since; then they follow.

        Returns:
            Whether more can follow later: the file has no end yet. A program that was killed never
            writes it.
        """
        self._run.look_again()
        self.results = self._run.results
        self._add_setups()
        return not self._run.has_ended

    @property
    def newest_keyframe(self) -> int:
        """The number of the last result at which a seek() is quick; 0 if there is none."""
        run = self._run
        starts = (run.first(k) for k in range(run.parts - 1, -1, -1) if run.begins_keyframe(k))
        return next(starts, 0)

    @property
    def fps(self) -> int:
        """Steps per second at which people watch the task; 0: as fast as possible."""
        return self._run.spec.render_fps

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

    def _play(self) -> _Result | EnvError | None:
        """The next result, or the error in its place; None at the end."""
        while True:
            result: _Result | EnvError | None
            try:
                result = self._player.next()
            except EnvError as error:
                result = error
            if result is None and not self._feed():
                return None
            if result is not None:
                self._check_digest()
                if not self._is_filter or self._only in self._player.envs:
                    return result

    def _feed(self, restart: bool = False) -> bool:
        """Gives the player the calls of the next part; False if there is none."""
        run, part = self._run, self._next_part
        calls = run.calls(part) if part < run.parts else None
        if calls is None:
            self._next_part = run.parts
            return False
        begins = restart or (part == 0 and run.begins_keyframe(0))
        self._player.feed(calls, run.first(part) if begins else None)
        self._next_part += 1
        return True

    def _check_digest(self) -> None:
        digest, number = self._player.digest, self._player.number
        if digest is None or number not in self.digests:
            return
        if self.digests[number] != digest:
            before = min(number, _DIGEST_EVERY - 1)
            raise ReplayError(
                f"{self.path}: result {number}, or one of the {before} before, differs from the "
                f"run, which was recorded with ParallelPool {self.header['version']}"
            )
        self.verified += 1

    def _shaped(self, result: _Result) -> Any:
        """The result as the pool's API has it."""
        result = self._pool._native.finish(result)
        if self._is_filter:
            result = take_rows(result, self._shown)
        shape = getattr(self._pool, "_shape", None) or getattr(self._pool, "_time_step", None)
        return result if shape is None else shape(*result)

    @property
    def _shown(self) -> slice:
        """The rows of the last result that the replay shows, of those that it plays."""
        if not self._is_filter or self._only not in self._player.envs:
            return slice(None)
        row = self._player.envs.tolist().index(self._only)
        return slice(row, row + 1)

    @property
    def env_id(self) -> Any:
        """The envs of the last result, in its order: int32."""
        return self._player.envs[self._shown]

    @property
    def was_reset(self) -> Any:
        """Which of them were asked for a reset, without an action: bool."""
        return self._player.resets.astype(bool)[self._shown]

    @property
    def action(self) -> Any:
        """The actions that led to the last result, as step() takes them: a row for each `env_id`.

        An array, or a dict of them if the task has several. Those of envs that were asked for a
        reset have no meaning. Arrays of players have a row for each player.
        """
        actions = take_rows(dict(self._player.actions), self._shown)
        return actions["action"] if list(actions) == ["action"] else nest(actions.items())

    def seek(self, step: int) -> None:
        """Goes to a result: the next one is number `step`, or the first after it of `env_id`.

        It begins at the keyframe before; the run has one about every few thousand steps.

        Raises:
            ValueError: the run has no such result.
        """
        if not 0 <= as_int("step", step) < self.results:
            last = f"0 to {self.results - 1}" if self.results else "none"
            raise ValueError(f"step is {step}; the results of the run are {last}")
        run = self._run
        starts = [k for k in range(run.parts) if run.begins_keyframe(k) and run.first(k) <= step]
        while starts:
            start = starts.pop()
            next_one = self._player.number + (self._ahead is None)
            is_on_the_way = run.first(start) <= next_one <= step and self._player.live_from <= step
            if not is_on_the_way:
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
            if self._player.number == step - 1 and self._player.live_from <= step:
                break
            self._ahead = self._play()
            if self._ahead is None:
                break
        self.step = step - 1
        return bool(self._player.live_from <= step)

    def env(self, env_id: int) -> "Replay":
        """A replay of one env alone."""
        return Replay(self.path, env_id, *self._arguments)

    def render(self) -> Any:
        """Pictures of the envs after the last result, as of pool.render().

        Raises:
            RuntimeError: replay() was not given a render_mode.
        """
        return self._pool.render() if self._run.spec.is_single else self._pool.render(self._only)

    def frames(self) -> Iterator[Any]:
        """Pictures after each of the following results: uint8 (envs, height, width, 3).

        A result in which an env threw has a picture, too.
        """
        while True:
            try:
                next(self)
            except StopIteration:
                return
            except EnvError:
                pass  # the result is there
            yield np.asarray(self.render())

    def close(self) -> None:
        """Frees the envs and closes the file; may be called again."""
        self._pool.close()
        self._run.close()

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


def replay(
    path: str | os.PathLike[str],
    *,
    env_id: int | None = None,
    env: Any = None,
    num_threads: int = 0,
    render_mode: str | None = None,
) -> Replay:
    """Plays a run again that a pool's record() has written.

    Results equal those of the run, bit for bit, on any machine and any number of threads. A digest
    of each 64 results is compared with that of the run.

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
