"""Pools inside jax.jit: from_pool(pool) makes functions that compiled programs call.

pool = parallel_pool.make("CartPole-v1", num_envs=64)
state, step, reset = parallel_pool.jax.from_pool(pool)
state, (obs, info) = jax.jit(reset)(state)

This package needs JAX: only EnvPool's `pool.xla()` imports it, when it is called.
"""

from parallel_pool.jax.errors import error
from parallel_pool.jax.pools import JaxPool, PipelinedPool, from_pool, xla

__all__ = ["JaxPool", "PipelinedPool", "error", "from_pool", "xla"]
