"""parallel_pool.integrations.rllib, compared with RLlib's own runner of single-agent envs."""

import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
import ray
import torch
from ray.rllib.algorithms.appo import APPOConfig
from ray.rllib.algorithms.dqn import DQNConfig
from ray.rllib.algorithms.impala import IMPALAConfig
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.algorithms.sac import SACConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.connectors.connector_v2 import ConnectorV2
from ray.rllib.connectors.env_to_module import FlattenObservations, MeanStdFilter
from ray.rllib.connectors.env_to_module.frame_stacking import FrameStackingEnvToModule
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.tune import register_env

import parallel_pool
from parallel_pool.integrations.rllib import PoolEnvRunner
from parallel_pool.integrations.rllib.errors import TruncateOnError

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the actors cannot import it
torch.set_num_threads(1)  # more slow small nets down
pytestmark = pytest.mark.filterwarnings("ignore")
POOL = "parallel_pool:parallel_pool/"
ENVS = 5


class Trouble(gymnasium.Env[Any, Any]):
    """Counts its steps; action 1 throws, and so do the first `bad_resets` resets."""

    observation_space: Any = gymnasium.spaces.Dict(
        {"steps": gymnasium.spaces.Box(0, 100, (2,)), "goal": gymnasium.spaces.Box(0, 1, (1,))}
    )
    action_space = gymnasium.spaces.Discrete(2)

    bad_resets = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.bad_resets -= 1
        if self.bad_resets >= 0:
            raise ValueError("bad reset")
        self.steps = 0
        return self.observe(), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        if action == 1:
            raise ValueError("thrown")
        return self.observe(), 1.0, False, self.steps >= 6, {"even": self.steps % 2 == 0}

    def observe(self) -> Any:
        return {
            "steps": np.full(2, self.steps, np.float32),
            "goal": self.np_random.random(1, np.float32),
        }


class BadResets(Trouble):
    bad_resets = 3


class OnlyBadResets(Trouble):
    bad_resets = 99


class Dicts(gymnasium.Env[Any, Any]):
    """Observations and actions are dicts; the return depends on the actions."""

    observation_space = gymnasium.spaces.Dict(
        {
            "at": gymnasium.spaces.Box(-9, 9, (2,)),
            "count": gymnasium.spaces.Box(0, 9, (1,), np.int32),
        }
    )
    action_space = gymnasium.spaces.Dict(
        {"jump": gymnasium.spaces.Discrete(3), "push": gymnasium.spaces.Box(-2, 4, (2,))}
    )

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.at, self.count = self.np_random.random(2, np.float32), 0
        return self.observe(), {"new": True}

    def step(self, action: Any) -> Any:
        self.count += 1
        self.at = np.clip(self.at + action["push"] * action["jump"], -9, 9).astype(np.float32)
        return self.observe(), float(self.at.sum()), self.count >= 8, False, {"count": self.count}

    def observe(self) -> Any:
        return {"at": self.at, "count": np.array([self.count], np.int32)}


class Pushes(gymnasium.Env[Any, Any]):
    """Adds up the actions as they come, and does not clip them itself."""

    observation_space = gymnasium.spaces.Box(-99, 99, (2,))
    action_space = gymnasium.spaces.Box(-0.1, 0.3, (2,))

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.at, self.count = np.zeros(2, np.float32), 0
        return self.at, {}

    def step(self, action: Any) -> Any:
        self.at, self.count = self.at + action, self.count + 1
        return self.at, float(action[0]), False, self.count >= 9, {}


class Frames(Trouble):
    observation_space = gymnasium.spaces.Box(0, 9, (3, 4, 1))

    def observe(self) -> Any:
        return np.full((3, 4, 1), self.steps, np.float32)


class Module(TorchRLModule):  # type: ignore[misc]
    """A linear policy of features of the observation."""

    num_features = 4

    def setup(self) -> None:
        kind = self.action_dist_cls = self.get_inference_action_dist_cls()
        self.policy = torch.nn.Linear(self.num_features, kind.required_input_dim(self.action_space))

    def _forward(self, batch: Any, **_: Any) -> Any:
        return {"action_dist_inputs": self.policy(self.features(batch["obs"]))}


class TroubleModule(Module):
    num_features = 2

    def features(self, obs: Any) -> Any:
        return obs["steps"]


class FramesModule(Module):
    num_features = 3 * 4 * 3

    def features(self, obs: Any) -> Any:
        return obs.flatten(1)


