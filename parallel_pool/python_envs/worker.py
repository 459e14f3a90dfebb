"""A worker process: it builds its envs, steps them for the pool, and answers its messages."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import socket
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import cloudpickle
import gymnasium

from parallel_pool.core import _core
from parallel_pool.python.specs.wrappers import wrapped_setup
from parallel_pool.python_envs.descendants import adopt, end_own
from parallel_pool.python_envs.objects import (
    BuildError,
    EnvObjects,
    RefusedError,
    own_random_numbers,
)
from parallel_pool.python_envs.tracebacks import error_text, remember_sources


@dataclass(frozen=True)
class Start:
    """The first message to a worker: it builds its envs. The pickled Build follows.

    Attributes:
        sources: the lines of files that only the pool's process has.
        environ: os.environ of the pool's process.
        ids: the pickled specs of the Gymnasium ids that the pool's process has registered.
        entropy: for the random numbers that its envs share.
        child_timeout: the longest time that processes of its envs go on after their close(), s.
    """

    sources: dict[str, list[str]]
    environ: dict[str, str]
    ids: dict[str, bytes]
    entropy: list[int]
    child_timeout: float


@dataclass(frozen=True)
class BeginRun:
    """The pool for which a worker steps its envs. The file of its memory follows.

    Attributes:
        number: of the worker.
        task: the arguments of _core.describe().
        options: the pool's, as _core.Worker reads them.
    """

    number: int
    task: tuple[Any, ...]
    options: dict[str, Any]


def main(connection: Connection, pool_pid: int, lifeline: Connection) -> None:
    """The main function of a worker of process `pool_pid`, which has the other end of `lifeline`.

    It answers by (kind, value, number of the message): "built" and "error" to a Start, whose number
    is 0; then "reply", "refused" or "error". "closing" comes before it closes the envs, "closed"
    after that, and "ended" with the names of the processes of envs that it had to end.
    """
    os.setpgid(0, 0)  # Ctrl-C is for the pool's process
    adopt()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _core.end_with(pool_pid, lifeline.fileno())
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the pool is closed
        _serve(connection)


def send(connection: Connection, message: Any) -> None:
    """Sends an object, also one of a class that only the user's program has."""
    connection.send_bytes(cloudpickle.dumps(message))


def receive(connection: Connection) -> Any:
    """The other side's object."""
    return pickle.loads(connection.recv_bytes())


def send_file(connection: Connection, file: int) -> None:
    """Gives the other side a file descriptor."""
    with _socket(connection) as channel:
        socket.send_fds(channel, [b"f"], [file])


def receive_file(connection: Connection) -> int:
    """The other side's file under a number of this process. EOFError if it has ended."""
    with _socket(connection) as channel:
        _, files, _, _ = socket.recv_fds(channel, 1, 1)
    if not files:
        raise EOFError
    os.set_inheritable(files[0], False)
    return files[0]


def _socket(connection: Connection) -> socket.socket:
    """The socket of a pipe. A copy: its end does not close the pipe."""
    channel = socket.socket(fileno=os.dup(connection.fileno()))
    channel.setblocking(True)  # the program may have called socket.setdefaulttimeout()
    return channel


def _serve(connection: Connection) -> None:
    """Builds the envs, tells what they are, and steps them until the pool is closed."""
    start: Start = receive(connection)
    os.environ.clear()
    os.environ.update(start.environ)
    _register(start.ids)
    remember_sources(start.sources)
    try:
        with own_random_numbers(start.entropy):
            # No variable keeps the bytes or the Build: a large table of the envs may be in them.
            envs = EnvObjects(pickle.loads(connection.recv_bytes()))
    except BaseException as error:
        text = str(error) if isinstance(error, BuildError) else error_text(error)
        send(connection, ("error", text, 0))
        end_own(0)
        raise SystemExit(1) from None
    send(connection, ("built", envs.description, 0))
    try:
        _run(connection, envs, receive(connection))
        send(connection, ("closing", None, 0))
    finally:
        envs.close()
        with contextlib.suppress(OSError):  # the pool's process has ended
            send(connection, ("closed", None, 0))
        ended = end_own(start.child_timeout)
        with contextlib.suppress(OSError):
            send(connection, ("ended", ended, 0))


def _register(ids: dict[str, bytes]) -> None:
    """Adds the ids that the pool's process has registered, if their classes are found here.

    A module that registers them is imported later, if an env needs it; it may register them again.
    """
    for env_id, pickled in ids.items():
        if env_id not in gymnasium.registry:
            with contextlib.suppress(Exception):
                gymnasium.registry[env_id] = pickle.loads(pickled)
    warnings.filterwarnings("ignore", ".*Overriding environment", UserWarning)


def _run(connection: Connection, envs: EnvObjects, run: BeginRun) -> None:
    worker = _core.Worker(
        receive_file(connection),
        run.number,
        wrapped_setup(run.task[0], run.options, _core.describe(*run.task).configure([], None)),
        run.options,
        **envs.helpers(),
    )
    envs.attach(worker)
    while worker.run():
        number, name, env, args = receive(connection)
        try:
            answer = "reply", envs.answer(env, name, *pickle.loads(args)), number
        except RefusedError as error:
            answer = "refused", str(error), number
        except BaseException as error:
            answer = "error", error_text(error), number
        try:
            pickled = cloudpickle.dumps(answer)
        except Exception as error:
            text = f"the result cannot be pickled: {error}"
            pickled = cloudpickle.dumps(("error", text, number))
        connection.send_bytes(pickled)
        worker.end_message()
