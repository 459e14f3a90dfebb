"""Episodes, metrics and weights of PoolEnvRunner equal those of RLlib's own runner."""

import sys
from collections.abc import Callable
from typing import Any

import cloudpickle
import numpy as np
import pytest
from cases import (
    ENVS,
    POOL,
    Callbacks,
    Dicts,
    DictsModule,
    EpisodeCallbacks,
    Frames,
    FramesModule,
    ImageModule,
    Pushes,
    assert_same_episodes,
    make_config,
    runners,
    same_metrics,
    with_module,
)
from comparison import same
from ray.rllib.algorithms.dqn import DQNConfig
from ray.rllib.connectors.connector_v2 import ConnectorV2
from ray.rllib.connectors.env_to_module import FlattenObservations, MeanStdFilter
from ray.rllib.connectors.env_to_module.frame_stacking import FrameStackingEnvToModule

from parallel_pool.integrations.rllib import PoolEnvRunner

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the actors cannot import it
pytestmark = pytest.mark.filterwarnings("ignore")


# Each has: the task, its options, and changes of the config.
CASES: dict[str, tuple[str, dict[str, Any], Callable[[Any], Any]]] = {
    "discrete": ("CartPole-v1", {}, lambda config: config),
    "short_episodes": ("CartPole-v1", {"max_episode_steps": 3}, lambda config: config),
    "no_lookback": (
        "CartPole-v1",
        {},
        lambda config: config.env_runners(episode_lookback_horizon=0),
    ),
    "long_lookback": (
        "CartPole-v1",
        {"max_episode_steps": 20},
        lambda config: config.env_runners(episode_lookback_horizon=10),
    ),
    "unsquashed": ("Pendulum-v1", {"max_episode_steps": 9}, lambda config: config),
    "clipped": (
        "python",
        {"env": Pushes},
        lambda config: config.environment(normalize_actions=False, clip_actions=True),
    ),
    "neither": (
        "python",
        {"env": Pushes},
        lambda config: config.environment(normalize_actions=False, clip_actions=False),
    ),
    "float64": (
        "Hopper-v5",
        {"reward_dtype": "float64", "max_episode_steps": 30},
        lambda config: config,
    ),
    "complete_episodes": (
        "CartPole-v1",
        {},
        lambda config: config.env_runners(batch_mode="complete_episodes"),
    ),
    "dicts": ("python", {"env": Dicts}, lambda config: with_module(config, DictsModule)),
    "images": (
        "Pong-v5",
        {"max_episode_steps": 5},
        lambda config: with_module(config, ImageModule).env_runners(num_envs_per_env_runner=2),
    ),
}


@pytest.mark.parametrize("explore", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_episodes_equal_those_of_rllib(name: str, explore: bool) -> None:
    task, options, change = CASES[name]
    config = change(make_config(POOL + task, **options))
    one, other = runners(config)
    assert_same_episodes(one, other, calls=12, explore=explore, least_ends=one.num_envs)


def test_a_call_may_ask_for_steps_or_episodes_or_begin_anew() -> None:
    one, other = runners(make_config(POOL + "CartPole-v1", max_episode_steps=12))
    calls: list[dict[str, Any]] = [
        {"num_timesteps": 33, "random_actions": True},
        {"num_timesteps": 20},
        {"num_timesteps": 1},
        {"num_timesteps": 40, "force_reset": True},
        {"num_episodes": 3},
        {"num_episodes": 7, "random_actions": True},
        {},
        {"num_timesteps": 60, "explore": False, "force_reset": True},
    ]
    for arguments in calls:
        assert_same_episodes(one, other, calls=1, **arguments)
    same_metrics(one, other)


def test_schedules_see_the_same_number_of_steps() -> None:
    config = make_config(POOL + "CartPole-v1", DQNConfig)
    config.training(epsilon=[[0, 1.0], [100, 0.0]])
    one, other = runners(config)
    assert_same_episodes(one, other, calls=6)
    assert_same_episodes(one, other, calls=1, explore=False)
    for runner in (one, other):
        runner.set_state({"num_env_steps_sampled_lifetime": 60})
    assert_same_episodes(one, other, calls=2)


SLOW: dict[str, Callable[[Any], Any]] = {
    "a_filter": lambda config: config.env_runners(
        env_to_module_connector=lambda env, spaces, device: MeanStdFilter()
    ),
    "actions": lambda config: config.env_runners(
        module_to_env_connector=lambda env, spaces: OppositeActions()
    ),
    "callbacks": lambda config: config.callbacks(EpisodeCallbacks),
    "a_function": lambda config: config.callbacks(
        on_episode_end=lambda episode, **_: episode.custom_data.update(seen=True)
    ),
    "a_state": lambda config: config.rl_module(model_config={"use_lstm": True, "max_seq_len": 4}),
}


class OppositeActions(ConnectorV2):  # type: ignore[misc]
    def __call__(self, *, batch: Any, **_: Any) -> Any:
        self.foreach_batch_item_change_in_place(batch, "actions", lambda action, *_: 1 - action)
        return batch


@pytest.mark.parametrize("name", SLOW)
def test_connectors_callbacks_and_states_are_those_of_rllib(name: str) -> None:
    one, other = runners(SLOW[name](make_config(POOL + "CartPole-v1")))
    assert_same_episodes(one, other, is_fast=False, least_ends=ENVS)
    same_metrics(one, other)


def test_flattened_observations() -> None:
    config = make_config(POOL + "python", env=Dicts).env_runners(
        env_to_module_connector=lambda env, spaces, device: FlattenObservations()
    )
    one, other = runners(config)
    assert_same_episodes(one, other, is_fast=False, least_ends=ENVS)


def test_stacked_frames() -> None:
    config = make_config(POOL + "python", env=Frames).env_runners(
        env_to_module_connector=lambda env, spaces, device: FrameStackingEnvToModule(num_frames=3),
        episode_lookback_horizon=5,
    )
    one = PoolEnvRunner(config=with_module(config, FramesModule))
    assert one.get_spaces()["default_policy"][0].shape == (3, 4, 3)
    for _ in range(3):
        assert sum(map(len, one.sample())) >= 7 * ENVS
    one.stop()


@pytest.mark.parametrize("callbacks", [None, Callbacks])
def test_metrics_equal_those_of_rllib(callbacks: Any) -> None:
    config = make_config(POOL + "CartPole-v1").reporting(metrics_num_episodes_for_smoothing=6)
    one, other = runners(config.callbacks(callbacks) if callbacks else config)
    for calls in (1, 12, 3):
        assert_same_episodes(one, other, calls=calls)
        same_metrics(one, other)
    assert not one._done_episodes_for_metrics
    assert len(one._ongoing_episodes_for_metrics) <= ENVS


def test_weights_and_their_number() -> None:
    one, other = runners(make_config(POOL + "CartPole-v1"))
    assert_same_episodes(one, other, calls=1)
    state = other.get_state()
    state["weights_seq_no"] = 7
    state["rl_module"] = {k: v * 2 for k, v in state["rl_module"].items()}
    for runner in (one, other):
        runner.set_state(state)
    assert_same_episodes(one, other, calls=3)  # WEIGHTS_SEQ_NO is one of extra_model_outputs
    same(one.get_state(), other.get_state())
    one.assert_healthy()
    for runner in (one, other):
        runner.stop()
    with pytest.raises(RuntimeError, match="closed"):
        one.env.step(np.zeros(ENVS, int))
