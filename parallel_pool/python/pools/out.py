"""The caller's arrays that recv(out=...) and step(out=...) fill.

out= copies. Workers write into the batch's columns, whose alignment and lifetime belong to the
engine. Batches over the caller's memory would save at most one copy of one part in cache, and would
need a second kind of batch. out= is checked before anything is sent and always has the size of the
largest batch, so no result is lost for lack of room.
"""

from typing import Any

import numpy as np

from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.arrays.trees import nest
from parallel_pool.python.options.option import suggest
from parallel_pool.python.specs.spec import Spec

_PARTS = ("obs", "reward", "terminated", "truncated", "info")


class Outputs:
    """The parts of a batch that can be copied into the caller's arrays.

    Such an array has room for the largest batch: `batch_size` rows, or if it is per player, the
    rows of the most players of as many envs. A smaller batch fills its first rows.
    """

    def __init__(self, spec: Spec) -> None:
        """The outputs of the pools of `spec`."""
        flag = ArraySpec("", "bool", (), "box", [], [])
        # A task's own rewards, of players, may have another dtype than the pool's.
        written = [a for a in spec.state_arrays if a.name != "reward"]
        arrays = {"reward": spec.reward_array, "terminated": flag, "truncated": flag}
        arrays |= {a.name: a for a in (*spec.engine_info, *written)}
        self._task_id = spec.task_id
        self._rows = spec.config["batch_size"]
        self._tree = nest((name.replace(":", ".", 1), array) for name, array in arrays.items())

    def check(self, out: Any) -> None:
        """ValueError or TypeError if `out` is not a (nested) dict of arrays that can be filled."""
        self._check_dict("out", out, self._tree)

    def _check_dict(self, what: str, out: Any, tree: dict[str, Any]) -> None:
        if not isinstance(out, dict):
            raise TypeError(
                f"{self._task_id}: {what} must be a dict of arrays, with any of "
                f"{', '.join(map(repr, tree))}; not {type(out).__name__}"
            )
        for name, array in out.items():
            if name not in tree:
                raise ValueError(f"{self._task_id}: {what} has {name!r}{suggest(str(name), tree)}")
            where = f"{what}[{name!r}]"
            if isinstance(tree[name], dict):
                self._check_dict(where, array, tree[name])
            else:
                self._check_array(f"{self._task_id}: {where}", array, tree[name])

    def _check_array(self, what: str, array: Any, spec: ArraySpec) -> None:
        if not isinstance(array, np.ndarray):
            raise TypeError(
                f"{what} must be a NumPy array (of a tensor: tensor.numpy()), not "
                f"{type(array).__name__}"
            )
        if array.dtype != spec.dtype:
            raise TypeError(f"{what} is of {array.dtype}; it must be of {spec.dtype}")
        shape = (self._rows * max(spec.players, 1), *spec.shape)
        if array.shape != shape:
            raise ValueError(f"{what} has shape {array.shape}; it must be {shape}")
        if not array.flags.writeable:
            raise ValueError(f"{what} is read-only")


def fill(out: dict[str, Any], *parts: Any) -> tuple[Any, ...]:
    """Copies the parts of a batch that are in `out` to the caller's arrays; returns all parts.

    A copied part is returned as a view of the first rows of the caller's array.
    """
    batch = dict(zip(_PARTS, parts, strict=True))
    _fill(out, batch)
    return tuple(batch.values())


def _fill(out: dict[str, Any], tree: dict[str, Any]) -> None:
    for name, array in out.items():
        if isinstance(array, dict):
            _fill(array, tree[name])
        else:
            rows = array[: len(tree[name])]
            rows[...] = tree[name]
            tree[name] = rows
