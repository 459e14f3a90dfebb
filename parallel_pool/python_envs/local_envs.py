"""Envs in Python that the pool's own process steps: num_workers=0."""

from __future__ import annotations

import os
from typing import Any

from parallel_pool.core import _core
from parallel_pool.python_envs.calls import EnvCalls
from parallel_pool.python_envs.envs import EnvDescription, EnvsOptions
from parallel_pool.python_envs.objects import Build, EnvObjects, RefusedError
from parallel_pool.python_envs.tracebacks import error_text


class LocalEnvs(EnvCalls):
    """The envs of a pool, which the thread that receives steps one after another.

    It has the functions of WorkerGroup. Breakpoints, profilers and prints of the envs work as in a
    loop. The envs draw from the program's own global generators, as in SyncVectorEnv.

    Attributes:
        description: of the envs.
    """

    def __init__(self, options: EnvsOptions) -> None:
        """Builds the envs.

        Raises:
            ValueError: an env cannot be built, or they have different spaces.
        """
        self._pid = os.getpid()
        self._objects: EnvObjects | None = EnvObjects(
            Build(options.makers, 0, options.render_mode, options.max_episode_steps, options.seeds)
        )
        self.description: EnvDescription = self._objects.description
        self._host: Any = None

    def host(self, setup: _core.Setup, calls: Any) -> _core.LocalEnvs:
        """The envs in the engine, which calls back by `calls`, a weak reference to this."""
        assert self._objects is not None
        count = len(self._objects.envs)
        host = self._host = _core.LocalEnvs(setup, count, calls, **self._objects.helpers())
        return host

    def start(self, task: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Lets the pool of host() step the envs."""
        assert self._objects is not None
        self._objects.attach(self._host)

    def restart(self) -> None:
        """None: there is no process that could end."""

    def close(self) -> None:
        """Closes the envs; may be called again."""
        objects, self._objects = self._objects, None
        if objects is None or os.getpid() != self._pid:
            return
        if self._host is not None:
            self._host.forget()
        objects.close()

    def request(self, env: int, name: str, *args: Any) -> Any:
        """See EnvCalls. Nothing is pickled."""
        if self._objects is None:
            raise RuntimeError("the pool is closed")
        try:
            return self._objects.answer(env, name, *args)
        except RefusedError as error:
            raise ValueError(str(error)) from error
        except Exception as error:
            raise RuntimeError(error_text(error)) from error

    def exit_reason(self, k: int) -> str:
        """Nothing: there are no processes."""
        return ""

    def raised(self, env: int) -> BaseException | None:
        """The exception that the env has raised last, once."""
        error: BaseException | None = self._host.raised(env)
        return error
