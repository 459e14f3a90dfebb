"""Random actions of a pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from parallel_pool.core import _core
from parallel_pool.python.arrays.array_names import item_name
from parallel_pool.python.specs.spec import Spec


class RandomActions:
    """Draws actions for the envs of a batch."""

    def __init__(self, spec: Spec, action_space: Any, num_envs: int) -> None:
        """Actions of `action_space`; the same ones for the same seed of the pool."""
        seed = spec.config["seed"]
        first = seed[0] if isinstance(seed, list) else seed
        self._spec = spec
        self._space = action_space
        self._num_envs = num_envs
        # Another stream than those of the envs.
        self._sampler = _core.ActionSampler(spec.setup, num_envs, (first + 2**63) % 2**64)

    def draw(self, info: Mapping[str, Any] | None) -> Any:
        """See GymApi.sample_actions()."""
        envs, players, mask = np.arange(self._num_envs), None, None
        if info is not None:
            envs = np.asarray(info["env_id"])
            mask = info.get("action_mask")
        if self._spec.setup.most_players > 0:
            if info is None:
                raise ValueError(
                    f"{self._spec.task_id}: sample_actions() needs the infos of the last batch, "
                    "which say how many players each env has"
                )
            players = np.bincount(info["players"]["env_id"], minlength=self._num_envs)[envs]
        if mask is not None:
            mask = self._checked(np.asarray(mask), len(envs) if players is None else players.sum())
        drawn = self._sampler.sample(envs, players, mask)
        if not isinstance(drawn, dict):
            return drawn
        return _tree(self._space, drawn, "")

    def save(self) -> bytes:
        """The random numbers, for load()."""
        return self._sampler.save()

    def load(self, saved: bytes) -> None:
        """Goes on from save(); ValueError if the bytes are damaged."""
        if not self._sampler.load(saved):
            raise ValueError(f"{self._spec.task_id}: load(): the random actions are damaged")

    def _checked(self, mask: Any, rows: int) -> Any:
        actions = self._spec.action_arrays
        if len(actions) != 1 or actions[0].kind != "discrete":
            return None  # of something else
        shape = int(rows), int(actions[0].high[0] - actions[0].low[0]) + 1
        if mask.shape != shape or mask.dtype.kind not in "bui":
            raise ValueError(
                f"{self._spec.task_id}: info['action_mask'] is {mask.dtype} of shape {mask.shape}; "
                f"it must be of integers or bool, of shape {shape}"
            )
        return mask != 0


def _tree(space: Any, arrays: dict[str, Any], name: str) -> Any:
    """The arrays in the form of the space; `name` is that of its node."""
    children = getattr(space, "spaces", None)
    if children is None:
        return arrays[name]
    prefix = f"{name}." if name else ""
    if isinstance(children, Mapping):
        return {key: _tree(child, arrays, f"{prefix}{key}") for key, child in children.items()}
    return tuple(_tree(c, arrays, prefix + item_name(i)) for i, c in enumerate(children))
