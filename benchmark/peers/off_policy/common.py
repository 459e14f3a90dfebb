"""All three libraries have these: the sizes of the loop, the network, and envs of Gymnasium."""

from collections.abc import Callable
from typing import Any

import ale_py
import gymnasium
import torch

ENVS, UPDATES, CAPACITY, BEGIN = 16, 4, 20_000, 640  # BEGIN: steps of all envs before updates
BATCH = {"HalfCheetah": 256, "Pong": 32}
IDS = {"HalfCheetah": "HalfCheetah-v5", "Pong": "Pong-v5"}
STACK = {"HalfCheetah": 1, "Pong": 4}
HIDDEN = [64, 64]  # of HalfCheetah's networks
FEATURES = 128  # of Pong's
Play = Callable[[], object]  # a step of all envs, and the updates after it


class Features(torch.nn.Module):  # type: ignore[misc]
    """A small network for stacks of frames: (rows, 4, 84, 84) to (rows, FEATURES)."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            *(torch.nn.Conv2d(4, 16, 8, stride=4), torch.nn.ReLU()),
            *(torch.nn.Conv2d(16, 32, 4, stride=2), torch.nn.ReLU(), torch.nn.Flatten()),
            *(torch.nn.Linear(32 * 9 * 9, FEATURES), torch.nn.ReLU()),
        )

    def forward(self, obs: Any) -> Any:
        """Bytes are scaled to 0 .. 1."""
        obs = torch.as_tensor(obs)
        return self.layers(obs.float() / 255 if obs.dtype == torch.uint8 else obs)


def single_env(task: str) -> Any:
    """A single env of Gymnasium, as examples of these libraries make it."""
    if task == "HalfCheetah":
        return gymnasium.make("HalfCheetah-v5")
    gymnasium.register_envs(ale_py)
    env = gymnasium.make("ALE/Pong-v5", frameskip=1, repeat_action_probability=0.0)
    env = gymnasium.wrappers.AtariPreprocessing(env)
    return gymnasium.wrappers.FrameStackObservation(env, 4)
