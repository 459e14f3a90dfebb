"""A worker process: it builds its envs, steps them for the pool, and answers its messages."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import cloudpickle

from parallel_pool.core import _core
from parallel_pool.python_envs import infos
from parallel_pool.python_envs.envs import (
    Description,
    Maker,
    describe,
    picture_of,
    state_of,
    with_state,
)
from parallel_pool.python_envs.players import Players
from parallel_pool.python_envs.spaces import assembler, flattener

# An error's text in the pool has room for about 1,000 characters.
_LONGEST_ERROR = 950


@dataclass(frozen=True)
class Build:
    """The envs of a worker, which it builds at once.

    Attributes:
        makers: a maker for each env.
        first_env: the number of the first one.
        render_mode: of all envs.
        max_episode_steps: of envs with a Gymnasium id; None: their own.
        seeds: of the envs' action spaces.
        environ: os.environ of the pool's process.
    """

    makers: list[Maker]
    first_env: int
    render_mode: str | None
    max_episode_steps: int | None
    seeds: list[int]
    environ: dict[str, str]


@dataclass(frozen=True)
class Run:
    """The pool for which a worker steps its envs.

    Attributes:
        path: of the pool's memory.
        number: of the worker.
        task: the arguments of _core.describe().
        options: the arguments of _core.Worker after `setup`.
    """

    path: str
    number: int
    task: tuple[Any, ...]
    options: dict[str, Any]


class RefusedError(Exception):
    """A message could not be answered; its text is for the user."""


def main(connection: Connection, pool_pid: int) -> None:
    """The main function of a worker of process `pool_pid`.

    It answers by (kind, value, number of the message): "built" and "error" to a Build, whose number
    is 0; then "reply", "refused" or "error".
    """
    os.setpgid(0, 0)  # Ctrl-C is for the pool's process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _core.end_with(pool_pid)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the pool is closed
        _Envs(connection).serve()


def send(connection: Connection, message: Any) -> None:
    """Sends an object, also one of a class that only the user's program has."""
    connection.send_bytes(cloudpickle.dumps(message))


def receive(connection: Connection) -> Any:
    """The other side's object."""
    return pickle.loads(connection.recv_bytes())


def error_text(error: BaseException) -> str:
    """An exception with the places that raised it, in at most _LONGEST_ERROR characters.

    The places are those of the user's code, the innermost first.
    """
    text = "".join(traceback.format_exception_only(error)).strip()
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    for frame in reversed(frames):
        line = f'\n  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
        if frame.line:
            line += f"\n    {frame.line}"
        if len(text) + len(line) > _LONGEST_ERROR:
            break
        text += line
    return text[:_LONGEST_ERROR]


class _Envs:
    """The envs of a worker."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._envs: list[Any] = []
        self._first_env = 0
        self._worker: Any = None

    def serve(self) -> None:
        """Builds the envs, tells what they are, and steps them until the pool is closed."""
        build: Build = receive(self._connection)
        os.environ.clear()
        os.environ.update(build.environ)
        try:
            description = self._build(build)
        except BaseException as error:
            send(self._connection, ("error", error_text(error), 0))
            raise SystemExit(1) from None
        send(self._connection, ("built", description, 0))
        try:
            self._run(receive(self._connection))
        finally:
            for env in self._envs:
                with contextlib.suppress(Exception):  # the pool is closed: nobody would see it
                    env.close()

    def _build(self, build: Build) -> Description:
        self._first_env = build.first_env
        for number, (maker, seed) in enumerate(
            zip(build.makers, build.seeds, strict=True), build.first_env
        ):
            with _told(f"env {number}"):
                env = maker(build.render_mode, build.max_episode_steps)
                self._envs.append(env)
                if isinstance(env, Players):
                    env.seed_spaces(seed)
                else:
                    env.action_space.seed(seed)
        first = self._envs[0]
        with _told(f"env {build.first_env}"):
            description = describe(first, build.render_mode)
        for number, env in enumerate(self._envs, build.first_env):
            for name in ("observation_space", "action_space"):
                theirs, own = getattr(first, name), getattr(env, name)
                if own != theirs:
                    raise ValueError(
                        f"env {number}: its {name} is {own}; that of env {build.first_env} is "
                        f"{theirs}: all envs of a pool must have the same spaces"
                    )
        return description

    def _run(self, run: Run) -> None:
        first = self._envs[0]
        players = isinstance(first, Players)
        self._worker = _core.Worker(
            run.path,
            run.number,
            _core.describe(*run.task).configure([], None),
            **run.options,
            action_of=list if players else assembler(first.action_space),
            arrays_of=list if players else flattener(first.observation_space),
            encode_info=infos.encode,
            describe=error_text,
        )
        for number, env in enumerate(self._envs, self._first_env):
            self._worker.set_env(number, env)
        while self._worker.run():
            number, name, env, args = receive(self._connection)
            try:
                answer = "reply", getattr(self, f"_{name}")(env, *pickle.loads(args)), number
            except RefusedError as error:
                answer = "refused", str(error), number
            except BaseException as error:
                answer = "error", error_text(error), number
            try:
                pickled = cloudpickle.dumps(answer)
            except Exception as error:
                text = f"the result cannot be pickled: {error}"
                pickled = cloudpickle.dumps(("error", text, number))
            self._connection.send_bytes(pickled)
            self._worker.end_message()

    # Messages. `env` is the number of an env.

    def _env(self, env: int) -> Any:
        return self._envs[env - self._first_env]

    def _set_options(self, env: int, options: Any) -> None:
        self._worker.set_options(env, options)

    def _save(self, env: int) -> bytes:
        try:
            state = state_of(self._env(env))
        except ValueError as error:
            raise RefusedError(str(error)) from error
        return bytes(cloudpickle.dumps((state, self._worker.last(env))))

    def _load(self, env: int, data: bytes) -> None:
        state, (obs, info) = pickle.loads(data)
        new = with_state(self._env(env), state)
        self._envs[env - self._first_env] = new
        self._worker.set_env(env, new)
        self._worker.set_last(env, obs, info)

    def _render(self, env: int, shape: tuple[int, int]) -> bytes:
        picture = picture_of(self._env(env))
        if picture.shape[:2] != shape:
            raise RefusedError(
                f"render() returned a picture of {picture.shape[:2]}, before of {shape}"
            )
        return bytes(picture.tobytes())

    def _render_text(self, env: int) -> str:
        text = self._env(env).render()
        return text if isinstance(text, str) else str(text.getvalue())

    def _get(self, env: int, name: str) -> Any:
        return _attribute(self._env(env), name)

    def _set(self, env: int, name: str, value: Any) -> None:
        target = self._env(env)
        if hasattr(target, "set_wrapper_attr"):
            target.set_wrapper_attr(name, value)
        else:
            setattr(target, name, value)
        self._worker.set_env(env, target)

    def _call(self, env: int, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        target = _attribute(self._env(env), name)
        return target(*args, **kwargs) if callable(target) else target


def _attribute(env: Any, name: str) -> Any:
    """An attribute of an env or of what it wraps."""
    inner = env.env if isinstance(env, Players) else env
    try:
        if hasattr(inner, "get_wrapper_attr"):
            return inner.get_wrapper_attr(name)
        return getattr(inner, name)
    except AttributeError as error:
        raise RefusedError(str(error)) from error


@contextlib.contextmanager
def _told(which: str) -> Iterator[None]:
    """Adds the env to an exception's text."""
    try:
        yield
    except Exception as error:
        raise RuntimeError(f"{which}: {error_text(error)}") from None
