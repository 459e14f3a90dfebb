"""Plays one arm of questions/paper.py for some seconds, and prints its frames a second.

It runs in the environment of `make bench` (Gymnasium 1, EnvPool, ParallelPool) and in that of
Sample Factory, which pins Gymnasium 0.29. Its argument is an Arm of questions/paper.py in JSON.
"""

import functools
import importlib
import json
import logging
import os
import re
import sys
import tempfile
import time
import types
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

FRAMES = {"Pong": 4, "Ant": 5}  # of one step
_TASKS = {"Pong": "Pong-v5", "Ant": "Ant-v4"}  # of the pools


def make_one(task: str) -> Any:
    """An env as users of Gymnasium make it: Atari with its usual wrappers, or MuJoCo's Ant."""
    if task == "Ant":
        return gymnasium.make("Ant-v4")
    import ale_py  # registers its envs with an old Gymnasium

    if hasattr(gymnasium, "register_envs"):
        gymnasium.register_envs(ale_py)
    env = gymnasium.make("PongNoFrameskip-v4")
    env = gymnasium.wrappers.AtariPreprocessing(env, noop_max=30, frame_skip=4, screen_size=84)
    wrappers: Any = gymnasium.wrappers
    stack = getattr(wrappers, "FrameStackObservation", None) or wrappers.FrameStack
    return stack(env, 4)


def rate(step: Callable[[], object], rows: int, seconds: float) -> float:
    """The rows a second of calls of step(), after a warm-up of a fifth of the time."""
    end = time.perf_counter() + seconds / 5
    while time.perf_counter() < end:
        step()
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        step()
        done += rows
    return done / (time.perf_counter() - start)


def loop(arm: dict[str, Any]) -> float:
    """A loop in Python over the envs."""
    envs = [make_one(arm["task"]) for _ in range(arm["num_envs"])]
    for i, env in enumerate(envs):
        env.reset(seed=i)

    def step() -> None:
        for env in envs:
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                env.reset()

    return rate(step, len(envs), arm["seconds"])


def processes(arm: dict[str, Any]) -> float:
    """Gymnasium's AsyncVectorEnv: a process for each env."""
    makers = [functools.partial(make_one, arm["task"])] * arm["num_envs"]
    env: Any = gymnasium.vector.AsyncVectorEnv(makers)
    env.reset(seed=0)
    found = rate(lambda: env.step(env.action_space.sample()), arm["num_envs"], arm["seconds"])
    env.close()
    return found


def pool(arm: dict[str, Any]) -> float:
    """EnvPool or ParallelPool: send and recv; actions are drawn in the loop, as in all arms."""
    library = importlib.import_module(arm["library"])
    env = library.make(
        _TASKS[arm["task"]],
        env_type="gymnasium",
        num_envs=arm["num_envs"],
        batch_size=arm["batch_size"],
        num_threads=arm["num_threads"],
    )
    space, random = env.action_space, np.random.default_rng(0)
    size = arm["batch_size"]

    def draw() -> Any:
        if arm["task"] == "Pong":
            return random.integers(space.n, size=size, dtype=np.int32)
        return random.uniform(space.low, space.high, (size, *space.shape))

    env.async_reset()
    return rate(lambda: env.send(draw(), env.recv()[4]["env_id"]), size, arm["seconds"])


