"""RLlib's algorithms train with PoolEnvRunner."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import cloudpickle
import pytest
import ray
from cases import ENVS, POOL, make_config
from comparison import same
from ray.rllib.algorithms.appo import APPOConfig
from ray.rllib.algorithms.dqn import DQNConfig
from ray.rllib.algorithms.impala import IMPALAConfig
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.algorithms.sac import SACConfig

from parallel_pool.integrations.rllib import PoolEnvRunner

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the actors cannot import it
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init("local", num_cpus=4, log_to_driver=False, include_dashboard=False)
    yield
    ray.shutdown()


def small(algorithm: Any, **runners: Any) -> Any:
    config = make_config(POOL + "CartPole-v1", algorithm, max_episode_steps=20)
    return config.env_runners(env_runner_cls=PoolEnvRunner, **runners)


@pytest.mark.parametrize("num_evaluation", [0, 1])
def test_ppo_with_evaluation_and_a_checkpoint(
    cluster: None, num_evaluation: int, tmp_path: Any
) -> None:
    config = small(PPOConfig, num_env_runners=0).training(
        train_batch_size_per_learner=140, minibatch_size=70, num_epochs=1
    )
    config.evaluation(
        evaluation_interval=1,
        evaluation_duration=3,
        evaluation_num_env_runners=num_evaluation,
        evaluation_config={"explore": False},
    )
    algorithm = config.build_algo()
    results = algorithm.train()
    assert isinstance(algorithm.env_runner, PoolEnvRunner)
    assert results["env_runners"]["num_env_steps_sampled"] >= 140
    assert 5 < results["env_runners"]["episode_return_mean"] <= 20
    assert results["evaluation"]["env_runners"]["num_episodes"] >= 3
    path = algorithm.save_to_path(tmp_path / "checkpoint")
    restored = algorithm.from_checkpoint(path)
    same(
        restored.env_runner.get_state(components="rl_module"),
        algorithm.env_runner.get_state(components="rl_module"),
    )
    assert restored.train()["env_runners"]["num_env_steps_sampled_lifetime"] >= 280
    algorithm.stop()
    restored.stop()


@pytest.mark.parametrize("algorithm", [PPOConfig, APPOConfig, IMPALAConfig])
def test_remote_runners(cluster: None, algorithm: Any) -> None:
    config = small(algorithm, num_env_runners=2, num_cpus_per_env_runner=0.5)
    config.training(train_batch_size_per_learner=70)
    if algorithm is PPOConfig:
        config.training(minibatch_size=70, num_epochs=1)
    else:
        config.learners(num_aggregator_actors_per_learner=0)
        config.reporting(min_time_s_per_iteration=1)
    algo = config.build_algo()
    for _ in range(20):
        results = algo.train()["env_runners"]
        if "episode_return_mean" in results:
            break
    assert 5 < results["episode_return_mean"] <= 20
    first = algo.env_runner_group.foreach_env_runner(
        lambda runner: [e.observations[0].tobytes() for e in runner.sample(num_episodes=ENVS)],
        local_env_runner=False,
    )
    assert len(set(first[0]) | set(first[1])) == 2 * ENVS
    assert algo.env_runner_group.num_healthy_remote_workers() == 2
    algo.stop()


@pytest.mark.parametrize("algorithm", [DQNConfig, SACConfig])
def test_replay(cluster: None, algorithm: Any) -> None:
    task = "CartPole-v1" if algorithm is DQNConfig else "Pendulum-v1"
    config = make_config(POOL + task, algorithm, max_episode_steps=20)
    config.env_runners(env_runner_cls=PoolEnvRunner)
    config.training(
        train_batch_size_per_learner=8,
        num_steps_sampled_before_learning_starts=40,
    )
    config.reporting(min_sample_timesteps_per_iteration=200)
    algo = config.build_algo()
    results = algo.train()
    assert results["env_runners"]["num_env_steps_sampled_lifetime"] >= 200
    assert results["learners"]["default_policy"]["num_module_steps_trained_lifetime"] > 0
    algo.stop()


def test_docs(cluster: None, snippet: Callable[[str], str]) -> None:
    assert "episode_return_mean" in snippet("RLlib")
