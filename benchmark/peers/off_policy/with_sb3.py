"""Stable-Baselines3: VecEnv and ReplayBuffer."""

from typing import Any

import ale_py
import gymnasium
from stable_baselines3 import DQN, SAC
from stable_baselines3.common.callbacks import ConvertCallback
from stable_baselines3.common.env_util import make_atari_env, make_vec_env
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import TrainFreq, TrainFrequencyUnit
from stable_baselines3.common.vec_env import VecFrameStack, VecTransposeImage

from benchmark.peers.off_policy import common
from parallel_pool.integrations.sb3 import VecEnv
from parallel_pool.integrations.sb3_replay import ReplayBuffer


class _Extractor(BaseFeaturesExtractor):  # type: ignore[misc]
    """The small network in the place of SB3's larger one."""

    def __init__(self, space: Any) -> None:
        super().__init__(space, common.FEATURES)
        self.features = common.Features()

    def forward(self, obs: Any) -> Any:
        return self.features(obs)


def _envs(task: str, form: str) -> Any:
    if form == "parallel_pool":
        return VecEnv(common.IDS[task], num_envs=common.ENVS, seed=1)
    if task == "HalfCheetah":
        return make_vec_env("HalfCheetah-v5", common.ENVS)
    gymnasium.register_envs(ale_py)
    frames = make_atari_env("PongNoFrameskip-v4", common.ENVS)
    return VecTransposeImage(VecFrameStack(frames, 4))


def arm(task: str, form: str) -> common.Play:
    """The algorithm's own collect_rollouts() and train()."""
    is_pong = task == "Pong"
    policy: dict[str, Any] = {"net_arch": [] if is_pong else common.HIDDEN}
    if is_pong:
        policy["features_extractor_class"] = _Extractor
    options: dict[str, Any] = {}
    if form == "parallel_pool":
        options["replay_buffer_class"] = ReplayBuffer
        options["replay_buffer_kwargs"] = {"stack_num": common.STACK[task]}
    model = (DQN if is_pong else SAC)(
        "CnnPolicy" if is_pong else "MlpPolicy",
        _envs(task, form),
        buffer_size=common.CAPACITY,
        learning_starts=0,
        policy_kwargs=policy,
        device="cpu",
        **options,
    )
    _, callback = model._setup_learn(10**9, ConvertCallback(None))
    every_step = TrainFreq(1, TrainFrequencyUnit.STEP)

    def collect() -> None:
        model.collect_rollouts(model.env, callback, every_step, model.replay_buffer)

    def train() -> None:
        model.train(common.UPDATES, common.BATCH[task])

    for _ in range(common.BEGIN // common.ENVS):
        collect()

    def play() -> None:
        collect()
        train()

    if form != "networks":
        return play
    obs, samples = model._last_obs, model.replay_buffer.sample(common.BATCH[task])
    model.replay_buffer.sample = lambda *args, **kwargs: samples

    def network() -> None:
        model.predict(obs)
        train()

    return network
