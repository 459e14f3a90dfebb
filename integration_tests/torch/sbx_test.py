"""SBX, which is Stable-Baselines3 in JAX, takes the same adapter."""

from collections.abc import Callable

import numpy as np
import pytest
import sbx

from parallel_pool.integrations.sb3 import VecEnv


@pytest.mark.parametrize(
    ("algorithm", "task"),
    [(sbx.PPO, "CartPole-v1"), (sbx.DQN, "CartPole-v1"), (sbx.SAC, "Pendulum-v1")],
)
def test_algorithms_learn_from_pools(algorithm: type, task: str) -> None:
    env = VecEnv(task, num_envs=4, seed=1)
    model = algorithm("MlpPolicy", env, seed=1)
    model.learn(600)
    obs = env.reset()
    for _ in range(5):
        actions, _ = model.predict(obs, deterministic=True)
        obs, rewards, dones, infos = env.step(actions)
        assert np.isfinite(rewards).all()
    env.close()


def test_docs(snippet: Callable[[str], str]) -> None:
    snippet("SBX")
