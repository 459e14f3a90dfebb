"""The worker processes of a pool: their start, their end, and messages to them."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import multiprocessing.util
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing import forkserver
from typing import Any

import cloudpickle
import numpy as np

from parallel_pool.python.base import close_all
from parallel_pool.python_envs import worker
from parallel_pool.python_envs.envs import Description, Maker

START_METHODS = ("forkserver", "spawn", "fork")
_MOST_RESTARTS, _IN_SECONDS = 3, 60.0
_END_SECONDS = 2.0  # how long close() waits for the envs' own close()

# Multiprocessing waits for the workers when the interpreter ends: the pools must be closed before.
multiprocessing.util.Finalize(None, close_all, exitpriority=100)

# Numerical libraries of a worker use one thread: its neighbours have the other cores.
_ONE_THREAD = {
    name: "1"
    for name in (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    )
}
_starting = threading.RLock()  # a forked worker may start pools of its own


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Processes that start now inherit _ONE_THREAD, but for what the user has set."""
    added = {name: value for name, value in _ONE_THREAD.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@contextlib.contextmanager
def _hidden_program() -> Iterator[None]:
    """Processes that start now do not run the user's program again.

    Multiprocessing would do that, up to its `if __name__ == "__main__"`. A worker needs nothing of
    it: what the program has defined comes by cloudpickle.
    """
    program: dict[str, Any] = vars(sys.modules.get("__main__", sys))
    own: dict[str, Any] = {
        name: program[name] for name in ("__file__", "__spec__") if name in program
    }
    program.pop("__file__", None)
    program["__spec__"] = None
    try:
        yield
    finally:
        del program["__spec__"]
        program.update(own)


class WorkerProcess:
    """A worker process and the pipe to it."""

    def __init__(self, start_method: str) -> None:
        """Starts the process."""
        context: Any = multiprocessing.get_context(start_method)
        pipe: tuple[Any, Any] = context.Pipe()
        self.connection: Any = pipe[0]
        theirs = pipe[1]
        self.process: Any = context.Process(
            target=worker.main, args=(theirs, os.getpid()), name="parallel_pool worker"
        )
        with _starting, _one_thread():
            if start_method == "forkserver":
                if _is_default(forkserver):
                    context.set_forkserver_preload([worker.__name__])
                forkserver.ensure_running()
            with _hidden_program():
                self.process.start()
        theirs.close()

    def send(self, message: Any) -> None:
        """Sends a message; BrokenPipeError if the process has ended."""
        worker.send(self.connection, message)

    def receive(self) -> tuple[str, Any, int]:
        """Its next answer; see worker.main(). EOFError if the process ends without one."""
        kind, value, number = worker.receive(self.connection)
        return kind, value, number

    @contextlib.contextmanager
    def killed_after(self, seconds: float) -> Iterator[None]:
        """Kills the process if the block takes longer than `seconds`; 0: never."""
        if seconds == 0:
            yield
            return
        timer = threading.Timer(seconds, self.process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def fate(self) -> str:
        """How the process has ended; "" if that is not known."""
        self.process.join(1.0)
        code = self.process.exitcode
        if code is None:
            return ""
        if code < 0:
            return f"by signal {signal.strsignal(-code) or -code}"
        with contextlib.suppress(OSError, EOFError):
            while self.connection.poll():
                kind, text, _ = self.receive()
                if kind == "error":  # it could not build its envs
                    return f"with exit code {code}: {text}"
        return f"with exit code {code}"

    def end(self, deadline: float) -> None:
        """Waits for the process to end; kills it and its children after `deadline`."""
        self.process.join(max(0.0, deadline - time.monotonic()))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()  # before it had a group of its own
        self.process.join()
        self.connection.close()
        with contextlib.suppress(ValueError):
            self.process.close()


def _is_default(server: Any) -> bool:
    """Whether the program has chosen no modules for the fork server itself."""
    return getattr(server._forkserver, "_preload_modules", None) == ["__main__"]


class Crew:
    """The worker processes of one pool. Neighbouring envs share a worker.

    Attributes:
        description: of the envs.
    """

    def __init__(
        self,
        makers: list[Maker],
        seeds: list[int],
        num_workers: int,
        start_method: str,
        render_mode: str | None,
        max_episode_steps: int | None,
        step_timeout: float = 0.0,
        restart: bool = True,
    ) -> None:
        """Starts the workers, which build their envs.

        Args:
            makers: a maker for each env.
            seeds: a seed for each env.
            num_workers: the number of processes.
            start_method: one of START_METHODS.
            render_mode: of the envs.
            max_episode_steps: of envs with a Gymnasium id; None: their own.
            step_timeout: the longest time of a step in seconds; 0: no limit.
            restart: whether workers that end are started again.

        Raises:
            ValueError: an env cannot be built, or they have different spaces.
        """
        self._makers, self._seeds = makers, seeds
        self._start_method = start_method
        self._render_mode, self._max_episode_steps = render_mode, max_episode_steps
        self._step_timeout = step_timeout
        self._max_restarts = _MOST_RESTARTS if restart else 0
        self._restarts: list[float] = []  # when
        self._lives = [0] * len(makers)  # how often the worker of each env was restarted
        # The envs of each worker, as FirstEnv() in core/engine/homes.h gives them out.
        ends = [len(makers) * k // num_workers for k in range(num_workers + 1)]
        self._envs_of = [range(*pair) for pair in itertools.pairwise(ends)]
        self._run: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None
        self._processes: Any = None
        self._picture = (0, 0)
        self._pid = os.getpid()
        self.refusal: str | None = None  # of the last message
        self._messages = itertools.count(1)  # their numbers
        self._asking = [threading.Lock() for _ in range(num_workers)]
        self.workers: list[WorkerProcess] = []
        try:
            for k in range(num_workers):
                self.workers.append(WorkerProcess(start_method))
                self._send_build(k)
            self.description: Description = self._check(
                [self._built(k) for k in range(num_workers)]
            )
        except BaseException:
            self.close()
            raise

    def start(self, setup: tuple[Any, ...], options: dict[str, Any], processes: Any) -> None:
        """Lets the workers step their envs for a pool.

        Args:
            setup: the arguments of _core.describe().
            options: those of _core.Worker.
            processes: the pool's _core.Processes.
        """
        path = f"/proc/{os.getpid()}/fd/{processes.fd}"
        self._run = path, setup, options
        self._processes = processes
        self._picture = setup[5]
        for k in range(len(self.workers)):
            self._send_run(k)

    def restart(self) -> str | None:
        """Starts new processes for those that have ended; why not, if too many have."""
        for k, why in self._processes.take_lost():
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
        self.workers[k].end(time.monotonic())
        for env in self._envs_of[k]:
            self._lives[env] += 1
            sequence = np.random.SeedSequence([self._seeds[env], self._lives[env]])
            self._processes.seed(env, int(sequence.generate_state(1)[0]))
        self.workers[k] = WorkerProcess(self._start_method)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it ends at once
            self._send_build(k)
            self._send_run(k)

    def close(self) -> None:
        """Ends the processes, after the pool was closed; may be called again."""
        if os.getpid() != self._pid:
            return  # a fork: they belong to the parent
        workers, self.workers = self.workers, []
        deadline = time.monotonic() + _END_SECONDS
        for own in workers:
            if self._run is None:
                own.connection.close()  # it waits for a message
        for own in workers:
            own.end(deadline)

    def ask(self, env: int, name: str, *args: Any) -> Any:
        """A message about an idle env, and its reply; see worker._Envs.

        Raises:
            RuntimeError: the env threw, or its process has ended.
            TypeError: an argument cannot be pickled.
            ValueError: the env refuses.
        """
        try:
            pickled = cloudpickle.dumps(args)
        except Exception as error:
            raise TypeError(f"an argument cannot be pickled: {error}") from error
        k = next(k for k, own in enumerate(self._envs_of) if env in own)
        with self._asking[k]:
            return self._ask(k, (next(self._messages), name, env, pickled))

    def _ask(self, k: int, message: tuple[Any, ...]) -> Any:
        self.refusal = None
        own = self.workers[k]
        limit = self._step_timeout * (len(self._envs_of[k]) + 1)  # its other envs may be in flight
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
            why = own.fate()
            raise RuntimeError(f"its worker process has ended {why}".rstrip()) from None
        if kind == "reply":
            return value
        if kind == "refused":
            self.refusal = value
            raise ValueError(value)
        raise RuntimeError(value)

    def _announce(self, k: int, message: tuple[Any, ...]) -> None:
        try:
            # First: a long message goes through the pipe while the worker reads it.
            self._processes.announce(k)
            self.workers[k].send(message)
        except KeyboardInterrupt:
            self.workers[k].process.kill()  # it would wait for the rest of the message
            raise

    # The functions of EnvCalls (core/workers/processes.h).

    def set_reset_options(self, env: int, options: str) -> None:
        """Gives the env the options of its next reset."""
        self.ask(env, "set_options", pickle.loads(bytes.fromhex(options)))

    def save(self, env: int) -> bytes:
        """The state of an env."""
        state: bytes = self.ask(env, "save")
        return state

    def load(self, env: int, state: bytes) -> None:
        """Puts an env into a state."""
        self.ask(env, "load", state)

    def render(self, env: int) -> bytes:
        """The picture of an env."""
        picture: bytes = self.ask(env, "render", self._picture)
        return picture

    def render_text(self, env: int) -> str:
        """The env as text."""
        text: str = self.ask(env, "render_text")
        return text

    def fate(self, k: int) -> str:
        """How the process of worker k has ended."""
        return self.workers[k].fate()

    def _send_build(self, k: int) -> None:
        own = self._envs_of[k]
        self.workers[k].send(
            worker.Build(
                makers=[self._makers[env] for env in own],
                first_env=own[0],
                render_mode=self._render_mode,
                max_episode_steps=self._max_episode_steps,
                seeds=[self._seeds[env] for env in own],
                environ=_ONE_THREAD | dict(os.environ),
            )
        )

    def _send_run(self, k: int) -> None:
        assert self._run is not None
        path, setup, options = self._run
        self._processes.set_process(k, self.workers[k].process.pid)
        self.workers[k].send(worker.Run(path, k, setup, options))

    def _built(self, k: int) -> Description:
        """What worker k says of its envs."""
        try:
            kind, value, _ = self.workers[k].receive()
        except EOFError:
            why = self.workers[k].fate()
            raise ValueError(
                f"its worker process has ended {why} while it built its envs"
            ) from None
        if kind == "error":
            raise ValueError(value)
        description: Description = value
        return description

    def _check(self, all_of: list[Description]) -> Description:
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
