"""SBX, which is Stable-Baselines3 in JAX, takes the same adapter."""

from collections.abc import Callable

import jax
import numpy as np
import pytest
import sbx

from parallel_pool.integrations.sb3 import VecEnv


@pytest.mark.parametrize(
    ("algorithm", "task", "net", "options"),
    [
        (sbx.PPO, "CartPole-v1", "actor_state", {"n_steps": 64}),
        (sbx.DQN, "CartPole-v1", "qf_state", {}),
        (sbx.SAC, "Pendulum-v1", "actor_state", {}),
    ],
)
def test_algorithms_learn_from_pools(
    algorithm: type, task: str, net: str, options: dict[str, int]
) -> None:
    env = VecEnv(task, num_envs=4, seed=1, max_episode_steps=50)
    model = algorithm("MlpPolicy", env, seed=1, **options)
    before = jax.tree.map(np.array, getattr(model.policy, net).params)
    model.learn(600)
    after = getattr(model.policy, net).params
    assert jax.tree.all(jax.tree.map(lambda a, b: (a != b).any(), before, after))
    # The adapter does the work of Monitor: SBX logs the episodes that have ended.
    lengths = [episode["l"] for episode in model.ep_info_buffer]
    assert len(lengths) >= 4 * (600 // 4 // 50) and max(lengths) <= 50
    obs = env.reset()
    for _ in range(5):
        actions, _ = model.predict(obs, deterministic=True)
        obs, rewards, dones, infos = env.step(actions)
        assert np.isfinite(rewards).all()
    env.close()


def test_docs(snippet: Callable[[str], str]) -> None:
    snippet("SBX")
