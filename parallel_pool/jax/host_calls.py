"""The calls of a pool through Python, where the engine cannot be called."""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from parallel_pool.jax.calls import columns_of, refuse_transforms, results_of
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.arrays.trees import flatten
from parallel_pool.python.backend import Backend
from parallel_pool.python.options.seeds import seeds_of
from parallel_pool.python.specs.spec import Spec

_PARTS = ("obs", "reward", "terminated", "truncated", "info", "discount", "step_type")
_COUNT_BITS = 40  # of a state; the rest is the pool's number, as in the engine's states
_numbers = itertools.count(1 << 23)


class HostCalls:
    """Calls with the interface of parallel_pool.jax.calls.Calls, by jax.experimental.io_callback.

    A call costs about 50 us more than one of the engine. The state gives calls their order, so
    the callbacks need no order of their own.
    """

    def __init__(
        self, spec: Spec, backend: Backend, with_timing: bool, fail: Callable[[Exception], None]
    ) -> None:
        """Opens a pool for programs.

        Args:
            spec: of the pool.
            backend: of the pool.
            with_timing: whether batches have discount and step_type.
            fail: takes the error of each call that fails.

        Raises:
            TypeError: an array has a row for each player, or the observation has tuples.
        """
        self.task_id: str = spec.task_id
        self.columns: list[ArraySpec] = columns_of(spec, with_timing)
        if any(array.players for array in (*spec.action_arrays, *self.columns)):
            raise TypeError(
                f"{spec.task_id}: its arrays have a row for each player; a program has these only "
                "of a pool whose envs are in its process, on a processor or an NVIDIA GPU"
            )
        if isinstance(spec.observation_space, gymnasium.spaces.Tuple):
            raise TypeError(
                f"{spec.task_id}: its observation is {spec.observation_space}; a program has no "
                "tuples of an env in Python: let it give a dict"
            )
        self._fail = fail
        self._names = [array.name for array in spec.action_arrays]
        self._num_envs: int = spec.config["num_envs"]
        self._backend = backend
        self._number = next(_numbers)
        self._count = 0
        self._lock = threading.Lock()

    def state(self) -> jax.Array:
        """The state for the next call."""
        return jnp.asarray(self._bytes())

    def _bytes(self) -> Any:
        number = self._number << _COUNT_BITS | self._count
        return np.frombuffer(number.to_bytes(8, "little"), np.uint8)

    def run(
        self,
        kind: str,
        state: Any,
        arrays: Sequence[Any],
        env_id: Any,
        seed: Any,
        rows: int,
        counted: bool,
    ) -> tuple[jax.Array, list[jax.Array]]:
        """See Calls.run()."""
        results = results_of(kind, self.columns, rows)
        has = (env_id is not None, seed is not None)
        given = [state, *arrays, *(a for a in (env_id, seed) if a is not None)]

        def call(*operands: Any) -> Any:
            host = functools.partial(self._called, kind, counted, has, results)
            return io_callback(host, results, *operands)

        after, *batch = refuse_transforms(self.task_id, kind, call)(*given)
        return after, batch

    def _called(
        self, kind: str, counted: bool, has: tuple[bool, bool], results: list[Any], *given: Any
    ) -> list[Any]:
        """A call of a program, in one of JAX's threads."""
        state, *rest = (np.asarray(array) for array in given)
        seed = rest.pop() if has[1] else None
        env_id = rest.pop() if has[0] else None
        with self._lock:
            try:
                self._check(int.from_bytes(state.tobytes(), "little"), counted)
                batch = self._do(kind, rest, env_id, seed)
                arrays = [] if batch is None else self._arrays(batch, results[1:])
            except Exception as error:
                self._fail(error)
                raise
            return [self._bytes(), *arrays]

    def _check(self, state: int, counted: bool) -> None:
        if state >> _COUNT_BITS != self._number:
            raise ValueError(f"{self.task_id}: this state (or handle) is of another pool")
        given = state & ((1 << _COUNT_BITS) - 1)
        if counted and given != self._count:
            raise RuntimeError(
                f"{self.task_id}: this state is not the latest ({given}, now {self._count}): use "
                "the state that the last call returned, once, and on one device only"
            )

    def _do(self, kind: str, arrays: list[Any], env_id: Any, seed: Any) -> tuple[Any, ...] | None:
        """The pool's own call; counts it if something was sent or received."""
        seeds = None
        if seed is not None:
            count = self._num_envs if env_id is None else len(env_id)
            seeds = seeds_of(self.task_id, seed.tolist(), count)
        batch = None
        if kind == "recv":
            batch = self._backend.recv(None)
        elif kind in ("reset", "send_reset"):
            self._backend.send_reset(env_id, seeds)
        else:
            action = dict(zip(self._names, arrays, strict=True))
            self._backend.send(action if len(action) > 1 else arrays[0], env_id)
        self._count += 1
        return self._backend.recv(None) if kind in ("step", "reset") else batch

    def _arrays(self, batch: tuple[Any, ...], results: list[Any]) -> list[Any]:
        """The arrays of a batch in the order of the columns; zeros for those that it has not."""
        arrays = []
        named = flatten(dict(zip(_PARTS, batch, strict=False)))
        for column, expected in zip(self.columns, results, strict=True):
            array = named.get(column.name.replace(":", ".", 1))
            if array is None:
                array = np.zeros(expected.shape, expected.dtype)
            if array.shape != expected.shape:
                raise ValueError(
                    f"{self.task_id}: the next batch has {len(array)} rows, and the call is for "
                    f"{expected.shape[0]}"
                )
            arrays.append(array.astype(expected.dtype))
        return arrays
