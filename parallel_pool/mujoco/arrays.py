"""The arrays of a batch: its states, and the fields of mjData and mjModel of all envs."""

import ctypes
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parallel_pool.mujoco import checks
from parallel_pool.mujoco.errors import NUM_WARNINGS
from parallel_pool.mujoco.library import Field, Model, memory, refusal
from parallel_pool.mujoco.models import load_model
from parallel_pool.python.options.option import nearest

# The parts of a state, in its order: the bits of mjtState.
STATE_FIELDS: Mapping[str, int] = {
    name: 1 << bit
    for bit, name in enumerate(
        (
            *("time", "qpos", "qvel", "act", "history", "qacc_warmstart", "ctrl"),
            *("qfrc_applied", "xfrc_applied", "eq_active", "mocap_pos", "mocap_quat"),
            *("userdata", "plugin_state", "plastic"),
        )
    )
}
# Those that a program sets: mjSTATE_USER.
USER_FIELDS = sum(
    STATE_FIELDS[name]
    for name in (
        *("ctrl", "qfrc_applied", "xfrc_applied", "eq_active", "mocap_pos", "mocap_quat"),
        "userdata",
    )
)


class Arrays:
    """Envs of a model, without the calls that change them: Batch derives from it."""

    def __init__(
        self,
        model: Any,
        num_envs: int,
        num_threads: int = 0,
        *,
        mujoco_version: str | None = None,
    ) -> None:
        """Makes `num_envs` simulations in the model's initial state.

        Args:
            model: the path of an XML, URDF or MJB file; XML; a mujoco.MjModel or mujoco.MjSpec.
            num_envs: the number of simulations.
            num_threads: the threads that step them, the caller's included; 0 for one per CPU.
            mujoco_version: "3.17.0", "4.0.1" or "installed", as in make(). None: that of the
                package mujoco for a model of its, else the process's default.

        Raises:
            ValueError: it is no model of MuJoCo, or one of another version.
            FileNotFoundError: there is no such file.
        """
        num_envs = checks.count("num_envs", num_envs, 1)
        num_threads = checks.count("num_threads", num_threads, 0)
        self._model = load_model(model, mujoco_version)
        self._api = self._model.api
        if num_threads == 0:
            num_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
        handle = self._api.make(self._model.handle, num_envs, min(num_threads, num_envs))
        if not handle:
            raise refusal(self._api)
        self._handle = _Handle(self._api, handle)
        self._process = os.getpid()
        self.num_envs = num_envs
        nstate = self._model.state_size(self._components())
        self.state: NDArray[np.float64] = self._memory(
            self._api.state(handle), (num_envs, nstate), np.dtype(np.float64)
        )
        int32 = np.dtype(np.int32)
        warning = (num_envs, NUM_WARNINGS, 2)
        self.warning: np.ndarray[Any, Any] = self._memory(self._api.warning(handle), warning, int32)
        self.status: np.ndarray[Any, Any] = self._memory(
            self._api.status(handle), (num_envs,), int32
        )
        self.status.flags.writeable = False
        self._warned = self.warning[..., 1].copy()
        self._bound: dict[str, np.ndarray[Any, Any]] = {}
        self._expanded: dict[str, np.ndarray[Any, Any]] = {}
        self._models: Sequence[Model] = ()

    def _components(self) -> int:
        return sum(bit for name, bit in STATE_FIELDS.items() if name in self._model.data_fields)

    def _memory(
        self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> np.ndarray[Any, Any]:
        return memory(self._handle, address, shape, dtype)

    @property
    def mujoco_version(self) -> str:
        """The version of MuJoCo that steps the envs."""
        return self._model.version

    @property
    def num_threads(self) -> int:
        """The number of threads that step the envs, the caller's included."""
        return int(self._api.num_threads(self._handle.value))

    @property
    def in_lanes(self) -> bool:
        """Whether steps are made in lanes: several envs at once, and faster than by mj_step."""
        return self._remark()[0]

    @property
    def remark(self) -> str:
        """How steps are made, and why not in lanes if they are not."""
        return self._remark()[1]

    def _remark(self) -> tuple[bool, str]:
        text = ctypes.create_string_buffer(1000)
        is_in_lanes = self._api.remark(self._handle.value, text, len(text))
        return bool(is_in_lanes), text.value.decode()

    # The fields of mjData and mjModel.

    def bind(self, name: str) -> np.ndarray[Any, Any]:
        """The live array of a field of mjData.

        Args:
            name: the field. A field of the state is a view of `state`, with float64 numbers; any
                other one is read-only, has the type of mjData's, and is 0 until the next call.

        Returns:
            (num_envs, ...), the same array for each call.

        Raises:
            ValueError: there is no such field, or it has no constant size (contacts, efc_*).
        """
        if isinstance(name, str) and name in self._bound:
            return self._bound[name]
        field = self._field(name, "mjData", self._model.data_fields)
        if name in STATE_FIELDS:
            first = self._model.state_size(STATE_FIELDS[name] - 1 & self._components())
            size = self._model.state_size(STATE_FIELDS[name])
            array = self.state[:, first : first + size].reshape(self.num_envs, *field.shape)
        else:
            address = self._api.bind(self._handle.value, name.encode())
            if not address:
                raise refusal(self._api)
            array = self._memory(address, (self.num_envs, *field.shape), field.dtype)
            array.flags.writeable = False
        self._bound[name] = array
        return array

    def expand(self, name: str) -> np.ndarray[Any, Any]:
        """Gives a field of mjModel other values in each env.

        After a change of what mj_setConst reads, such as body_mass, call set_const(). Envs with
        fields of their own are stepped by mj_step.

        Args:
            name: the field, or "opt." and a field of mjOption.

        Returns:
            (num_envs, ...), the live array, which may be written to.

        Raises:
            ValueError: there is no such field, or it cannot differ between envs.
        """
        if not isinstance(name, str) or name not in self._expanded:
            field = self._field(name, "mjModel", self._model.model_fields)
            address = self._api.expand(self._handle.value, name.encode())
            if not address:
                raise refusal(self._api)
            self._expanded[name] = self._memory(
                address, (self.num_envs, *self._rows_of(field)), field.dtype
            )
        return self._expanded[name]

    def expanded(self, name: str) -> np.ndarray[Any, Any] | None:
        """The read-only values (num_envs, ...) of a field of mjModel; None if all envs share it.

        They are those of expand(), or those that set_const() has computed.
        """
        field = self._field(name, "mjModel", self._model.model_fields)
        size = ctypes.c_int()
        address = self._api.expanded(self._handle.value, name.encode(), size)
        if not address:
            return None
        array = self._memory(address, (self.num_envs, *self._rows_of(field)), field.dtype)
        array.flags.writeable = False
        return array

    def _field(self, name: str, of: str, fields: Mapping[str, Field]) -> Field:
        if not isinstance(name, str):
            raise TypeError(f"the name of a field must be a str, not {name!r}")
        if name not in fields:
            raise ValueError(f"there is no field {name!r} of {of}{self._hint(name)}")
        return fields[name]

    def _rows_of(self, field: Field) -> tuple[int, ...]:
        """The shape of a field in one env: of bvh_aabb the bodies' rows only."""
        if field.name != "bvh_aabb":
            return field.shape
        size = ctypes.c_int()
        self._api.expanded(self._handle.value, field.name.encode(), size)
        return (size.value // field.shape[-1], field.shape[-1])

    def _hint(self, name: str) -> str:
        if name in self._model.model_fields:
            return f": it is one of mjModel, expand({name!r})"
        if name in self._model.data_fields:
            return f": it is one of mjData, bind({name!r})"
        if f"opt.{name}" in self._model.model_fields:
            return f": it is one of mjOption, expand('opt.{name}')"
        return nearest(name, [*self._model.data_fields, *self._model.model_fields])

    def __setattr__(self, name: str, value: Any) -> None:
        if name in STATE_FIELDS:
            self.bind(name)[...] = value
        elif not name.startswith("_") and name in self._model.data_fields:
            raise ValueError(f"{name} is computed by each call and cannot be written to")
        else:
            object.__setattr__(self, name, value)


class _Handle:
    """Owns a batch of the plugin; arrays over its memory keep it."""

    def __init__(self, api: Any, value: int) -> None:
        self._free = api.free
        self.value = value

    def __del__(self) -> None:
        self._free(self.value)
