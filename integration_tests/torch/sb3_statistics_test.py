"""Pools that normalize, where Stable-Baselines3 looks for its VecNormalize."""

import pathlib
from typing import Any

import numpy as np
import pytest
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.callbacks import CheckpointCallback, EvalCallback
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecFrameStack, VecNormalize

from parallel_pool.integrations.sb3 import VecEnv

OBS: dict[str, Any] = {"normalize_observation": True, "clip_observation": 10.0}
BOTH: dict[str, Any] = OBS | {"normalize_reward": True, "clip_reward": 10.0}


def same(a: Any, b: Any) -> bool:
    """Whether two results of statistics() are equal."""
    assert a.keys() == b.keys()
    return all(np.array_equal(a[n][k], b[n][k]) for n in a for k in ("mean", "var", "count"))


def played(env: Any, steps: int = 50) -> Any:
    """The env after some steps with random actions."""
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        env.step(rng.uniform(-1, 1, (env.num_envs, *env.action_space.shape)).astype(np.float32))
    return env


@pytest.mark.parametrize("stacks", [False, True])
def test_an_evaluation_has_the_statistics_of_the_training(stacks: bool) -> None:
    training: Any = VecEnv("Pendulum-v1", num_envs=4, seed=1, **BOTH)
    evaluation: Any = VecEnv("Pendulum-v1", num_envs=2, seed=5, update_statistics=False, **OBS)
    own, other = training, evaluation
    if stacks:
        training, evaluation = VecFrameStack(training, 2), VecFrameStack(evaluation, 2)
    model = PPO("MlpPolicy", training, n_steps=32, batch_size=64)
    model.learn(256, callback=EvalCallback(evaluation, eval_freq=32, n_eval_episodes=2, verbose=0))
    assert model.get_vec_normalize_env() is own
    obs = other.statistics()["obs"]
    assert same({"obs": obs}, {"obs": own.statistics()["obs"]}) and obs["count"] > 256
    assert other.statistics().keys() == {"obs"}
    training.close(), evaluation.close()


def test_checkpoints_have_the_statistics(tmp_path: pathlib.Path) -> None:
    training: Any = VecEnv("Pendulum-v1", num_envs=4, seed=1, **BOTH)
    model = PPO("MlpPolicy", training, n_steps=32, batch_size=64)
    model.learn(128, callback=CheckpointCallback(32, str(tmp_path), save_vecnormalize=True))
    (file,) = tmp_path.glob("*vecnormalize*.pkl")
    again: Any = VecEnv("Pendulum-v1", num_envs=2, **BOTH)
    again.load_statistics(file)
    assert same(again.statistics(), training.statistics())
    again = type(again).load(str(file), VecEnv("Pendulum-v1", num_envs=2, **OBS))
    assert again.statistics()["obs"]["count"] == training.statistics()["obs"]["count"]
    # SB3's own class reads it, for an env that does not normalize itself.
    other: Any = VecNormalize.load(str(file), VecEnv("Pendulum-v1", num_envs=4, seed=7))
    other.training = False
    mine: Any = VecEnv("Pendulum-v1", num_envs=4, seed=7, update_statistics=False, **BOTH)
    mine.load_statistics(training.statistics())
    np.testing.assert_allclose(mine.reset(), other.reset(), atol=1e-6)  # SB3 computes in float64
    action = np.ones((4, 1), np.float32)
    for one, two in zip(mine.step(action)[:2], other.step(action)[:2], strict=True):
        np.testing.assert_allclose(one, two, atol=1e-6)
    other.save(str(tmp_path / "theirs.pkl"))
    mine.load_statistics(str(tmp_path / "theirs.pkl"))
    assert same(mine.statistics(), training.statistics())


