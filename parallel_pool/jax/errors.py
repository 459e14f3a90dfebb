"""The errors of programs, as the pool's own calls would have raised them."""

from __future__ import annotations

from parallel_pool.core import _core
from parallel_pool.python.errors import EnvError
from parallel_pool.python.pools.pool import BasePool

_NAME = "_jax_error"  # of the pool's attribute: the error lives as long as the pool


def error(pool: BasePool) -> Exception | None:
    """The error of the last call of a program of this pool that failed, or None.

    JAX itself raises a jax.errors.JaxRuntimeError with the same text. This is the error that the
    pool's own call would have raised, such as an EnvError with `env_ids` and `result`.
    """
    if isinstance(pool._native, _core.Pool):
        found = _core.xla_error(pool._native)
        if found is not None:
            keep(pool, found)
    last: Exception | None = vars(pool).get(_NAME)
    return last


def keep(pool: BasePool, error: Exception) -> None:
    """Keeps the error of a call."""
    if isinstance(error, EnvError):
        error.result = pool._shape(*error.result)
    vars(pool)[_NAME] = error