class _OldGym:
    """An env with the calls of gym before 0.26, which Sample Factory 1 makes."""

    def __init__(self, env: Any) -> None:
        self.env = self.unwrapped = env
        self.observation_space, self.action_space = env.observation_space, env.action_space
        self._seed: int | None = None

    def seed(self, seed: int | None = None) -> None:
        """Keeps the seed for the next reset."""
        self._seed = seed

    def reset(self) -> Any:
        """Begins an episode."""
        obs, _ = self.env.reset(seed=self._seed)
        self._seed = None
        return obs

    def step(self, action: Any) -> Any:
        """A step, which counts as one frame for Sample Factory."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward, terminated or truncated, {**info, "num_frames": 1}

    def close(self) -> None:
        """Ends the env."""
        self.env.close()


def dummy_sampler(arm: dict[str, Any]) -> float:
    """Sample Factory 1's DUMMY_SAMPLER: a process for each worker, which steps one env at random.

    Nothing leaves the processes. It stops after a number of steps, not after a time.
    """
    sys.path.insert(0, arm["sample_factory_1"])
    np.bool = bool  # type: ignore[assignment,misc]  # it is written for NumPy before 1.24
    gym: Any = gymnasium
    sys.modules["gym"], sys.modules["gym.spaces"] = gym, gym.spaces
    arguments = importlib.import_module("sample_factory.algorithms.utils.arguments")
    registry = importlib.import_module("sample_factory.envs.env_registry").global_env_registry()
    run = importlib.import_module("sample_factory.run_algorithm").run_algorithm
    log = importlib.import_module("sample_factory.utils.utils").log
    registry.register_env(
        "paper_",
        make_env_func=lambda *_, **__: _OldGym(make_one(arm["task"])),
        add_extra_params_func=None,
        override_default_params_func=None,
    )
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    log.addHandler(handler)
    steps = int(arm["steps_per_second"] * arm["num_envs"] * arm["seconds"])
    with tempfile.TemporaryDirectory() as folder:
        options = {
            "algo": "DUMMY_SAMPLER",
            "env": f"paper_{arm['task']}",
            "num_workers": arm["num_envs"],
            "num_envs_per_worker": 1,
            "sample_env_frames": steps,
            "sample_env_frames_per_worker": 10**9,
            "experiment": "paper",
            "train_dir": folder,
        }
        run(arguments.parse_args([f"--{name}={value}" for name, value in options.items()]))
    return float(re.findall(r"avg FPS: ([\d.]+)", "\n".join(lines))[-1])


def sampler(arm: dict[str, Any]) -> float:
    """Sample Factory 2's SyncSamplingAPI: workers, an inference process, rows in shared tensors.

    The policy has constant logits, so that no network is measured.
    """
    import torch

    module = importlib.import_module
    utils = "sample_factory.algo.utils"
    torch.set_num_threads(1)
    os.environ["PAPER_TASK"] = arm["task"]
    module(f"{utils}.context").global_model_factory().register_actor_critic_factory(_policy)
    module("sample_factory.envs.env_utils").register_env("paper", _env_of_sampler)
    arguments = module("sample_factory.cfg.arguments")
    with tempfile.TemporaryDirectory() as folder:
        options = {
            "env": "paper",
            "experiment": "paper",
            "train_dir": folder,
            "device": "cpu",
            "num_workers": arm["num_threads"],
            "num_envs_per_worker": arm["num_envs"] // arm["num_threads"],
            "worker_num_splits": 2,
            "rollout": 32,
            "use_rnn": False,
            "use_env_info_cache": False,
            "normalize_input": False,
        }
        listed = [f"--{name}={value}" for name, value in options.items()]
        parser, _ = arguments.parse_sf_args(listed)
        cfg = arguments.parse_full_cfg(parser, listed)
        first = module(f"{utils}.make_env").make_env_func_batched(cfg, env_config=None)
        info = module(f"{utils}.env_info").extract_env_info(first, cfg)
        first.close()
        count = module(f"{utils}.rl_utils").samples_per_trajectory
        api = module("sample_factory.algo.sampling.simplified_sampling_api").SyncSamplingAPI(
            cfg, info
        )
        api.start()
        end = time.perf_counter() + 3 + arm["seconds"] / 5  # its processes start
        while time.perf_counter() < end:
            api.get_trajectories_sync()
        rows, start = 0, time.perf_counter()
        while time.perf_counter() - start < arm["seconds"]:
            rows += count(api.get_trajectories_sync())
        found = rows / (time.perf_counter() - start)
        api.stop()
    return found


def _env_of_sampler(*_: Any, **__: Any) -> Any:
    class Arrays(gymnasium.ObservationWrapper[Any, Any, Any]):  # not LazyFrames
        def observation(self, obs: Any) -> Any:
            return np.asarray(obs)

    return Arrays(make_one(os.environ["PAPER_TASK"]))


def _policy(cfg: Any, obs_space: Any, action_space: Any) -> Any:
    """An actor-critic whose logits and values are zero."""
    import torch

    base = importlib.import_module("sample_factory.model.actor_critic").ActorCritic
    tensors = importlib.import_module("sample_factory.algo.utils.tensor_dict").TensorDict

    def init(self: Any) -> None:
        base.__init__(self, obs_space, action_space, cfg)
        self.action_parameterization = self.get_action_parameterization(1)

    def forward_tail(self: Any, core: Any, values_only: bool, sample_actions: bool) -> Any:
        result = tensors(values=torch.zeros(core.shape[0]))
        if not values_only:
            logits, self.last_action_distribution = self.action_parameterization(core)
            result["action_logits"] = logits
            self._maybe_sample_actions(sample_actions, result)
        return result

    def forward(self: Any, obs: Any, rnn_states: Any, values_only: bool = False) -> Any:
        head = torch.zeros(next(iter(obs.values())).shape[0], 1)
        result = self.forward_tail(head, values_only, True)
        result["new_rnn_states"] = rnn_states
        return result

    methods = {
        "__init__": init,
        "model_to_device": lambda self, device: None,
        "device_for_input_tensor": lambda self, name: torch.device("cpu"),
        "type_for_input_tensor": lambda self, name: (
            torch.uint8 if obs_space[name].dtype == np.uint8 else torch.float32
        ),
        "forward_head": lambda self, obs: torch.zeros(next(iter(obs.values())).shape[0], 1),
        "forward_core": lambda self, head, rnn_states: (head, rnn_states),
        "forward_tail": forward_tail,
        "forward": forward,
    }
    return types.new_class("Constant", (base,), {}, lambda body: body.update(methods))()


def main() -> None:
    """Plays the arm of the command line."""
    arm = json.loads(sys.argv[1])
    play = {f.__name__: f for f in (loop, processes, pool, dummy_sampler, sampler)}[arm["play"]]
    frames = play(arm) * FRAMES[arm["task"]]
    print(json.dumps({"frames": frames}, allow_nan=False), flush=True)
    os._exit(0)  # threads of Sample Factory may outlive main


if __name__ == "__main__":
    main()
