"""The options that normalize and clip observations and rewards: what they refuse, and the spaces.

The engine transforms batches (core/engine/transforms.h).
"""

import math
from typing import Any

from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.specs.source import Source


def _observations(arrays: tuple[ArraySpec, ...]) -> list[ArraySpec]:
    """The arrays that the engine transforms: observations of floats."""
    return [
        array
        for array in arrays
        if (array.name == "obs" or array.name.startswith("obs:"))
        and array.kind == "box"
        and array.dtype in ("float32", "float64")
    ]


def check(source: Source, config: dict[str, Any], arrays: tuple[ArraySpec, ...]) -> None:
    """ValueError if envs with such arrays cannot be transformed as `config` says."""

    def refuse(name: str, reason: str) -> None:
        raise ValueError(f"{source.id}: {name} is {config[name]!r}; {reason}")

    for name in ("normalize_observation", "clip_observation"):
        if not config[name]:
            continue
        if not _observations(arrays):
            shown = ", ".join(f"{a.name} of {a.dtype}" for a in arrays if a.name.startswith("obs"))
            refuse(name, f"it is for observations of floats, and this task has {shown}")
        if any(array.players for array in _observations(arrays)):
            refuse(name, "observations with a row for each player cannot be transformed")
    if config["normalize_reward"] and any(array.name == "reward" for array in arrays):
        refuse("normalize_reward", "rewards of each player cannot be normalized")
    for name in ("normalize_observation", "normalize_reward"):
        if config[name] and source.specs:
            refuse(name, "each task needs statistics of its own: make a pool for each")


def changes_bounds(config: dict[str, Any]) -> bool:
    """Whether observations have other bounds than those of the task."""
    return bool(config["normalize_observation"] or config["clip_observation"])


def transformed(config: dict[str, Any], arrays: tuple[ArraySpec, ...]) -> tuple[ArraySpec, ...]:
    """The arrays with the bounds that users receive."""
    if not changes_bounds(config):
        return arrays
    limit = config["clip_observation"] or math.inf
    changed = _observations(arrays)

    def bounds(array: ArraySpec) -> ArraySpec:
        if config["normalize_observation"]:
            return array._replace(low=[-limit], high=[limit])
        low = [min(max(x, -limit), limit) for x in array.low or [-math.inf]]
        high = [min(max(x, -limit), limit) for x in array.high or [math.inf]]
        return array._replace(low=low, high=high)

    return tuple(bounds(array) if array in changed else array for array in arrays)
