"""Pools of Python envs in the libraries that train on them."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.utils.net.common import Net

import parallel_pool
from parallel_pool.integrations.sb3 import VecEnv


class Corridor(gymnasium.Env[Any, Any]):
    """Walk to the right; some steps have infos."""

    observation_space = gymnasium.spaces.Box(0, 10, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, length: int = 6) -> None:
        self.length = length

    def _obs(self) -> Any:
        return np.array([self.at], np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.at, self.steps = int(self.np_random.integers(3)), 0
        return self._obs(), {"start": self.at}

    def step(self, action: Any) -> Any:
        self.steps += 1
        self.at = max(0, self.at + (1 if action else -1))
        info = {"reward": "none of the engine's", "terminated": 7} if self.steps % 2 else {}
        ended = self.at >= self.length
        return self._obs(), float(ended) - 0.1, ended, self.steps >= 9 and not ended, info

    def double(self, number: int) -> int:
        return 2 * number + self.length


def spec(**options: Any) -> Any:
    options = {"num_workers": 2, **options}
    return parallel_pool.make_python_spec(Corridor, 3, **options)


def test_the_adapter_is_dummy_vec_env() -> None:
    ours = VecEnv(spec(), all_infos=True)
    theirs = DummyVecEnv([lambda: Monitor(Corridor())] * 3)
    for envs in (ours, theirs):
        envs.seed(5)
    np.testing.assert_array_equal(ours.reset(), theirs.reset())
    assert [info["start"] for info in ours.reset_infos] == [
        info["start"] for info in theirs.reset_infos
    ]
    random = np.random.default_rng(0)
    episodes = 0
    for _ in range(60):
        actions = random.integers(2, size=3)
        a, b = ours.step(actions), theirs.step(actions)
        for x, y in zip(a[:3], b[:3], strict=True):
            np.testing.assert_array_equal(x, y)
        for mine, own in zip(a[3], b[3], strict=True):
            mine = {k: v for k, v in mine.items() if k not in ("env_id", "elapsed_step", "players")}
            assert set(mine) == set(own)
            for key in own:
                if key == "episode":
                    episodes += 1
                    assert mine[key]["l"] == own[key]["l"]
                    assert mine[key]["r"] == pytest.approx(
                        own[key]["r"], abs=1e-5
                    )  # Monitor rounds
                elif key == "terminal_observation":
                    assert mine[key].tobytes() == own[key].tobytes()
                else:
                    assert mine[key] == own[key], key
    assert episodes > 3
    ours.close()


def test_the_adapter_reaches_the_envs() -> None:
    envs = VecEnv(spec(env_kwargs=[{"length": n} for n in (4, 5, 6)]))
    assert envs.get_attr("length") == [4, 5, 6]
    assert envs.get_attr("length", indices=[2, 0]) == [6, 4]
    assert envs.env_method("double", 10, indices=[1]) == [25]
    envs.set_attr("length", 7, indices=[0, 2])
    assert envs.get_attr("length") == [7, 5, 7]
    with pytest.raises(AttributeError, match="Corridor: "):
        envs.env_method("triple")
    with pytest.raises(TypeError, match="give num_envs to what made it"):
        VecEnv(spec(), num_envs=2)
    envs.close()


def test_ppo_learns() -> None:
    with_workers = VecEnv(parallel_pool.make_python_spec(Corridor, 8, num_workers=2))
    model = PPO("MlpPolicy", with_workers, n_steps=64, batch_size=128, seed=1, gamma=0.9)
    model.learn(4096)
    obs = with_workers.reset()
    done, returns = np.zeros(8, bool), np.zeros(8)
    while not done.all():
        obs, reward, ended, _ = with_workers.step(model.predict(obs, deterministic=True)[0])
        returns += reward * ~done
        done |= ended
    assert returns.mean() > 0.3  # six steps straight to the end: 0.4
    with_workers.close()


def test_tianshou_collects_whole_episodes() -> None:
    env = parallel_pool.make_python(Corridor, 4, num_workers=2)
    net = Net(state_shape=(1,), action_shape=2, hidden_sizes=[8])
    policy = DiscreteQLearningPolicy(
        model=net,
        action_space=env.single_action_space,
        observation_space=env.single_observation_space,
        eps_training=0.5,
    )
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3))
    collector = Collector[CollectStats](algorithm, env, VectorReplayBuffer(4000, 4))
    collector.reset()
    stats = collector.collect(n_episode=20, random=True)
    assert stats.n_collected_episodes == 20
    assert stats.lens.max() <= 9
    env.close()


def test_a_loop_as_cleanrls_runs_on_make_vec() -> None:
    envs = gymnasium.make_vec("parallel_pool/python", num_envs=4, env=Corridor, num_workers=2)
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    obs, _ = envs.reset(seed=1)
    ended = 0
    for _ in range(50):
        obs, reward, terminations, truncations, infos = envs.step(envs.action_space.sample())
        assert obs.shape == (4, 1)
        if "episode" in infos:
            ended += int(infos["_episode"].sum())
            assert (infos["episode"]["l"][infos["_episode"]] > 0).all()
    assert ended > 0
    envs.close()
