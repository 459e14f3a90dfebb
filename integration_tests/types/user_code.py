"""User code that mypy and pyright check: what has a type, and what is an error.

`make lint` checks this file and does not run it. A comment that expects an error fails the check if
there is none.
"""

from collections.abc import Sequence
from typing import Any, assert_type

import gymnasium
import numpy as np
import numpy.typing as npt

import parallel_pool
from parallel_pool.python.apis import dm_api, dm_single, gym_api, gymnasium_api, gymnasium_env
from parallel_pool.python.apis.gym_env import GymEnv


def kinds(env_type: Any, num_envs: int | None, options: dict[str, Any]) -> None:
    """make() returns the class of its API."""
    assert_type(parallel_pool.make("Pong-v5"), gymnasium_api.Pool)
    assert_type(parallel_pool.make("Pong-v5", "gymnasium", num_envs=4), gymnasium_api.Pool)
    assert_type(parallel_pool.make("Pong-v5", env_type="gym", num_envs=4), gym_api.Pool)
    assert_type(parallel_pool.make("Pong-v5", "dm", batch_size=2), dm_api.Pool)
    assert_type(parallel_pool.make("Pong-v5", num_envs=None), gymnasium_env.Env)
    assert_type(parallel_pool.make("Pong-v5", "gym", num_envs=None), GymEnv)
    assert_type(parallel_pool.make("Pong-v5", "dm", num_envs=None, seed=3), dm_single.Env)
    assert_type(parallel_pool.make_gymnasium("Ant-v5", frame_skip=2), gymnasium_api.Pool)
    assert_type(parallel_pool.make_gym("Ant-v5", gym_reset_return_info=True), gym_api.Pool)
    assert_type(parallel_pool.make_dm("Ant-v5", num_envs=None), dm_single.Env)
    assert_type(parallel_pool.make(parallel_pool.make_spec("Pong-v5")), gymnasium_api.Pool)
    assert_type(parallel_pool.make("Pong-v5", env_type), Any)
    either = parallel_pool.make("Pong-v5", num_envs=num_envs)
    assert_type(either, gymnasium_api.Pool | gymnasium_env.Env)
    vector_env: gymnasium.vector.VectorEnv[Any, Any, Any] = parallel_pool.make("Pong-v5", **options)
    env: gymnasium.Env[Any, Any] = parallel_pool.make("Pong-v5", num_envs=None)
    with parallel_pool.make("Pong-v5") as pool:
        assert_type(pool, gymnasium_api.Pool)
    print(vector_env, env)


def results(pool: gymnasium_api.Pool, old: gym_api.Pool, env: gymnasium_env.Env) -> None:
    """The parts of results have types; observations are arrays or dicts, as the task says."""
    for obs, reward, terminated, truncated, info in (pool.step([0]), pool.recv(1.5), old.step([0])):
        assert_type(obs, Any)
        assert_type(reward, npt.NDArray[Any])
        assert_type(terminated, npt.NDArray[np.bool_])
        assert_type(truncated, npt.NDArray[np.bool_])
        assert_type(info, dict[str, Any])
    assert_type(pool.reset(seed=3), tuple[Any, dict[str, Any]])
    assert_type(env.reset(), tuple[Any, dict[str, Any]])
    assert_type(env.step(0), tuple[Any, float, bool, bool, dict[str, Any]])
    assert_type(pool.save([0]), bytes)
    assert_type(pool.config, dict[str, Any])
    assert_type(parallel_pool.list_all_envs(), list[str])
    seeds: Sequence[int] = range(3)
    pool.send([1], 0)
    pool.reset(seed=seeds)


def errors(pool: gymnasium_api.Pool, env: gymnasium_env.Env) -> None:
    """Calls that a type checker refuses."""
    pool.stepp([0])  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    env.recv()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    pool.recv(timeout="1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    parallel_pool.make("Pong-v5", num_envs="8")  # type: ignore[arg-type]  # pyright: ignore
    parallel_pool.make("Pong-v5", seed="8")  # type: ignore[arg-type]  # pyright: ignore
    parallel_pool.make(5)  # type: ignore[call-overload]  # pyright: ignore
