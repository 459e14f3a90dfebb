"""A worker process and the pipe to it, as the pool's process sees them."""

from __future__ import annotations

import contextlib
import functools
import math
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from multiprocessing import forkserver, process, util
from typing import Any

from parallel_pool.python.start_method import free_start_method
from parallel_pool.python_envs import worker
from parallel_pool.python_envs.descendants import descendants, kill

START_METHODS = ("forkserver", "spawn", "fork")

# Numerical libraries of a worker use one thread: its neighbours have the other cores.
ONE_THREAD = {
    name: "1"
    for name in (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    )
}
_starting = threading.RLock()  # a forked worker may start pools of its own

# The bytes of a socket's path (sun_path, without its zero), and the name that a fork server's has.
_LONGEST_PATH = 107 if sys.platform == "linux" else 103
_SOCKET_NAME = "/listener-12345678"


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """WorkerHost that start now inherit ONE_THREAD, but for what the user has set."""
    added = {name: value for name, value in ONE_THREAD.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@contextlib.contextmanager
def _hidden_program() -> Iterator[None]:
    """WorkerHost that start now do not run the user's program again.

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


@contextlib.contextmanager
def _short_folder() -> Iterator[None]:
    """A fork server that starts now has its socket in a folder with a short path.

    Multiprocessing takes a folder in TMPDIR, whose path may be longer than that of a socket can be.
    """
    own = util.get_temp_dir()
    if len(os.fsencode(own + _SOCKET_NAME)) <= _LONGEST_PATH:
        yield
        return
    config: dict[str, Any] = vars(process.current_process())["_config"]
    try:
        config["tempdir"] = _folder_in_tmp()
        yield
    except PermissionError as error:
        raise PermissionError(
            f"the fork server's socket cannot be in TMPDIR, because {own!r} is longer than "
            f"{_LONGEST_PATH - len(_SOCKET_NAME)} bytes, nor in /tmp ({error}): give a shorter "
            "TMPDIR, or start_method='spawn'"
        ) from error
    finally:
        config["tempdir"] = own


@functools.cache
def _folder_in_tmp() -> str:
    folder = tempfile.mkdtemp(prefix="pymp-", dir="/tmp")
    util.Finalize(None, shutil.rmtree, args=(folder, True), exitpriority=-100)
    return folder


class WorkerProcess:
    """A worker process and the pipe to it."""

    def __init__(self, start_method: str, lifeline: Any) -> None:
        """Starts the process.

        Args:
            start_method: of multiprocessing.
            lifeline: an end of a pipe whose other end this process has open as long as it lives.
        """
        self._news: dict[str, Any] = {}  # what it has told without being asked
        context: Any = multiprocessing.get_context(start_method)
        pipe: tuple[Any, Any] = context.Pipe()
        self.connection: Any = pipe[0]
        theirs = pipe[1]
        self.process: Any = context.Process(
            target=worker.main, args=(theirs, os.getpid(), lifeline), name="parallel_pool worker"
        )
        with _starting, _one_thread(), free_start_method():
            if start_method == "forkserver":
                if _is_default(forkserver):
                    context.set_forkserver_preload([worker.__name__])
                with _short_folder():
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

    def exit_reason(self) -> str:
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

    def wait(self, deadline: float) -> bool:
        """Waits for the process to end, until time.monotonic() is `deadline`; whether it has."""
        seconds = deadline - time.monotonic()
        self.process.join(None if seconds == math.inf else max(0.0, seconds))
        return self.process.exitcode is not None

    def news(self) -> dict[str, Any]:
        """The messages of its end that it has sent, by kind; see worker.main()."""
        with contextlib.suppress(OSError, EOFError):
            while self.connection.poll():
                kind, value, _ = self.receive()
                self._news[kind] = value
        return self._news

    def end(self) -> None:
        """Kills the process, if it lives, and all processes that it has started."""
        kill(descendants(self.process.pid) if self.process.is_alive() else ())
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
