"""Envs, modules and configs of the tests of RLlib, and the comparison of two runners."""

import sys
from collections.abc import Iterator
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import torch
from comparison import same
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

from parallel_pool.integrations.rllib import PoolEnvRunner

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the actors cannot import it
torch.set_num_threads(1)  # more slow small nets down
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
    assert (one._collector is not None) == is_fast
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


def first_observations(config: Any, worker_index: int) -> list[bytes]:
    runner = PoolEnvRunner(config=config, worker_index=worker_index)
    episodes = runner.sample(num_timesteps=1)
    runner.stop()
    return [episode.observations[0].tobytes() for episode in episodes]
