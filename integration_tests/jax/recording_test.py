"""A program of JAX that steps a recorded pool: the replay has its results."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np

import parallel_pool
from parallel_pool.jax import from_pool


def test_a_program_is_recorded(tmp_path: pathlib.Path) -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=8, num_threads=2)
    pool.record(tmp_path / "run.ppr")
    state, step, reset = from_pool(pool)

    @jax.jit
    def play(state):  # type: ignore[no-untyped-def]
        def body(carry, _):  # type: ignore[no-untyped-def]
            state, obs = carry
            action = (obs[:, 2] > 0).astype(jnp.int32)
            state, (obs, reward, *_) = step(state, action)
            return (state, obs), (obs, reward)

        state, (obs, _) = reset(state, seed=1)
        return jax.lax.scan(body, (state, obs), None, 100)[1]

    obs, reward = map(np.asarray, play(state))
    pool.close()
    with parallel_pool.replay(tmp_path / "run.ppr") as replay:
        next(replay)
        for k, again in enumerate(replay):
            np.testing.assert_array_equal(again[0], obs[k])
            np.testing.assert_array_equal(again[1], reward[k])
        assert (replay.step, replay.verified) == (100, 1)
