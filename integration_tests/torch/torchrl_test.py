"""torchrl's MultiThreadedEnv, and a collector over it."""

import sys
from collections.abc import Callable

import numpy as np
import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import GymEnv
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


def test_wraps_a_pool() -> None:
    pool = parallel_pool.make_gym("CartPole-v1", num_envs=3)
    env = MultiThreadedEnvWrapper(pool)
    assert env.rollout(5)["next", "observation"].shape[:1] == (3,)


def test_a_single_env_by_its_id() -> None:
    """GymEnv gives the argument frameskip, and leaves it out after Python's error for it."""
    env = GymEnv("parallel_pool/CartPole-v1")
    assert env.rollout(5)["next", "observation"].shape == (5, 4)
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
