"""torchrl's MultiThreadedEnv and GymWrapper, and a collector over them."""

import functools
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import GymEnv, GymWrapper
from torchrl.envs.libs.envpool import MultiThreadedEnv, MultiThreadedEnvWrapper

import parallel_pool


def test_multi_threaded_env() -> None:
    env = MultiThreadedEnv(num_workers=4, env_name="CartPole-v1")
    assert type(env._env).__module__.startswith("parallel_pool.")
    env.set_seed(7)
    data = env.rollout(6, policy=lambda td: td.set("action", torch.zeros(4, dtype=torch.int64)))
    with parallel_pool.make("CartPole-v1", num_envs=4, seed=7) as pool:
        np.testing.assert_array_equal(data["observation"][:, 0].numpy(), pool.reset()[0])
        for step in range(6):
            obs, reward, terminated, truncated, _ = pool.step(np.zeros(4, dtype=int))
            after = data["next"][:, step]
            np.testing.assert_array_equal(after["observation"].numpy(), obs)
            np.testing.assert_array_equal(after["reward"].reshape(-1).numpy(), reward)
            np.testing.assert_array_equal(after["terminated"].reshape(-1).numpy(), terminated)
    env.close()


def test_rows_that_only_reset_can_be_masked() -> None:
    """The mask of docs/integrations.md."""
    env = MultiThreadedEnv(num_workers=8, env_name="CartPole-v1")
    data = env.rollout(64, break_when_any_done=False)
    is_step = data["next", "done"].logical_not().roll(1, dims=1)
    is_step[:, 0] = True
    assert (data["next", "reward"][is_step] == 1).all()
    others = data["next", "reward"][~is_step]
    assert len(others) >= 8 and (others == 0).all()
    env.close()


def test_set_seed_is_followed_by_another_reset() -> None:
    single = gymnasium.make("CartPole-v1")
    first, second = single.reset(seed=5)[0], single.reset()[0]
    env: Any = GymWrapper(
        gymnasium.make_vec("parallel_pool/CartPole-v1", 2, autoreset_mode="disabled")
    )
    env.set_seed(5)
    np.testing.assert_array_equal(env.reset()["observation"][0].numpy(), second)
    np.testing.assert_array_equal(env.reset(seed=5)["observation"][0].numpy(), first)
    env.close()


def test_wraps_a_pool() -> None:
    pool = parallel_pool.make_gym("CartPole-v1", num_envs=3)
    env = MultiThreadedEnvWrapper(pool)
    assert env.rollout(5)["next", "observation"].shape[:1] == (3,)


def test_a_single_env_by_its_id() -> None:
    """GymEnv gives the argument frameskip, and leaves it out after Python's error for it."""
    env = GymEnv("parallel_pool/CartPole-v1")
    assert env.rollout(5)["next", "observation"].shape == (5, 4)
    env.close()


@pytest.mark.parametrize("mode", ["disabled", "same_step"])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1"])
def test_a_vector_env_equals_sync_vector_env(mode: str, task_id: str) -> None:
    """torchrl asks vector envs for their `autoreset_mode`, and makes tensors of all infos."""
    own = {"autoreset_mode": AutoresetMode[mode.upper()]}
    make_vec = functools.partial(gymnasium.make_vec, num_envs=2, max_episode_steps=15)
    envs: Any = [
        make_vec(task_id, vectorization_mode="sync", vector_kwargs=own),
        make_vec(f"parallel_pool/{task_id}", autoreset_mode=mode, reward_dtype="float64"),
    ]
    data = []
    for env in envs:
        wrapped: Any = GymWrapper(env)
        wrapped.set_seed(7)
        torch.manual_seed(0)
        data.append(wrapped.rollout(60, break_when_any_done=False))
        wrapped.close()
    assert data[0]["next", "done"].sum() >= 6
    for name in ("observation", "reward", "terminated", "truncated", "done"):
        assert torch.equal(data[0]["next", name], data[1]["next", name]), name
    assert torch.equal(data[0]["observation"], data[1]["observation"])


def test_a_pool_that_resets_in_the_next_step_is_refused() -> None:
    env = gymnasium.make_vec("parallel_pool/CartPole-v1", num_envs=2)
    with pytest.raises(RuntimeError, match="must be one of SAME_STEP or DISABLED"):
        GymWrapper(env)
    env.close()


def test_collector() -> None:
    env = MultiThreadedEnv(num_workers=4, env_name="CartPole-v1")
    net = torch.nn.Linear(4, 2)
    policy = TensorDictModule(
        lambda obs: net(obs).argmax(-1), in_keys=["observation"], out_keys=["action"]
    )
    collector = Collector(env, policy, frames_per_batch=64, total_frames=256)
    batches = list(collector)
    assert [batch.numel() for batch in batches] == [64] * 4
    assert any(batch["next", "done"].any() for batch in batches)
    collector.shutdown()


def test_snippet(snippet: Callable[[str], str]) -> None:
    assert "gym" in sys.modules
    assert "torch.Size([8, " in snippet("torchrl")
