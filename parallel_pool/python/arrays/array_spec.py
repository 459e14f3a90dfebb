"""One array of an env's action or state, as a space and a spec of each API."""

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from dm_env import specs as dm_specs

from parallel_pool.python.arrays.trees import fold, nest


class ArraySpec(NamedTuple):
    """One array of an env, without the batch axis.

    Attributes:
        name: the env author's name: "obs", "info:lives", "obs:left.camera".
        dtype: NumPy's name of the element type.
        shape: the shape of one env's row, or of each player's.
        kind: "box"; "discrete", one integer in low .. high; "multi_binary", 0 or 1 for each
            element; "multi_discrete", an integer in 0 .. high for each; or "text", ASCII characters
            with zeros after the last one.
        low: the lower bound of all elements, or one for each.
        high: the upper bound of all elements, or one for each.
        players: the most players of an env, each with a row; 0: the array is the env's as a whole.
        meanings: a name for each value of a discrete array, low first; empty: no names.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    kind: str
    low: list[float]
    high: list[float]
    players: int = 0
    meanings: Sequence[str] = ()

    def __str__(self) -> str:
        """A short form for people: uint8[3], or float32[players, 3]."""
        sizes = ["players"] if self.players else []
        return f"{self.dtype}[{', '.join([*sizes, *map(str, self.shape)])}]"

    def named(self) -> str:
        """The values with their names: 0 LEFT, 1 RIGHT."""
        return ", ".join(f"{i} {name}" for i, name in enumerate(self.meanings, int(self.low[0])))

    def bounds(self) -> tuple[Any, Any]:
        """(low, high) as arrays of this shape and dtype; without bounds, the dtype's own limits."""
        kind = np.dtype(self.dtype)

        def number(value: float) -> float:
            if kind.kind in "fb":
                return value
            limits = np.iinfo(kind)  # an integer array has no infinity
            return (
                min(max(value, limits.min), limits.max)
                if np.isfinite(value)
                else (limits.max if value > 0 else limits.min)
            )

        def fill(values: list[float]) -> Any:
            array = np.array([number(v) for v in values or [0.0]], kind)
            return np.full(self.shape, array[0]) if len(array) == 1 else array.reshape(self.shape)

        return fill(self.low), fill(self.high)

    def space(self, spaces: ModuleType, texts_are_str: bool = False) -> Any:
        """The array as a space of `spaces`: gymnasium.spaces or gym.spaces.

        A text is a str for users of single envs and of gymnasium.make_vec(), and an array of its
        bytes for others.
        """
        if self.kind == "discrete":
            return spaces.Discrete(int(self.high[0] - self.low[0]) + 1, start=int(self.low[0]))
        if self.kind == "multi_binary":
            return spaces.MultiBinary(*self.shape)
        low, high = self.bounds()
        if self.kind == "multi_discrete":
            return spaces.MultiDiscrete(high.astype(np.int64) + 1, np.dtype(self.dtype).type)
        if self.kind == "text" and texts_are_str:
            return spaces.Text(*self.shape, min_length=0, charset=[chr(i) for i in range(127)])
        return spaces.Box(low, high, self.shape, np.dtype(self.dtype).type)

    def dm_spec(self, name: str, is_single: bool = False) -> Any:
        """The array as a spec of dm_env; a BoundedArray if any bound is finite."""
        dtype = np.dtype(self.dtype)
        if self.kind == "text" and is_single:
            return dm_specs.StringArray((), name=name)
        if self.kind == "discrete" and not self.low[0]:
            return dm_specs.DiscreteArray(int(self.high[0]) + 1, dtype, name)
        if not np.isfinite([*self.low, *self.high]).any():
            return dm_specs.Array(self.shape, dtype, name)
        return dm_specs.BoundedArray(self.shape, dtype, *self.bounds(), name)


def observation_space_of(
    arrays: Iterable[ArraySpec], spaces: ModuleType, texts_are_str: bool = False
) -> Any:
    """The space of those arrays that are observations, made of gymnasium.spaces or gym.spaces."""
    own = {a.name: a.space(spaces, texts_are_str) for a in arrays}
    if "obs" in own:
        return own["obs"]
    tree = nest((n.removeprefix("obs:"), s) for n, s in own.items() if n.startswith("obs:"))
    return fold(tree, lambda _, children: spaces.Dict(children))


def action_space_of(arrays: Sequence[ArraySpec], spaces: ModuleType) -> Any:
    """The space of all arrays of an action, made of gymnasium.spaces or gym.spaces."""
    if len(arrays) == 1:
        return arrays[0].space(spaces)
    tree = nest((a.name, a.space(spaces)) for a in arrays)
    return fold(tree, lambda _, children: spaces.Dict(children))