class DictsModule(TorchRLModule):  # type: ignore[misc]
    """Returns actions, not the inputs of a distribution."""

    def setup(self) -> None:
        self.net = torch.nn.Linear(3, 5)

    def _forward(self, batch: Any, **_: Any) -> Any:
        at, count = batch["obs"]["at"], batch["obs"]["count"]
        assert count.dtype == torch.int32
        out = self.net(torch.cat([at, count.float()], 1))
        noise = torch.rand(len(at))
        actions = {"jump": out[:, :3].argmax(1), "push": out[:, 3:] * noise[:, None]}
        return {"actions": actions, "action_logp": noise, "more": {"out": out}}


class ImageModule(Module):
    num_features = 4 * 84

    def features(self, obs: Any) -> Any:
        assert obs.dtype == torch.uint8
        return obs.float().mean(-1).flatten(1) / 255


def with_module(config: Any, module: Any) -> Any:
    return config.rl_module(rl_module_spec=RLModuleSpec(module))


def make_config(task: Any, algorithm: Any = PPOConfig, num_envs: int = ENVS, **options: Any) -> Any:
    return (
        algorithm()
        .environment(task, env_config=options)
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=num_envs,
            gym_env_vectorize_mode="vector_entry_point",
            rollout_fragment_length=7,
        )
        .rl_module(model_config={"fcnet_hiddens": [8]})
        .debugging(seed=3, log_level="ERROR")
    )


def same(a: Any, b: Any, where: str = "") -> None:
    """Asserts equal types and values, bit for bit, of nested containers and arrays."""
    assert type(a) is type(b), where
    if isinstance(b, dict):
        assert set(a) == set(b), (where, set(a) ^ set(b))
        for key in b:
            same(a[key], b[key], f"{where}[{key!r}]")
    elif isinstance(b, list | tuple):
        assert len(a) == len(b), where
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"{where}[{i}]")
    elif isinstance(b, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), where
        assert a.tobytes() == b.tobytes(), where
    else:
        assert a == b, where


def content(episode: Any) -> dict[str, Any]:
    """All that an episode contains, lookback included, without its id and its times."""
    state: dict[str, Any] = episode.get_state()
    for name in ("id_", "_start_time", "_last_step_time"):
        del state[name]
    for flag in ("is_terminated", "is_truncated"):
        state[flag] = bool(state[flag])
    for column in (state["infos"], *state["extra_model_outputs"].values()):
        column["data"] = list(column["data"]) if column is state["infos"] else column["data"]
    for info in state["infos"]["data"]:
        info.pop("players", None)  # PoolEnvRunner drops it
    return state


def runners(config: Any) -> tuple[Any, Any]:
    """PoolEnvRunner and RLlib's runner, with the same weights."""
    made = [kind(config=config, worker_index=0) for kind in (PoolEnvRunner, SingleAgentEnvRunner)]
    made[0].module.set_state(made[1].module.get_state())
    return made[0], made[1]


def sample(runner: Any, call: int, **arguments: Any) -> Any:
    torch.manual_seed(call)
    runner.env.action_space.seed(call)
    return runner.sample(**arguments)


def assert_same_episodes(
    one: Any,
    other: Any,
    calls: int = 8,
    is_fast: bool = True,
    least_ends: int = 0,
    **arguments: Any,
) -> None:
    """Compares calls of sample(), which continue each other's episodes."""
    assert (one._rollout is not None) == is_fast
    ids: dict[str, str] = {}
    ended = 0
    for call in range(calls):
        mine, theirs = (sample(runner, call, **arguments) for runner in (one, other))
        assert len(mine) == len(theirs) > 0
        for a, b in zip(mine, theirs, strict=True):
            same(content(a), content(b))
            assert a.is_numpy
            a.validate()
            assert 0 <= a.get_duration_s() < 60
            assert (a.get_duration_s() > 0) == (b.get_duration_s() > 0)
            assert ids.setdefault(b.id_, a.id_) == a.id_  # fragments of an episode share its id
            ended += a.is_done
    assert len(set(ids.values())) == len(ids)
    assert ended >= least_ends


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


class Callbacks(RLlibCallback):  # type: ignore[misc]
    def on_sample_end(self, *, env_runner: Any, metrics_logger: Any, samples: Any, **_: Any) -> Any:
        metrics_logger.log_value("my_steps", sum(map(len, samples)), reduce="sum")


