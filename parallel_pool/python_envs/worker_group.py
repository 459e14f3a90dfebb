"""The worker processes of a pool: their start, their end, and messages to them."""

from __future__ import annotations

import contextlib
import itertools
import math
import multiprocessing
import multiprocessing.util
import os
import threading
import time
import warnings
from collections.abc import Collection
from typing import Any

import cloudpickle
import numpy as np

from parallel_pool.core import _core
from parallel_pool.python.pools.base import close_all
from parallel_pool.python_envs import worker
from parallel_pool.python_envs.calls import EnvCalls
from parallel_pool.python_envs.envs import EnvDescription, EnvsOptions, program_ids
from parallel_pool.python_envs.objects import Build
from parallel_pool.python_envs.tracebacks import pickled_with_sources
from parallel_pool.python_envs.worker_process import ONE_THREAD, WorkerProcess

_MOST_RESTARTS, _IN_SECONDS = 3, 60.0
_SOON = 2.0  # seconds in which envs close, or close() says that it waits

# Multiprocessing waits for the workers when the interpreter ends: the pools must be closed before.
multiprocessing.util.Finalize(None, close_all, exitpriority=100)


class WorkerGroup(EnvCalls):
    """The worker processes of one pool. Neighbouring envs share a worker.

    Attributes:
        description: of the envs.
    """

    def __init__(self, options: EnvsOptions) -> None:
        """Starts the workers, which build their envs.

        Raises:
            ValueError: an env cannot be built, or they have different spaces.
        """
        self._options = options
        count, num_workers = len(options.makers), options.num_workers
        self._max_restarts = _MOST_RESTARTS if options.restart else 0
        self._restarts: list[float] = []  # when
        self._lives = [0] * count  # how often the worker of each env was restarted
        # The envs of each worker, as FirstEnv() in core/engine/homes.h gives them out.
        ends = [count * k // num_workers for k in range(num_workers + 1)]
        self._envs_of = [range(*pair) for pair in itertools.pairwise(ends)]
        self._run: tuple[tuple[Any, ...], dict[str, Any]] | None = None
        self._host: Any = None
        self._lifeline = multiprocessing.Pipe(duplex=False)
        self._pid = os.getpid()
        self._ids = program_ids()
        self._name = "make_python"  # in warnings
        self._messages = itertools.count(1)  # their numbers
        self._asking = [threading.Lock() for _ in range(num_workers)]
        self.workers: list[WorkerProcess] = []
        try:
            for k in range(num_workers):
                self.workers.append(WorkerProcess(options.start_method, self._lifeline[0]))
                self._send_start(k)
            self.description: EnvDescription = self._check(
                [self._built(k) for k in range(num_workers)]
            )
            self._name = self.description.task_id
        except BaseException:
            self.close()
            raise

    def host(self, setup: _core.Setup, calls: Any) -> _core.WorkerHost:
        """The workers in the engine, which calls back by `calls`, a weak reference to this."""
        host = self._host = _core.WorkerHost(
            len(self._options.makers), len(self.workers), self._options.step_timeout, calls
        )
        return host

    def start(self, task: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Lets the workers step their envs for the pool of host().

        Args:
            task: the arguments of _core.describe().
            options: the pool's, as _core.Worker reads them.
        """
        self._run = task, options
        for k in range(len(self.workers)):
            self._send_run(k)

    def restart(self) -> str | None:
        """Starts new processes for those that have ended; why not, if too many have."""
        for k, why in self._host.take_lost():
            now = time.monotonic()
            self._restarts = [at for at in self._restarts if now - at < _IN_SECONDS]
            if len(self._restarts) >= self._max_restarts:
                often = f"{len(self._restarts) + 1} workers have ended within a minute"
                return f"{often if self._max_restarts else 'restart is False'}; the last: {why}"
            self._restarts.append(now)
            with self._asking[k]:
                self._start_again(k)
        return None

    def _start_again(self, k: int) -> None:
        self.workers[k].end()
        for env in self._envs_of[k]:
            self._lives[env] += 1
            sequence = np.random.SeedSequence([self._options.seeds[env], self._lives[env]])
            self._host.seed(env, int(sequence.generate_state(1)[0]))
        self.workers[k] = WorkerProcess(self._options.start_method, self._lifeline[0])
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it ends at once
            self._send_start(k)
            self._send_run(k)

    def close(self) -> None:
        """Ends the processes when their envs are closed, after the pool was closed.

        It waits for steps that are under way for 2 s, for the envs' close() at most for
        `close_timeout`, and then for processes that the envs have started for `child_timeout`. It
        may be called again. Ctrl-C ends the processes at once.
        """
        if os.getpid() != self._pid:
            return  # a fork: they belong to the parent
        workers, self.workers = self.workers, []
        has_run = self._run is not None
        for own in workers:
            if not has_run:
                own.connection.close()  # it waits for a message
        limit = self._options.close_timeout or math.inf
        soon = min(_SOON, limit)
        begin = time.monotonic()
        try:
            late = [k for k, own in enumerate(workers) if not own.wait(begin + soon)]
            closing = [k for k in late if not has_run or "closing" in workers[k].news()]
            self._warn(set(late) - set(closing), f"were ended in a step of more than {soon:g} s")
            if limit > soon:
                still = [k for k in closing if "closed" not in workers[k].news()]
                self._warn(still, f"are still closing; close_timeout is {limit:g} s")
            last = begin + limit + self._options.child_timeout
            closing = [k for k in closing if not workers[k].wait(last)]
            self._warn(closing, f"were ended, because they did not close within {limit:g} s")
            for k, own in enumerate(workers):
                if ended := own.news().get("ended"):
                    limit = self._options.child_timeout
                    what = (
                        f"had left {', '.join(ended)} running, which were ended after {limit:g} s"
                    )
                    self._warn([k], f"{what} (child_timeout)")
        finally:
            for own in workers:
                own.end()
            for end in self._lifeline:
                end.close()
            if self._host is not None:
                self._host.close_files()

    def _warn(self, workers: Collection[int], what: str) -> None:
        if not workers:
            return
        envs = ", ".join(
            f"{self._envs_of[k][0]} to {self._envs_of[k][-1]}" for k in sorted(workers)
        )
        warnings.warn(f"{self._name}: envs {envs} {what}", stacklevel=2)

    def request(self, env: int, name: str, *args: Any) -> Any:
        """See EnvCalls. An env in flight answers after its step."""
        try:
            pickled = cloudpickle.dumps(args)
        except Exception as error:
            raise TypeError(f"an argument cannot be pickled: {error}") from error
        k = next(k for k, own in enumerate(self._envs_of) if env in own)
        with self._asking[k]:
            return self._request(k, (next(self._messages), name, env, pickled))

    def _request(self, k: int, message: tuple[Any, ...]) -> Any:
        own = self.workers[k]
        # Its other envs may be in flight.
        limit = self._options.step_timeout * (len(self._envs_of[k]) + 1)
        try:
            with own.killed_after(limit):
                self._announce(k, message)
                number = -1
                while number != message[0]:  # Ctrl-C may have left the answer to another one
                    while not own.connection.poll(0.05):
                        if not own.process.is_alive():
                            raise EOFError
                    kind, value, number = own.receive()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            why = own.exit_reason()
            raise RuntimeError(f"its worker process has ended {why}".rstrip()) from None
        if kind == "reply":
            return value
        if kind == "refused":
            raise ValueError(value)
        raise RuntimeError(value)

    def _announce(self, k: int, message: tuple[Any, ...]) -> None:
        try:
            # First: a long message goes through the pipe while the worker reads it.
            self._host.announce(k)
            self.workers[k].send(message)
        except KeyboardInterrupt:
            self.workers[k].process.kill()  # it would wait for the rest of the message
            raise

    def exit_reason(self, k: int) -> str:
        """See EnvCalls."""
        return self.workers[k].exit_reason()

    def raised(self, env: int) -> None:
        """None: the exceptions of these envs are in other processes."""

    def _send_start(self, k: int) -> None:
        own, options = self._envs_of[k], self._options
        build = Build(
            makers=[options.makers[env] for env in own],
            first_env=own[0],
            render_mode=options.render_mode,
            max_episode_steps=options.max_episode_steps,
            seeds=[options.seeds[env] for env in own],
        )
        pickled, sources = pickled_with_sources(build)
        entropy = [options.seeds[own[0]], self._lives[own[0]], k]
        environ = ONE_THREAD | dict(os.environ)
        self.workers[k].send(
            worker.Start(sources, environ, self._ids, entropy, options.child_timeout)
        )
        self.workers[k].connection.send_bytes(pickled)

    def _send_run(self, k: int) -> None:
        assert self._run is not None
        own = self.workers[k]
        self._host.set_process(k, own.process.pid)
        own.send(worker.BeginRun(k, *self._run))
        worker.send_file(own.connection, self._host.file)

    def _built(self, k: int) -> EnvDescription:
        """The description that worker k gives of its envs."""
        try:
            kind, value, _ = self.workers[k].receive()
        except EOFError:
            why = self.workers[k].exit_reason()
            raise ValueError(
                f"its worker process has ended {why} while it built its envs"
            ) from None
        if kind == "error":
            raise ValueError(value)
        description: EnvDescription = value
        return description

    def _check(self, all_of: list[EnvDescription]) -> EnvDescription:
        """The description of env 0; ValueError if those of other workers differ."""
        first = all_of[0]
        for k, other in enumerate(all_of):
            for name in ("observation_space", "action_space"):
                if getattr(other, name) != getattr(first, name):
                    raise ValueError(
                        f"env {self._envs_of[k][0]}: its {name} is "
                        f"{getattr(other, name)}; that of env 0 is {getattr(first, name)}: all "
                        "envs of a pool must have the same spaces"
                    )
        return first
