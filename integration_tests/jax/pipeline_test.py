"""Pipelines, and pools that programs call through Python."""

from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import parallel_pool
import parallel_pool.jax.pools
from parallel_pool.jax import from_pool
from parallel_pool.jax.calls import columns_of

ENVS = 6


@pytest.mark.parametrize("parts", [2, 3])
def test_a_pipeline_steps_each_part_in_turn(parts: int) -> None:
    pool, other = (parallel_pool.make("CartPole-v1", num_envs=ENVS, seed=3) for _ in range(2))
    state, step, reset = from_pool(pool, pipeline=parts)
    actions = np.random.default_rng(0).integers(2, size=(30, ENVS // parts)).astype(np.int32)
    state, (first, info) = jax.jit(lambda s: reset(s, seed=8))(state)
    state, (obs, reward, terminated, truncated, infos) = jax.jit(
        lambda s: jax.lax.scan(step, s, actions)
    )(state)
    halves = np.arange(ENVS).reshape(parts, -1)
    begun = other.reset(seed=8)[0]
    np.testing.assert_array_equal(first, begun[halves[0]])
    for t in range(30):
        of = halves[(t + 1) % parts]
        np.testing.assert_array_equal(infos["env_id"][t], of)
        if t + 1 < parts:
            np.testing.assert_array_equal(obs[t], begun[of])
        else:
            expected = other.step(actions[t + 1 - parts], of)
            np.testing.assert_array_equal(obs[t], expected[0])
            np.testing.assert_array_equal(terminated[t], expected[2])


def test_a_wrong_pipeline() -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=ENVS)
    for parts in (4, 0, -1, 7):
        with pytest.raises(ValueError, match=rf"pipeline is {parts} with num_envs=6"):
            from_pool(pool, pipeline=parts)
    with pytest.raises(ValueError, match="batch_size=2; it must divide num_envs, in a sync pool"):
        from_pool(parallel_pool.make("CartPole-v1", num_envs=4, batch_size=2), pipeline=2)
    state, step, reset = from_pool(pool, pipeline=2)
    with pytest.raises(ValueError, match="env_id is given"):
        step(state, jnp.ones(3, jnp.int32), [0, 1, 2])


@pytest.fixture
def through_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs call pools as on a device that the engine knows nothing of."""
    monkeypatch.setattr(parallel_pool.jax.pools, "_can_call_the_engine", lambda: False)


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_calls_through_python(through_python: None, env_type: Any, mode: str) -> None:
    if env_type == "dm" and mode == "same_step":
        return
    options: dict[str, Any] = {"env_type": env_type, "num_envs": 4, "autoreset_mode": mode}
    options["record_episode_statistics"] = True
    pool, other = (parallel_pool.make("CartPole-v1", **options) for _ in range(2))
    with pytest.warns(UserWarning, match="through Python, which takes 50 us a call"):
        envs = from_pool(pool)
    state, step, reset = envs
    actions = np.random.default_rng(0).integers(2, size=(40, 4)).astype(np.int32)
    state, _ = jax.jit(reset)(state)
    other.reset()
    state, batches = jax.jit(lambda s: jax.lax.scan(step, s, actions))(state)
    for t in range(40):
        expected: Any = other.step(actions[t])
        obs = batches.observation.obs if env_type == "dm" else batches[0]
        theirs = expected.observation.obs if env_type == "dm" else expected[0]
        np.testing.assert_array_equal(obs[t], theirs)
        if jax.tree.structure(batches) == jax.tree.structure(expected):
            same = jax.tree.map(lambda x, y, t=t: np.array_equal(x[t], y), batches, expected)
            assert all(jax.tree.leaves(same))
    state = envs.send(state, actions[0])
    with pytest.raises(Exception, match=r"not the latest \(42, now 43\)"):
        jax.block_until_ready((envs.recv(state), envs.recv(state)))
    assert type(parallel_pool.jax.error(pool)) is RuntimeError


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pong-v5", "CheetahRun-v1"])
def test_the_columns_are_those_of_the_engine(task_id: str, mode: str, env_type: Any) -> None:
    if env_type == "dm" and mode == "same_step":
        return
    pool = parallel_pool.make(
        task_id, env_type=env_type, autoreset_mode=mode, record_episode_statistics=True
    )

    def forms(columns: Any) -> Any:
        return sorted((c.name, c.dtype, tuple(c.shape), c.players) for c in columns)

    ours = columns_of(pool._pool_spec, env_type == "dm")
    assert forms(ours) == forms(from_pool(pool)._calls.columns)


class Counter(gymnasium.Env[Any, Any]):
    """Counts its steps; some steps have infos; action 2 throws."""

    observation_space = gymnasium.spaces.Box(0, 100, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.steps = 0
        return np.zeros(2, np.float32), {"begun": True}

    def step(self, action: Any) -> Any:
        if action == 2:
            raise RuntimeError("the counter broke")
        self.steps += 1
        return np.full(2, self.steps, np.float32), 1.5, self.steps == 7, False, {"odd": 1}


def test_envs_in_python() -> None:
    pool = parallel_pool.make_python(Counter, 3, num_workers=1)
    envs = from_pool(pool)
    state, step, reset = envs
    state, (obs, info) = jax.jit(reset)(state)
    assert "begun" not in info
    zeros = np.zeros((20, 3), np.int32)
    state, (obs, reward, terminated, truncated, info) = jax.jit(
        lambda s: jax.lax.scan(step, s, zeros)
    )(state)
    expected = [1, 2, 3, 4, 5, 6, 7, 0] * 3
    np.testing.assert_array_equal(obs[:, 1, 0], expected[:20])
    np.testing.assert_array_equal(terminated[:, 0], np.array(expected[:20]) == 7)
    with pytest.raises(Exception, match="the counter broke"):
        jax.block_until_ready(step(state, np.array([0, 2, 0], np.int32)))
    error: Any = parallel_pool.jax.error(pool)
    assert isinstance(error, parallel_pool.EnvError)
    assert error.env_ids == [1]
    state, batch = step(envs.state, zeros[0])
    assert batch[0].shape == (3, 2)
    pool.close()