class EpisodeCallbacks(Callbacks):
    """Counts the calls of each kind; marks each episode."""

    def on_episode_created(self, *, episode: Any, metrics_logger: Any, **_: Any) -> None:
        metrics_logger.log_value("my_created", 1, reduce="sum")

    def on_episode_start(self, *, episode: Any, metrics_logger: Any, **_: Any) -> None:
        metrics_logger.log_value("my_starts", 1, reduce="sum")

    def on_episode_step(self, *, episode: Any, metrics_logger: Any, **_: Any) -> None:
        metrics_logger.log_value("my_infos", episode.get_infos(-1)["elapsed_step"], reduce="sum")

    def on_episode_end(self, *, episode: Any, prev_episode_chunks: Any, **_: Any) -> None:
        episode.custom_data["chunks"] = len(prev_episode_chunks)


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


def same_metrics(one: Any, other: Any) -> None:
    """Asserts the same names, and the same numbers but for seconds."""
    mine, theirs = (
        {name: value for name, value in flat(runner.get_metrics())} for runner in (one, other)
    )
    pieces = {name for name in theirs if "connectors" in name}  # they do not run one by one
    assert set(mine) | pieces == set(theirs)
    for name, value in mine.items():
        seconds = ("timer", "sample", "_sec_", "time_", "throughput", "sum_episodes_length")
        if not any(word in "/".join(name) for word in seconds):
            same(np.asarray(value.peek()), np.asarray(theirs[name].peek()), str(name))


def flat(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, (*path, key))
        else:
            yield (*path, key), value


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


def first_observations(config: Any, worker_index: int) -> list[bytes]:
    runner = PoolEnvRunner(config=config, worker_index=worker_index)
    episodes = runner.sample(num_timesteps=1)
    runner.stop()
    return [episode.observations[0].tobytes() for episode in episodes]


@pytest.mark.parametrize("has_callbacks", [False, True])
@pytest.mark.parametrize("seed_of", ["debugging", "env_config", "none"])
def test_no_two_envs_share_a_seed(seed_of: str, has_callbacks: bool) -> None:
    config = make_config(POOL + "CartPole-v1").debugging(seed=None)
    if seed_of == "debugging":
        config.debugging(seed=3)
    if seed_of == "env_config":
        config.environment(env_config={"seed": 3})
    if has_callbacks:
        config.callbacks(EpisodeCallbacks)
    evaluation = config.copy(copy_frozen=False)
    evaluation.in_evaluation = True
    first = [
        obs
        for each in (config, evaluation)
        for worker in range(3)
        for obs in first_observations(each, worker)
    ]
    assert len(set(first)) == len(first) == 2 * 3 * ENVS
    again = first_observations(config, 2)
    assert (again == first[2 * ENVS : 3 * ENVS]) == (seed_of != "none")
    if seed_of != "none":
        pool = parallel_pool.make("CartPole-v1", num_envs=3 * ENVS, seed=3)
        assert [obs.tobytes() for obs in pool.reset()[0]] == first[: 3 * ENVS]


@pytest.mark.parametrize("is_fast", [True, False])
def test_an_env_that_throws_truncates_its_episode(
    is_fast: bool, caplog: pytest.LogCaptureFixture
) -> None:
    config = with_module(make_config(POOL + "python", env=Trouble), TroubleModule)
    if not is_fast:
        config.callbacks(EpisodeCallbacks)
    runner = PoolEnvRunner(config=config, worker_index=2)
    assert (runner._rollout is not None) == is_fast
    with caplog.at_level(logging.WARNING, "parallel_pool"):
        episodes = runner.sample(num_timesteps=200)
    cut = [episode for episode in episodes if episode.is_done and len(episode) < 6]
    assert cut
    for episode in cut:
        steps = episode.get_observations()["steps"][:, 0]
        assert steps.tolist() == [*range(len(episode)), len(episode) - 1]
        assert episode.get_actions().tolist() == [0] * (len(episode) - 1) + [1]
        assert episode.get_rewards().tolist() == [1.0] * (len(episode) - 1) + [0.0]
        assert episode.is_truncated and not episode.is_terminated
    good = [episode for episode in episodes if episode.t == 6 and episode.is_done]
    assert all((episode.get_actions() == 0).all() for episode in good)
    assert "PoolEnvRunner 2: the envs [" in caplog.text and "Trouble env" in caplog.text
    assert "ValueError: thrown" in caplog.text
    errors = dict(flat(runner.get_metrics()))[("num_env_step_failures",)].peek()
    assert errors == len(cut)
    runner.stop()


