"""RLlib's default connector pipelines, applied to the batch of all envs at once.

The pieces of RLlib take a list of episodes apart into items and batch them again. Between a pool
and a module, which both work on batches, that changes nothing but the time.
"""

import time
from typing import Any

import numpy as np
import torch
import tree
from gymnasium import spaces
from ray.rllib.connectors import env_to_module, module_to_env
from ray.rllib.core.columns import Columns
from ray.rllib.utils.metrics import (
    CONNECTOR_PIPELINE_TIMER,
    ENV_TO_MODULE_CONNECTOR,
    MODULE_TO_ENV_CONNECTOR,
)
from ray.rllib.utils.numpy import convert_to_numpy
from ray.rllib.utils.spaces.space_utils import (
    clip_action,
    get_base_struct_from_space,
    unsquash_action,
)
from ray.rllib.utils.torch_utils import convert_to_torch_tensor

# The pieces of the default pipelines of a single agent. The second, third and last of them only
# matter to stateful modules and to items of episodes.
_TO_MODULE = [
    env_to_module.AddObservationsFromEpisodesToBatch,
    env_to_module.AddTimeDimToBatchAndZeroPad,
    env_to_module.AddStatesFromEpisodesToBatch,
    env_to_module.BatchIndividualItems,
    env_to_module.NumpyToTensor,
]
_TO_ENV = [
    module_to_env.GetActions,
    module_to_env.TensorToNumpy,
    module_to_env.UnBatchToIndividualItems,
    module_to_env.RemoveSingleTsTimeRankFromBatch,
    module_to_env.NormalizeAndClipActions,
    module_to_env.ListifyDataForVectorEnv,
]


def are_default(to_module: Any, to_env: Any) -> bool:
    """Whether both pipelines have exactly the pieces that RLlib adds itself."""
    pieces = [[type(piece) for piece in pipeline.connectors] for pipeline in (to_module, to_env)]
    return pieces == [_TO_MODULE, _TO_ENV]


class BatchPipelines:
    """Both default pipelines, for a module without states."""

    def __init__(self, runner: Any) -> None:
        """Takes module, device, settings and metrics from a SingleAgentEnvRunner."""
        self._runner = runner
        self._seconds: dict[str, float] = {}
        self._is_on_cpu = str(runner._device) == "cpu"
        self._get_actions, *_, limits, _ = runner._module_to_env.connectors
        self._action_space = get_base_struct_from_space(runner.env.single_action_space)
        has_bounds = any(isinstance(s, spaces.Box) for s in tree.flatten(self._action_space))
        self._normalizes: bool = limits.normalize_actions and has_bounds
        self._clips: bool = limits.clip_actions and has_bounds

    def to_module(self, obs: Any) -> dict[str, Any]:
        """The module's batch: observations as tensors, float32 in place of float64."""
        start = time.perf_counter()
        if self._is_on_cpu and isinstance(obs, np.ndarray) and obs.dtype != np.float64:
            tensors = torch.from_numpy(obs)  # the same, with less work
        else:
            tensors = convert_to_torch_tensor(obs, device=self._runner._device)
        self._seconds[ENV_TO_MODULE_CONNECTOR] = time.perf_counter() - start
        return {Columns.OBS: tensors}

    def to_env(self, outputs: dict[str, Any], explore: bool) -> tuple[Any, Any, dict[str, Any]]:
        """The actions as the module means them, as the envs take them, and its other outputs.

        Args:
            outputs: of the module's forward pass; actions are drawn here if it has none.
            explore: whether actions are drawn, or are the most likely ones.

        Returns:
            NumPy arrays of shape (num_envs, ...), or nested dicts of them.
        """
        start = time.perf_counter()
        outputs = self._get_actions(
            rl_module=self._runner.module, batch=outputs, episodes=[None], explore=explore
        )
        outputs = {name: _to_numpy(value) for name, value in outputs.items()}
        actions = outputs.pop(Columns.ACTIONS)
        for_env = outputs.pop(Columns.ACTIONS_FOR_ENV, actions)
        if self._normalizes:
            for_env = unsquash_action(actions, self._action_space)
        elif self._clips:
            for_env = clip_action(actions, self._action_space)
        self._seconds[MODULE_TO_ENV_CONNECTOR] = time.perf_counter() - start
        return actions, for_env, outputs

    def log(self) -> None:
        """Logs the seconds of the last calls; to log each call would take as long as the call."""
        for pipeline, seconds in self._seconds.items():
            key = pipeline, CONNECTOR_PIPELINE_TIMER
            self._runner.metrics.log_value(key, seconds, reduce="ema")


def _to_numpy(value: Any) -> Any:
    """RLlib's convert_to_numpy() of a tensor, with less work: float32, and int32 of int64."""
    if not isinstance(value, torch.Tensor) or not value.ndim:
        return convert_to_numpy(value)
    array = value.detach().cpu().numpy()
    if array.dtype.kind == "f":
        return array.astype(np.float32, copy=False)
    return array.astype(np.int32) if array.dtype == np.int64 else array
