"""The calls of a pool as operations of JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from parallel_pool.core import _core
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.options.pool_options import of_engine
from parallel_pool.python.specs.spec import Spec

try:
    import jax
    import jax.numpy as jnp
    from jax.custom_derivatives import SymbolicZero
except ImportError as _error:
    raise ImportError("parallel_pool.jax needs JAX: pip install 'jax>=0.5'") from _error

if not hasattr(jax, "ffi"):
    raise ImportError(f"parallel_pool.jax needs JAX 0.5 or newer; this is {jax.__version__}")

STATE = jax.ShapeDtypeStruct((8,), np.uint8)

for _target, _platform, _function in _core.xla_handlers():
    jax.ffi.register_ffi_target(_target, _function, platform=_platform)


def canonical(dtype: str) -> np.dtype[Any]:
    """The dtype that JAX has for `dtype`: of 32 bits for one of 64, without x64 mode."""
    found: np.dtype[Any] = np.dtype(jax.dtypes.canonicalize_dtype(np.dtype(dtype)))
    return found


def columns_of(spec: Spec, with_timing: bool) -> list[ArraySpec]:
    """The arrays of a batch, but for infos of envs in Python, which are objects."""
    dtypes = {a.name: a.dtype for a in spec.state_arrays if a.name != "reward"}
    columns = []
    for fields in _core.columns(spec.setup, of_engine(spec.config), with_timing):
        column = ArraySpec(*fields)
        own = column.name
        if own.startswith("info:final_"):  # "info:final_obs.camera", a copy of "obs:camera"
            own = own.removeprefix("info:final_").replace(".", ":", 1)
        # The engine has some dtypes of envs in Python in other ones.
        columns.append(column._replace(dtype=dtypes.get(own, column.dtype)))
    return columns


def results_of(kind: str, columns: Sequence[ArraySpec], rows: int) -> list[Any]:
    """The shapes and dtypes of the results of a call: the state, and the arrays of a batch."""
    if kind in ("send", "send_reset"):
        return [STATE]
    return [STATE] + [
        jax.ShapeDtypeStruct(
            (rows * max(column.players, 1), *column.shape), canonical(column.dtype)
        )
        for column in columns
    ]


class Calls:
    """The calls of one pool, with flat lists of arrays.

    Attributes:
        task_id: for errors.
        columns: the arrays of a batch, in the order of results.
    """

    def __init__(self, spec: Spec, native: _core.Pool, with_timing: bool) -> None:
        """Opens the pool for programs; `with_timing`: its batches have discount and step_type."""
        self.task_id: str = spec.task_id
        self._native = native
        self._id = _core.xla_open(native)
        self.columns: list[ArraySpec] = columns_of(spec, with_timing)

    def state(self) -> jax.Array:
        """The state for the next call."""
        number = _core.xla_state(self._native)
        return jnp.asarray(np.frombuffer(number.to_bytes(8, "little"), np.uint8))

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
        """One call: the new state, and the arrays of `columns` (none for calls that only send).

        Args:
            kind: "step", "send", "recv", "reset" or "send_reset".
            state: uint8 (8,).
            arrays: those of the action, for "step" and "send".
            env_id: int32 or int64 (rows,); None: all envs.
            seed: int32 or int64, () or (rows,); None: random numbers continue.
            rows: the rows of the batch.
            counted: whether the state must be that of the last call.
        """
        results = results_of(kind, self.columns, rows)
        given = [state, *arrays, *(a for a in (env_id, seed) if a is not None)]
        attributes = {
            "pool": np.int64(self._id),
            "counted": np.bool_(counted),
            "has_env_id": np.bool_(env_id is not None),
            "has_seed": np.bool_(seed is not None),
        }

        def call(*operands: Any) -> Any:
            ffi = jax.ffi.ffi_call(
                f"parallel_pool.{kind}",
                results,
                has_side_effect=True,
                input_output_aliases={0: 0},
            )
            # Without the barriers, XLA for GPUs makes one operation of a call in a loop and of the
            # slices that the loop takes and writes, and the state of the call before is lost.
            barrier = jax.lax.optimization_barrier
            return barrier(ffi(*barrier(operands), **attributes))

        after, *batch = refuse_transforms(self.task_id, kind, call)(*given)
        return after, batch


def refuse_transforms(task_id: str, kind: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """`call`, which raises errors in words under vmap and where a gradient is wanted."""
    no_vmap = jax.custom_batching.custom_vmap(call)

    @no_vmap.def_vmap  # type: ignore[untyped-decorator]
    def refuse(size: int, batched: Any, *operands: Any) -> Any:
        raise NotImplementedError(
            f"{task_id}: {kind} under vmap (of size {size}): a pool is a batch of envs already; "
            "make it with num_envs="
        )

    no_gradient = jax.custom_jvp(no_vmap)

    def differentiate(operands: Any, tangents: Any) -> Any:
        if not all(isinstance(tangent, SymbolicZero) for tangent in tangents):
            raise TypeError(
                f"{task_id}: {kind} has no gradient: envs are no functions that JAX can "
                "differentiate; give it jax.lax.stop_gradient(action)"
            )
        results = no_vmap(*operands)
        return results, [_zero_tangent(result) for result in results]

    no_gradient.defjvp(differentiate, symbolic_zeros=True)
    guarded: Callable[..., Any] = no_gradient
    return guarded


def _zero_tangent(array: Any) -> Any:
    if jnp.issubdtype(array.dtype, jnp.inexact):
        return jnp.zeros_like(array)
    return np.zeros(array.shape, jax.dtypes.float0)
