"""Thousands of reinforcement-learning environments in one process, stepped by C++ threads.

    env = parallel_pool.make("Pong-v5", env_type="gymnasium", num_envs=100)
    obs, info = env.reset()
    obs, reward, terminated, truncated, info = env.step(actions)
"""

from parallel_pool._build_info import VERSION as __version__
from parallel_pool.python.errors import EnvError
from parallel_pool.python.registry import (
    list_all_envs,
    make,
    make_dm,
    make_gym,
    make_gymnasium,
    make_spec,
)

__all__ = [
    "EnvError",
    "__version__",
    "list_all_envs",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_spec",
]
