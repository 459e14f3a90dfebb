"""RayPool inside jax.jit: JAX calls the actors by io_callback."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest
import ray

import parallel_pool
from parallel_pool.integrations.ray import RayPool
from parallel_pool.jax import from_pool

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False)
    yield
    ray.shutdown()


def in_a_scan(pool: Any, actions: Any) -> Any:
    """The results of reset and then of steps, in a program of JAX."""
    state, step, reset = from_pool(pool)

    def program(state: Any) -> Any:
        state, first = reset(state)
        return first, jax.lax.scan(step, state, actions)[1]

    return jax.jit(program)(state)


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pong-v5", "CheetahRun-v1"])
def test_a_scan_equals_the_local_pools(task_id: str) -> None:
    options: dict[str, Any] = {"num_envs": 4, "seed": 3, "max_episode_steps": 7}
    with (
        RayPool(task_id, num_workers=2, **options) as far,
        parallel_pool.make(task_id, **options) as near,
    ):
        actions = np.array([[near.action_space.sample() for _ in range(4)] for _ in range(20)])
        actions = actions.astype("int32" if actions.dtype == "int64" else "float32")
        here, there = (in_a_scan(pool, actions) for pool in (near, far))
        assert jax.tree.structure(there) == jax.tree.structure(here)
        for ours, reference in zip(jax.tree.leaves(there), jax.tree.leaves(here), strict=True):
            np.testing.assert_array_equal(ours, reference)
        assert there[1][3].any()  # episodes ended


def test_players_are_refused() -> None:
    with (
        RayPool("SimpleTag-v3", num_envs=2) as pool,
        pytest.raises(TypeError, match="SimpleTag-v3: its arrays have a row for each player"),
    ):
        from_pool(pool)


def kill(pool: Any, worker: int) -> None:
    """Kills an actor's process."""
    actor = pool._native._actors.workers[worker]._actor
    os.kill(ray.get(actor.__ray_call__.remote(lambda self: os.getpid())), signal.SIGKILL)


def test_a_killed_worker_ends_the_episodes_of_its_envs() -> None:
    with RayPool("CartPole-v1", num_envs=4, num_workers=2) as pool:
        state, step, reset = from_pool(pool)
        state, (first, _) = reset(state)
        kill(pool, 1)
        scan = jax.jit(lambda state, actions: jax.lax.scan(step, state, actions))
        state, (obs, _, _, truncated, _) = scan(state, np.tile(np.arange(8)[:, None] % 2, 4))
        assert truncated.sum(0).tolist() == [0, 0, 1, 1]
        (end,) = np.flatnonzero(truncated[:, 2])
        assert not obs[end, 2:].any()
        assert (obs[end + 1, 2:] != first[2:]).any()  # another seed
        assert sum(pool.lost) == 1


def test_strict_pools_raise_an_env_error() -> None:
    with RayPool("CartPole-v1", num_envs=4, num_workers=2, strict=True) as pool:
        envs = from_pool(pool)
        state, _ = envs.reset(envs.state)
        kill(pool, 1)
        action = np.zeros(4, np.int32)
        with pytest.raises(Exception, match="worker 1 has ended"):
            for _ in range(20):
                state, batch = jax.block_until_ready(envs.step(state, action))
        error: Any = parallel_pool.jax.error(pool)
        assert isinstance(error, parallel_pool.EnvError)
        assert error.env_ids == [2, 3]
        _, batch = envs.step(envs.state, action)
        assert batch[0].shape == (4, 4)
