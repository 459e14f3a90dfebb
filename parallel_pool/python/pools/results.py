"""The types of results, for programs that are checked by mypy or pyright."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

# An array, or a nested dict of arrays if the observation space is a Dict; the task decides.
Observation: TypeAlias = Any
# Nested names become nested dicts.
Info: TypeAlias = dict[str, Any]

Rewards: TypeAlias = npt.NDArray[Any]  # float32 or float64: make()'s reward_dtype
Flags: TypeAlias = npt.NDArray[np.bool_]

# The result of a pool: obs, reward, terminated, truncated, info. Arrays have a row for each env of
# the batch.
Batch: TypeAlias = tuple[Observation, Rewards, Flags, Flags, Info]
# The result of a single env: the same without the batch axis.
Step: TypeAlias = tuple[Observation, float, bool, bool, Info]
# The result of a reset of both.
Reset: TypeAlias = tuple[Observation, Info]
