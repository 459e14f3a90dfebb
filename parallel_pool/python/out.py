"""Arrays of the caller's that recv(out=...) and step(out=...) fill."""

from typing import Any

import numpy as np

from parallel_pool.python.option import suggest
from parallel_pool.python.spec import ArraySpec, Spec, nest

_PARTS = ("obs", "reward", "terminated", "truncated", "info")


class Outputs:
    """What a batch holds, as it can be copied into arrays that the caller has made before.

    Such an array has room for the largest batch, `batch_size` rows (where it is per player, for as
    many players in each); a smaller batch fills its first rows.
    """

    def __init__(self, spec: Spec) -> None:
        """Of the pools that `spec` describes."""
        flag = ArraySpec("", "bool", (), False, [], [])
        arrays = {"reward": spec.reward_array, "terminated": flag, "truncated": flag}
        arrays |= {a.name: a for a in (*spec.engine_info, *spec.state_arrays)}
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
    """The parts of a batch, with those that `out` has a place for copied there.

    What is returned for these are the first rows of the caller's arrays.
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