@pytest.mark.parametrize("is_fast", [True, False])
def test_an_env_that_throws_in_a_reset_is_reset_again(is_fast: bool) -> None:
    config = with_module(make_config(POOL + "python", env=BadResets), TroubleModule)
    if not is_fast:
        config.callbacks(EpisodeCallbacks)
    runner = PoolEnvRunner(config=config)
    for episode in runner.sample(num_timesteps=50, explore=False):
        steps = episode.get_observations()["steps"][:, 0]
        assert steps[:-1].tolist() == [*range(len(steps) - 1)]
    runner.stop()
    runner = PoolEnvRunner(config=config.environment(env_config={"env": OnlyBadResets}))
    with pytest.raises(parallel_pool.EnvError, match="bad reset"):
        runner.sample()
    runner.stop()


def test_an_env_that_throws_in_a_later_reset() -> None:
    env: Any = gymnasium.make_vec(POOL + "python", env=Trouble, num_envs=3, seed=1)
    errors: list[Any] = []
    wrapped = TruncateOnError(env, errors.append)
    wrapped.reset()
    _, _, _, truncated, _ = wrapped.step([0, 1, 0])
    assert truncated.tolist() == [False, True, False]
    env.set_attr("bad_resets", [0, 4, 0])
    obs, reward, terminated, truncated, _ = wrapped.step([0, 0, 0])
    assert obs["steps"][:, 0].tolist() == [2, 0, 2] and obs["goal"][1] > 0
    assert reward.tolist() == [1, 0, 1] and not (terminated | truncated).any()
    assert wrapped.step([0, 0, 0])[0]["steps"][:, 0].tolist() == [3, 1, 3]
    assert [error.env_ids for error in errors] == [[1]] * 5
    wrapped.close()


def test_refusals() -> None:
    def refused(config: Any) -> str:
        with pytest.raises(ValueError, match=r".") as error:
            PoolEnvRunner(config=config)
        return str(error.value)

    assert "'CartPole-v1'; allowed are ids" in refused(make_config("CartPole-v1"))
    assert "'parallel_pool:parallel_pool/python'" in refused(make_config(Trouble))
    for mode in ("same_step", "disabled"):
        message = refused(make_config(POOL + "CartPole-v1", autoreset_mode=mode))
        assert f"autoreset_mode='{mode}'" in message and "need 'next_step'" in message
    message = refused(make_config(POOL + "CartPole-v1", batch_size=2))
    assert "batch_size is 2" in message and "num_envs = 5" in message
    assert "a row for each player" in refused(make_config(POOL + "SimpleTag-v3"))
    several = make_config(POOL + "CartPole-v1").multi_agent(
        policies={"a", "b"}, policy_mapping_fn=lambda *_, **__: "a"
    )
    assert "several agents" in refused(several)
    recorded = make_config(POOL + "CartPole-v1").offline_data(output="/nowhere")
    assert "the output '/nowhere'" in refused(recorded)
    assert "made CartPoleVectorEnv" in refused(
        make_config(lambda ctx: gymnasium.make_vec("CartPole-v1", num_envs=ctx["num_envs"]))
    )
    with pytest.raises(TypeError, match="no option 'gravityy'"):
        PoolEnvRunner(config=make_config(POOL + "Pendulum-v1", gravityy=1))


def test_functions_that_make_pools() -> None:
    register_env(
        "my_pool",
        lambda context: gymnasium.make_vec(
            POOL + "CartPole-v1",
            num_envs=context["num_envs"],
            max_episode_steps=context["limit"],
        ),
    )
    config = make_config("my_pool", limit=4)
    one, other = runners(config)
    assert_same_episodes(one, other, calls=3, least_ends=2)
    config.debugging(seed=None)
    first = [obs for worker in range(3) for obs in first_observations(config, worker)]
    assert len(set(first)) == len(first) == 3 * ENVS
    one, other = runners(
        make_config(
            lambda context: gymnasium.wrappers.vector.ClipReward(
                gymnasium.make_vec(POOL + "CartPole-v1", num_envs=context["num_envs"]), 0, 0.5
            )
        )
    )
    assert_same_episodes(one, other, calls=3)


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
