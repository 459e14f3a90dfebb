"""parallel_pool.integrations.sample_factory, and pools with the Gymnasium 0.29 that it pins."""

import types
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sample_factory.algo.utils.make_env import make_env_func_batched

import parallel_pool
from parallel_pool.integrations.sample_factory import PoolEnv, register_pool

torch.set_num_threads(1)
ENVS = 6


def batched(name: str, env_id: int | None = None) -> Any:
    """The env as Sample Factory's batched sampler makes it."""
    cfg = types.SimpleNamespace(env=name)
    config = None if env_id is None else types.SimpleNamespace(env_id=env_id)
    return make_env_func_batched(cfg, config)


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("CartPole-v1", {"max_episode_steps": 12}),
        ("HalfCheetah-v5", {"max_episode_steps": 7}),
        ("Pong-v5", {"max_episode_steps": 5, "record_episode_statistics": True}),
    ],
)
def test_rows_are_those_of_a_pool(task: str, options: dict[str, Any]) -> None:
    register_pool("task", task, num_envs=ENVS, seed=7, **options)
    env = batched("task")
    assert env.num_agents == ENVS and env.is_multiagent
    random, seen_ends = np.random.default_rng(0), 0
    with parallel_pool.make_gymnasium(
        task, num_envs=ENVS, seed=7, autoreset_mode="same_step", **options
    ) as pool:
        obs, _ = env.reset()
        np.testing.assert_array_equal(obs["obs"], pool.reset()[0])
        space = pool.action_space
        for _ in range(20):
            if isinstance(space, gymnasium.spaces.Discrete):
                action: Any = random.integers(space.n, size=ENVS)
            else:
                action = random.uniform(-1, 1, (ENVS, *space.shape))
            obs, *rows, info = env.step(action)
            theirs, *their_rows, their_info = pool.step(action)
            np.testing.assert_array_equal(obs["obs"], theirs)
            for ours, other in zip(rows, their_rows, strict=True):
                np.testing.assert_array_equal(ours, other)
            ends = their_info["_final_info"]
            for name, values in {
                "elapsed_step": their_info["final_info"]["elapsed_step"],
                **their_info.get("episode", {}),
            }.items():
                ours = info["episode"][name] if name in ("r", "l") else info[name]
                np.testing.assert_array_equal(ours[ends], values[ends])
            seen_ends += ends.sum()
    assert seen_ends >= ENVS
    env.close()


def test_no_two_envs_share_a_seed() -> None:
    register_pool("seeds", "CartPole-v1", num_envs=ENVS)
    first: list[bytes] = []
    for env_id in (None, 0, 1, 2):
        env = batched("seeds", env_id)
        env.seed(env_id)  # as Sample Factory does
        first += [row.numpy().tobytes() for row in env.reset()[0]["obs"]]
        env.close()
    assert len(set(first)) >= 3 * ENVS


def test_pictures() -> None:
    env: Any = PoolEnv(
        parallel_pool.make_spec(
            "CartPole-v1", num_envs=2, autoreset_mode="same_step", render_mode="rgb_array"
        ),
        "rgb_array",
    )
    env.reset()
    assert env.render().shape == (2 * 400, 600, 3)
    env.close()


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match=r"CartPole-v1: autoreset_mode is 'next_step'; Sample Fac"):
        register_pool("x", "CartPole-v1", 4, autoreset_mode="next_step")
    with pytest.raises(ValueError, match=r"CartPole-v1: batch_size is 2; Sample Factory needs 4"):
        register_pool("x", "CartPole-v1", 4, batch_size=2)
    with pytest.raises(ValueError, match=r"SimpleTag-v3: autoreset_mode is .* per player"):
        register_pool("x", "SimpleTag-v3", 4)
    with pytest.raises(TypeError, match=r"gravityy"):
        register_pool("x", "Pendulum-v1", 4, gravityy=1)


def test_pools_work_with_an_old_gymnasium() -> None:
    assert gymnasium.__version__ < "1"
    for mode in ("next_step", "same_step", "disabled"):
        with parallel_pool.make("CartPole-v1", num_envs=3, autoreset_mode=mode) as pool:
            assert isinstance(pool, gymnasium.vector.VectorEnv)
            assert pool.metadata["autoreset_mode"].name == mode.upper()
            pool.reset(seed=1)
            for _ in range(9):
                assert pool.step([0, 1, 0])[0].shape == (3, 4)
    for env_type in ("gym", "dm"):
        with parallel_pool.make("CartPole-v1", env_type, num_envs=2) as pool:
            pool.reset()
            pool.step(np.array([0, 1]))
    with parallel_pool.make_python("CartPole-v1", 4, num_workers=2) as pool:
        pool.reset()
        assert pool.step([0, 1, 0, 1])[0].shape == (4, 4)


def test_single_envs_of_an_old_gymnasium() -> None:
    env = gymnasium.make("parallel_pool/CartPole-v1")
    theirs = gymnasium.make("CartPole-v1")
    obs, _ = env.reset(seed=3)
    np.testing.assert_array_equal(obs, theirs.reset(seed=3)[0])
    for _ in range(10):
        ours, others = env.step(1)[:4], theirs.step(1)[:4]
        for one, other in zip(ours, others, strict=True):
            np.testing.assert_array_equal(one, other)
        if others[2]:
            break


def test_make_vec_says_what_to_call_instead() -> None:
    with pytest.raises(RuntimeError, match=r"needs Gymnasium 1.1 or newer.*parallel_pool.make\(\)"):
        gymnasium.make_vec("parallel_pool/CartPole-v1", 2, vectorization_mode="custom")


def test_docs(snippet: Callable[[str], str], tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert "the mean return is" in snippet("Sample Factory")
