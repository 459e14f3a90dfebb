"""The common part of a Rollout and of Trajectories."""

import importlib
from typing import Any

from parallel_pool.learner.final_rows import FinalRows
from parallel_pool.learner.saved import Moves
from parallel_pool.learner.tensors import is_tensor
from parallel_pool.python.arrays.trees import map_leaves


class Loop:
    """A pool whose steps are kept for a learner, as arrays or as tensors.

    Attributes:
        pool: the pool.
        steps: of each env in a loop.
    """

    def __init__(self, pool: Any, steps: int, torch: bool, device: Any) -> None:
        """The arguments are those of Rollout; ValueError if they do not fit together."""
        self.pool: Any = pool
        self.steps: int = int(steps)
        self._torch: Any = importlib.import_module("torch") if torch else None
        if device is not None and not torch:
            raise ValueError(f"device is {device!r}; it needs torch=True")
        self._device = device
        self._action_space = pool._pool_spec.action_space
        self._resets_at_once: bool = pool.config["autoreset_mode"] == "same_step"
        self._final_rows = FinalRows()
        self._moves = Moves(pool)

    def _value(self, kept: dict[str, Any]) -> Any:
        """The values that act() was given, for finish()."""
        if "value" not in kept:
            raise RuntimeError("finish() needs the values of the steps: act(action, value=...)")
        return kept["value"]

    def _shown(self, arrays: Any) -> Any:
        """The arrays, or tensors over their memory."""
        if self._torch is None:
            return arrays
        return map_leaves(lambda a: a if is_tensor(a) else self._torch.from_numpy(a), arrays)

    def _sent(self, arrays: Any, non_blocking: bool = False) -> Any:
        """The arrays, or tensors on the device."""
        shown = self._shown(arrays)
        if self._device is None:
            return shown
        return map_leaves(lambda a: a.to(self._device, non_blocking=non_blocking), shown)

    def __repr__(self) -> str:
        """The call that makes such an object."""
        more = ", torch=True" if self._torch is not None else ""
        return f"{type(self).__name__}({self.pool!r}, steps={self.steps}{more})"
