"""The records of a rollout: arrays for each step of each env."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parallel_pool.mujoco import checks
from parallel_pool.mujoco.library import Model, Record
from parallel_pool.python.options.option import nearest

Item = str | int
_TIME = 1  # mjSTATE_TIME


class Records:
    """The arrays of a rollout, and the list of them for the plugin.

    `components` are the bits of mjtState that a state has.

    Attributes:
        arrays: for each item its array (n, nstep, ...).
        list: the same for the plugin.
    """

    def __init__(
        self,
        model: Model,
        components: int,
        items: Sequence[Item],
        n: int,
        nstep: int,
        given: Mapping[Item, np.ndarray[Any, Any]],
    ) -> None:
        self.arrays: dict[Item, np.ndarray[Any, Any]] = {}
        records = []
        for item in items:
            if not isinstance(item, str):
                checks.components("record", item, components)
            shape, dtype = _shape(model, item)
            if item in given:
                array = checks.buffer(f"out[{item!r}]", given[item], (n, nstep, *shape), dtype)
            else:
                array = np.empty((n, nstep, *shape), dtype)
            self.arrays[item] = array
            # mjb_rollout records time as a component of the state only.
            part = _TIME if item == "time" else item
            name = part.encode() if isinstance(part, str) else None
            spec = 0 if isinstance(part, str) else int(part)
            records.append(Record(name, spec, array.ctypes.data))
        self.list: Any = (Record * len(records))(*records)


def _shape(model: Model, item: Item) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and type of an item in one step of one env."""
    if not isinstance(item, str):
        return (model.state_size(int(item)),), np.dtype(np.float64)
    field = model.data_fields.get(item)
    if field is None:
        near = nearest(item, model.data_fields)
        raise ValueError(f"record has {item!r}, which is no field of mjData{near}")
    return field.shape, field.dtype
