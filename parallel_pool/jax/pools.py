"""from_pool() and xla(): the functions of a pool for compiled programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from parallel_pool.core import _core
from parallel_pool.jax.arguments import Arguments
from parallel_pool.jax.calls import Calls
from parallel_pool.jax.results import Results
from parallel_pool.python.pool import BasePool

State = Any  # a jax.Array, uint8 (8,)


class JaxPool:
    """A pool for compiled programs; from_pool() makes it.

    state, step, reset = from_pool(pool)

    Each call takes the state that the last one returned, and returns the next one. So the calls
    have one order wherever JAX runs them, and a state that is used twice is an error. Arguments
    are arrays of JAX or NumPy; results are those of the pool's own calls, as arrays of JAX. Without
    jax_enable_x64 they have 32 bits in place of 64, as every array of JAX.

    Wrong shapes and dtypes are errors while JAX traces the program. Values are checked when it
    runs: JAX then raises a jax.errors.JaxRuntimeError where the program is awaited, and
    pool.jax_error() returns the error that the pool's own call would have raised.
    """

    def __init__(self, pool: BasePool, counted: bool = True) -> None:
        """See from_pool(). Without `counted`, a state may be used again, as EnvPool's handle."""
        if not isinstance(pool, BasePool):
            raise TypeError(f"a pool of parallel_pool.make() is needed, not {pool!r}")
        spec, native = pool._pool_spec, pool._native
        if not isinstance(native, _core.Pool):
            raise TypeError(f"{spec.task_id}: its envs are in other processes")
        self.pool = pool
        self._calls = Calls(spec.task_id, native)
        self._arguments = Arguments(spec)
        self._results = Results(pool, spec, self._calls.columns)
        self._batch_size: int = spec.config["batch_size"]
        self._counted = counted

    def __iter__(self) -> Iterator[Any]:
        """(state, step, reset)."""
        return iter((self.state, self.step, self.reset))

    @property
    def state(self) -> State:
        """The state for the next call, uint8 (8,): the first one, or to continue after an error."""
        return self._calls.state()

    def step(self, state: State, action: Any, env_id: Any = None) -> tuple[State, Any]:
        """send(), then recv().

        Args:
            state: of the last call.
            action: one row for each env of `env_id`, of the exact dtype of the action space; a dict
                of arrays if it is a Dict.
            env_id: int32 (rows,); None: all envs.

        Returns:
            The next state, and the batch: (obs, reward, terminated, truncated, info), or a TimeStep
            if the pool has env_type "dm".

        Raises:
            TypeError: a wrong dtype.
            ValueError: a wrong shape.
            NotImplementedError: the call is under jax.vmap.
        """
        arrays, env_id = self._arguments.action(action, env_id)
        state, batch = self._run("step", state, arrays, env_id, None, self._rows(env_id))
        return state, self._results.step(batch)

    def reset(self, state: State, seed: Any = None, env_id: Any = None) -> tuple[State, Any]:
        """Begins new episodes.

        Args:
            state: of the last call.
            seed: an integer s reseeds row k with s + k; an array has one for each row; None: random
                numbers continue.
            env_id: as in step().

        Returns:
            The next state, and what reset() of the pool returns.
        """
        env_id = self._arguments.env_id(env_id)
        seed = self._arguments.seed(seed, env_id)
        state, batch = self._run("reset", state, [], env_id, seed, self._rows(env_id))
        return state, self._results.reset(batch)

    def send(self, state: State, action: Any, env_id: Any = None) -> State:
        """Sends each env its action, and does not wait; arguments are those of step()."""
        arrays, env_id = self._arguments.action(action, env_id)
        state, _ = self._run("send", state, arrays, env_id, None, 0)
        return state

    def recv(self, state: State, rows: int | None = None) -> tuple[State, Any]:
        """The next batch, as step() returns it.

        Args:
            state: of the last call.
            rows: the rows of the batch, if a sync pool was sent fewer than all.
        """
        state, batch = self._run("recv", state, [], None, None, rows or self._batch_size)
        return state, self._results.step(batch)

    def _rows(self, env_id: Any) -> int:
        """The rows of the batch after a send to these envs."""
        return self._batch_size if self.pool.is_async else self._arguments.rows(env_id)

    def _run(
        self, kind: str, state: Any, arrays: list[Any], env_id: Any, seed: Any, rows: int
    ) -> tuple[Any, list[Any]]:
        state = self._arguments.state(state)
        return self._calls.run(kind, state, arrays, env_id, seed, rows, self._counted)


def from_pool(pool: BasePool) -> JaxPool:
    """The functions of a pool for compiled programs.

    state, step, reset = from_pool(pool)

    Args:
        pool: of make() and its siblings. It may also be stepped by its own calls, while no program
            runs; it is closed by its own close().

    Raises:
        TypeError: `pool` is no pool.
        RuntimeError: it is closed.
    """
    return JaxPool(pool)


def xla(pool: BasePool) -> tuple[State, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """EnvPool's functions of a pool.

    handle, recv, send, step = env.xla()

    `recv(handle)` and `step(handle, action, env_id)` return (handle, batch), and
    `send(handle, action, env_id)` a handle. A handle may be used again.
    """
    functions = JaxPool(pool, counted=False)
    return functions.state, functions.recv, functions.send, functions.step
