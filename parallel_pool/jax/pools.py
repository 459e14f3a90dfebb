"""from_pool() and xla(): the functions of a pool for compiled programs."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from parallel_pool.core import _core
from parallel_pool.jax.arguments import Arguments
from parallel_pool.jax.calls import Calls
from parallel_pool.jax.errors import keep
from parallel_pool.jax.host_calls import HostCalls
from parallel_pool.jax.results import Results
from parallel_pool.python.pools.pool import BasePool

State = Any  # a jax.Array, uint8 (8,); of a pipeline, with the envs of the last batch


class JaxPool:
    """A pool for compiled programs; from_pool() makes it.

    state, step, reset = from_pool(pool)

    Each call takes the state that the last one returned, and returns the next one. So the calls
    have one order wherever JAX runs them, and a state that is used twice is an error. Arguments
    are arrays of JAX or NumPy; results are those of the pool's own calls, as arrays of JAX. Without
    jax_enable_x64 they have 32 bits in place of 64, as every array of JAX.

    Wrong shapes and dtypes are errors while JAX traces the program. Values are checked when it
    runs: JAX then raises a jax.errors.JaxRuntimeError where the program is awaited, and
    parallel_pool.jax.error(pool) returns the error that the pool's own call would have raised.
    """

    def __init__(self, pool: BasePool, counted: bool = True) -> None:
        """See from_pool(). Without `counted`, a state may be used again, as EnvPool's handle."""
        if not isinstance(pool, BasePool):
            raise TypeError(f"a pool of parallel_pool.make() is needed, not {pool!r}")
        spec = pool._pool_spec
        self.pool = pool
        self._calls = _open(pool)
        self._arguments = Arguments(spec)
        self._results = Results(pool, spec, self._calls.columns)
        self._batch_size: int = spec.config["batch_size"]
        self._counted = counted

    def __iter__(self) -> Iterator[Any]:
        """(state, step, reset)."""
        return iter((self.state, self.step, self.reset))

    def __repr__(self) -> str:
        """The call that makes such a pool."""
        return f"from_pool({self.pool!r})"

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


class PipelinedPool(JaxPool):
    """A pool of which one part steps while the program computes the actions of another.

    A state is (state, env_id): a step sends its action to the envs of the last batch, and receives
    the batch of the part that was sent before. `info["env_id"]` has the envs of a batch.
    """

    def __init__(self, pool: BasePool, parts: int) -> None:
        """See from_pool()."""
        super().__init__(pool)
        whole = isinstance(parts, int) and parts > 0 and pool.num_envs % parts == 0
        if not whole or pool.is_async:
            raise ValueError(
                f"{pool._pool_spec.task_id}: pipeline is {parts} with num_envs={pool.num_envs} and "
                f"batch_size={self._batch_size}; it must divide num_envs, in a sync pool"
            )
        self._parts = np.arange(pool.num_envs, dtype=np.int32).reshape(parts, -1)

    @property
    def state(self) -> State:
        """The state for the first reset()."""
        return super().state, jnp.asarray(self._parts[0])

    def reset(self, state: State, seed: Any = None, env_id: Any = None) -> tuple[State, Any]:
        """Begins new episodes of all envs, none of which may be in flight.

        Args:
            state: of the last call.
            seed: as in JaxPool.reset().
            env_id: must be None.

        Returns:
            The next state, and the first part's observations as reset() of the pool returns them.
        """
        self._check_all(env_id)
        seeds = self._arguments.seed(seed, None)
        if seeds is not None and seeds.ndim == 0:
            seeds = seeds + jnp.arange(self.pool.num_envs, dtype=seeds.dtype)
        after, _ = state
        for part in self._parts:
            own = None if seeds is None else seeds[part]
            after, _ = self._run("send_reset", after, [], jnp.asarray(part), own, 0)
        after, arrays = self._run("recv", after, [], None, None, self._parts.shape[1])
        return (after, jnp.asarray(self._parts[0])), self._results.reset(arrays)

    def step(self, state: State, action: Any, env_id: Any = None) -> tuple[State, Any]:
        """Sends the envs of the last batch their action, and receives the next part's batch."""
        self._check_all(env_id)
        after, last = state
        after = self.send(after, action, last)
        after, arrays = self._run("recv", after, [], None, None, self._parts.shape[1])
        (ids,) = (
            array
            for array, column in zip(arrays, self._calls.columns, strict=True)
            if column.name == "info:env_id"
        )
        return (after, ids), self._results.step(arrays)

    def _check_all(self, env_id: Any) -> None:
        if env_id is not None:
            task_id = self.pool._pool_spec.task_id
            raise ValueError(f"{task_id}: env_id is given; a pipeline steps its parts in turn")


def _open(pool: BasePool) -> Calls | HostCalls:
    """The calls of the pool: the engine's, or those of Python where it cannot be called."""
    spec, native = pool._pool_spec, pool._native
    if isinstance(native, _core.Pool) and _can_call_the_engine():
        return Calls(spec, native, pool.with_timing)
    if isinstance(native, _core.Pool):
        warnings.warn(
            f"{spec.task_id}: JAX's default device is {jax.devices()[0]}; its programs call pools "
            "through Python, which takes 50 us a call",
            stacklevel=4,
        )
    return HostCalls(spec, native, pool.with_timing, functools.partial(keep, pool))


def _can_call_the_engine() -> bool:
    """Whether JAX's default device is a processor or an NVIDIA GPU."""
    device = jax.devices()[0]
    return device.platform == "cpu" or "cuda" in device.client.platform_version.lower()


def from_pool(pool: BasePool, pipeline: int = 1) -> JaxPool:
    """The functions of a pool for compiled programs.

    state, step, reset = from_pool(pool)

    Args:
        pool: of make() and its siblings. It may also be stepped by its own calls, while no program
            runs; it is closed by its own close().
        pipeline: parts of a sync pool that step in turn, so that envs and the policy can work at
            the same time: each step is of num_envs / pipeline envs. See PipelinedPool.

    Raises:
        TypeError: `pool` is no pool.
        ValueError: `pipeline` does not divide num_envs, or the pool is async.
        RuntimeError: the pool is closed.
    """
    return JaxPool(pool) if pipeline == 1 else PipelinedPool(pool, pipeline)


def xla(pool: BasePool) -> tuple[State, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """EnvPool's functions of a pool.

    handle, recv, send, step = env.xla()

    `recv(handle)` and `step(handle, action, env_id)` return (handle, batch), and
    `send(handle, action, env_id)` a handle. A handle may be used again.
    """
    functions = JaxPool(pool, counted=False)
    return functions.state, functions.recv, functions.send, functions.step
