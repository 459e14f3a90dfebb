"""Views of one element of a model in all envs, such as batch.joint("hip").qpos."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from parallel_pool.mujoco import checks
from parallel_pool.mujoco.arrays import Arrays
from parallel_pool.mujoco.library import Field, Model
from parallel_pool.python.options.option import nearest

# For the rows that belong to element i: their first one and the next element's.
_Rows = Callable[[Model, int], tuple[int, int]]


def _own(_: Model, i: int) -> tuple[int, int]:
    return i, i + 1


def _listed(first: str, size: str) -> _Rows:
    """Rows that begin at the field `first` of the model, as many as its field `size`."""

    def rows(model: Model, i: int) -> tuple[int, int]:
        begin = int(model.values(first)[i])
        return (begin, begin + int(model.values(size)[i])) if begin >= 0 else (0, 0)

    return rows


def _of_joint(first: str, sizes: tuple[int, int, int, int]) -> _Rows:
    """Rows of a joint: `sizes` has their number for the types free, ball, slide and hinge."""

    def rows(model: Model, i: int) -> tuple[int, int]:
        begin = int(model.values(first)[i])
        return begin, begin + sizes[model.values("jnt_type")[i]]

    return rows


@dataclasses.dataclass(frozen=True)
class _Kind:
    """A kind of elements.

    Attributes:
        rows: the rows of an element in fields, by the member of mjModel that counts them.
        prefixes: what names of fields begin with, which an attribute's name is without.
        renamed: attributes with another name than that.
    """

    rows: Mapping[str, _Rows]
    prefixes: tuple[str, ...]
    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict)


KINDS: Mapping[str, _Kind] = {
    "actuator": _Kind(
        {
            "nactuator": _own,
            "nu": _listed("actuator_ctrladr", "actuator_ctrlnum"),
            "nout": _listed("actuator_outadr", "actuator_outnum"),
            "na": _listed("actuator_actadr", "actuator_actnum"),
        },
        ("actuator_",),
    ),
    "body": _Kind({"nbody": _own}, ("body_",)),
    "camera": _Kind({"ncam": _own}, ("cam_",)),
    "equality": _Kind({"neq": _own}, ("eq_",)),
    "geom": _Kind({"ngeom": _own}, ("geom_",)),
    "joint": _Kind(
        {
            "njnt": _own,
            "nq": _of_joint("jnt_qposadr", (7, 4, 1, 1)),
            "nv": _of_joint("jnt_dofadr", (6, 3, 1, 1)),
        },
        ("jnt_", "dof_"),
        {"jnt_bodyid": "jnt_bodyid"},  # bodyid has a row for each dof
    ),
    "keyframe": _Kind({"nkey": _own}, ("key_",)),
    "light": _Kind({"nlight": _own}, ("light_",)),
    "material": _Kind({"nmat": _own}, ("mat_",)),
    "numeric": _Kind(
        {"nnumeric": _own, "nnumericdata": _listed("numeric_adr", "numeric_size")}, ("numeric_",)
    ),
    "pair": _Kind({"npair": _own}, ("pair_",)),
    "sensor": _Kind(
        {"nsensor": _own, "nsensordata": _listed("sensor_adr", "sensor_dim")},
        ("sensor_",),
        {"sensordata": "data"},
    ),
    "site": _Kind({"nsite": _own}, ("site_",)),
    "tendon": _Kind({"ntendon": _own}, ("tendon_", "ten_")),
}
# The first word of a kind's name in fields that count or name its elements.
_TYPES = {"camera": "camera", "keyframe": "key", "pair": "pair"}


def _attributes(kind: _Kind, fields: Mapping[str, Field]) -> dict[str, Field]:
    """The fields that have rows for elements of a kind, by the names of attributes."""
    found: dict[str, Field] = {}
    for name, field in fields.items():
        if field.rows not in kind.rows or name.startswith("name_"):
            continue
        prefix = next((prefix for prefix in kind.prefixes if name.startswith(prefix)), "")
        found.setdefault(kind.renamed.get(name, name[len(prefix) :]), field)
    return found


class Named:
    """One element in all envs: its parts of fields of mjData and mjModel, (num_envs, ...).

    Fields of mjData are as bind() returns them. Those of mjModel are read-only and those of the
    model, until expand() or an assignment gives each env its own: batch.body("torso").mass = 3.

    Attributes:
        id: the element's number.
        name: its name; "" if it has none.
    """

    id: int
    name: str
    _batch: Arrays
    _kind: str

    def __init__(self, batch: Arrays, kind: str, key: int | str) -> None:
        model = batch._model
        count = next(iter(KINDS[kind].rows))
        size = next(field.shape[0] for field in model.model_fields.values() if field.rows == count)
        if isinstance(key, str):
            index = model.id_of(_TYPES.get(kind, kind), key)
            if index < 0:
                names = [model.name_of(_TYPES.get(kind, kind), i) for i in range(size)]
                known = ", ".join(name for name in names if name)
                raise KeyError(
                    f"the model has no {kind} {key!r}"
                    + (nearest(key, names) or f"; there are {known or 'none'}")
                )
        else:
            index = checks.index(kind, key, size)
        for name, value in (
            ("_batch", batch),
            ("_kind", kind),
            ("id", index),
            ("name", model.name_of(_TYPES.get(kind, kind), index)),
        ):
            object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        return ["id", "name", *self._known()]

    def _known(self) -> list[str]:
        model, kind = self._batch._model, KINDS[self._kind]
        return [*_attributes(kind, model.data_fields), *_attributes(kind, model.model_fields)]

    def __getattr__(self, name: str) -> np.ndarray[Any, Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._part(name, is_written=False)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("id", "name"):
            raise AttributeError(f"{name} of a {self._kind} cannot be written to")
        self._part(name, is_written=True)[...] = value

    def _part(self, name: str, *, is_written: bool) -> np.ndarray[Any, Any]:
        batch, kind = self._batch, KINDS[self._kind]
        model = batch._model
        field = _attributes(kind, model.data_fields).get(name)
        if field is not None:
            rows = batch.bind(field.name)
            if is_written and not rows.flags.writeable:
                raise ValueError(f"{field.name} is computed by each call and cannot be written to")
        else:
            field = _attributes(kind, model.model_fields).get(name)
            if field is None:
                near = nearest(name, self._known())
                raise AttributeError(f"a {self._kind} has no {name!r}{near}")
            rows = self._rows_of_model(field, is_written=is_written)
        begin, end = kind.rows[field.rows](model, self.id)
        # Without a dimension of rows where there is always one, or where an actuator has one.
        has_one = kind.rows[field.rows] is _own or (self._kind == "actuator" and end == begin + 1)
        return rows[:, begin] if has_one and len(field.shape) > 1 else rows[:, begin:end]

    def _rows_of_model(self, field: Field, *, is_written: bool) -> np.ndarray[Any, Any]:
        batch = self._batch
        if is_written or field.name in batch._expanded:
            return batch.expand(field.name)
        if batch._models:
            rows = np.stack([model.values(field.name) for model in batch._models])
            rows.flags.writeable = False
            return rows
        own = batch.expanded(field.name)
        if own is not None:
            return own
        values = batch._model.values(field.name)
        return np.broadcast_to(values, (batch.num_envs, *values.shape))
