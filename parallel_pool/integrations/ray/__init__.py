"""Pools over several machines: a pool in each of several Ray actors.

    from parallel_pool.integrations.ray import RayPool

    pool = RayPool("Pong-v5", num_envs=256, num_workers=4)
    obs, info = pool.reset()

RayPool has the functions of a Gymnasium pool. Ray is the distributed engine: it starts the actors,
moves the arrays and notices deaths.
"""

try:
    import ray as _ray  # noqa: F401
except ImportError as _error:
    raise ImportError("parallel_pool.integrations.ray needs Ray: pip install ray") from _error

from parallel_pool.integrations.ray.pool import RayPool

__all__ = ["RayPool"]