def test_an_evaluation_on_the_training_env_counts_nothing() -> None:
    env = played(VecEnv("Pendulum-v1", num_envs=4, seed=1, **BOTH))
    model = PPO("MlpPolicy", env, n_steps=32, batch_size=64)
    before = env.statistics()
    env.training = False
    evaluate_policy(model, env, 4)
    assert same(env.statistics(), before)
    # Each batch was normalized by the same numbers, bit for bit.
    frozen = env.pool.statistics()
    assert all(np.array_equal(frozen[n][k], before[n][k]) for n in before for k in ("mean", "var"))
    env.training = True
    assert same(env.pool.statistics(), before)
    env.reset()
    assert env.statistics()["obs"]["count"] == before["obs"]["count"] + 4


def test_statistics_can_be_set_while_they_stay() -> None:
    env, other = (played(VecEnv("Pendulum-v1", num_envs=4, seed=s, **BOTH)) for s in (1, 2))
    env.training = False
    env.load_statistics(other.statistics())
    played(env)
    assert same(env.statistics(), other.statistics())
    frozen: Any = VecEnv("Pendulum-v1", num_envs=2, update_statistics=False, **OBS)
    assert not frozen.training
    with pytest.raises(ValueError, match="update_statistics=False was given"):
        frozen.training = True


def test_original_observations_and_rewards() -> None:
    env: Any = VecEnv("Pendulum-v1", num_envs=4, seed=1, **BOTH)
    plain: Any = VecEnv("Pendulum-v1", num_envs=4, seed=1)
    played(env), played(plain)
    action = np.ones((4, 1), np.float32)
    env.step(action)
    obs, reward, *_ = plain.step(action)
    # Floats of 32 bits have 7 digits.
    np.testing.assert_allclose(env.get_original_obs(), obs, atol=1e-5)
    np.testing.assert_allclose(env.get_original_reward(), reward, rtol=1e-5)


def test_replay_buffers_have_original_observations() -> None:
    env = VecEnv("Pendulum-v1", num_envs=2, seed=1, **BOTH)
    model = SAC("MlpPolicy", env, learning_starts=50, batch_size=32)
    model.learn(120)
    buffer: Any = model.replay_buffer
    angles = buffer.observations[:60, :, :2]
    np.testing.assert_allclose(np.square(angles).sum(-1), 1, atol=1e-4)  # cosine and sine
    assert np.abs(buffer.sample(32, env=env).observations.numpy()).max() <= 10


def test_dicts_of_observations(tmp_path: pathlib.Path) -> None:
    training = played(VecEnv("FetchReach-v4", num_envs=2, seed=1, **BOTH))
    evaluation: Any = VecEnv("FetchReach-v4", num_envs=2, update_statistics=False, **OBS)
    assert set(training.obs_rms) == set(training.norm_obs_keys) == set(training.reset())
    training.save(str(tmp_path / "statistics.pkl"))
    evaluation.load_statistics(tmp_path / "statistics.pkl")
    assert evaluation.statistics().keys() == training.statistics().keys() - {"reward"}
    for name, entry in evaluation.statistics().items():
        assert same({name: entry}, {name: training.statistics()[name]})


def test_attributes() -> None:
    env: Any = VecEnv("CartPole-v1", num_envs=2, seed=1, normalize_reward=True, gamma=0.9)
    assert isinstance(env, VecEnv) and isinstance(env, VecNormalize)
    assert not isinstance(VecEnv("CartPole-v1", num_envs=2), VecNormalize)
    assert not hasattr(env, "obs_rms") and env.gamma == 0.9 and env.norm_reward
    assert env.unwrapped is env and env.seed(3) == [3, 4]
    env.set_options({"low": -0.01})
    env.reset()
    DQN("MlpPolicy", env, learning_starts=10).learn(40)
    with pytest.raises(AttributeError, match="no attribute 'venvs'"):
        _ = env.venvs
    with pytest.raises(ValueError, match="this pool has none"):
        VecEnv("CartPole-v1", num_envs=2).load_statistics(env.statistics())
