"""MuJoCo's batch in this family's plugins, by ctypes: the functions, fields and memory of it."""

import ctypes
import functools
import math
import pathlib
import types
from collections.abc import Iterator, Mapping
from ctypes import POINTER, c_bool, c_char, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from parallel_pool.python.specs.versions import Versions, versions_of

_FAMILY = pathlib.Path(__file__).parents[1] / "envs" / "mujoco"


class Record(ctypes.Structure):
    """An item that a rollout records: mjBatchRecord."""

    _fields_ = (("field", c_char_p), ("spec", c_int), ("buf", c_void_p))


class _Field(ctypes.Structure):
    _fields_ = (
        ("name", c_char_p),
        ("rows_name", c_char_p),
        ("rows", c_int64),
        ("columns", c_int64),
        ("address", c_void_p),
        ("type", c_char),
    )


_CALL = (c_void_p, c_void_p, c_int)  # the batch, ids and their number

# The table of envs/mujoco/batch/capi.h: result and arguments of each function.
_FUNCTIONS: Mapping[str, tuple[Any, ...]] = {
    "failure": (c_char_p,),
    "load_model": (c_void_p, c_char, c_char_p, c_int64),
    "free_model": (None, c_void_p),
    "save_model": (c_int64, c_void_p, c_void_p, c_int64),
    "name_to_id": (c_int, c_void_p, c_char_p, c_char_p),
    "id_to_name": (c_char_p, c_void_p, c_char_p, c_int),
    "state_size": (c_int, c_void_p, c_int),
    "field": (c_bool, c_void_p, c_char, c_int, POINTER(_Field)),
    "make": (c_void_p, c_void_p, c_int, c_int),
    "free": (None, c_void_p),
    "num_threads": (c_int, c_void_p),
    "state": (c_void_p, c_void_p),
    "warning": (c_void_p, c_void_p),
    "status": (c_void_p, c_void_p),
    "error": (c_char_p, c_void_p, c_int),
    "take_warnings": (c_bool, c_void_p),
    "remark": (c_bool, c_void_p, c_char_p, c_int),
    "bind": (c_void_p, c_void_p, c_char_p),
    "expand": (c_void_p, c_void_p, c_char_p),
    "expanded": (c_void_p, c_void_p, c_char_p, POINTER(c_int)),
    "set_models": (c_int, c_void_p, POINTER(c_void_p), c_int),
    "get_model": (c_bool, c_void_p, c_int, c_void_p, c_int64),
    "step": (c_int, *_CALL, c_int, c_int),
    "forward": (c_int, *_CALL, c_int),
    "reset": (c_int, *_CALL, c_void_p, c_int),
    "set_const": (c_int, *_CALL),
    "rollout": (c_int, *_CALL, c_int, c_void_p, c_int, POINTER(Record), c_int),
}


class _Api(ctypes.Structure):
    _fields_ = [(name, ctypes.CFUNCTYPE(*kinds)) for name, kinds in _FUNCTIONS.items()]


def versions() -> Versions:
    """The versions of MuJoCo that there are."""
    return cast(Versions, versions_of("mujoco"))


@functools.cache
def load(version: str) -> Any:
    """The functions of the plugin with this version of MuJoCo, as attributes."""
    library = ctypes.CDLL(str(_FAMILY / versions().libraries[version]))
    library.parallel_pool_mujoco_batch.restype = POINTER(_Api)
    table = library.parallel_pool_mujoco_batch().contents
    return types.SimpleNamespace(**{name: getattr(table, name) for name in _FUNCTIONS})


@dataclass(frozen=True)
class Field:
    """A field of mjData or mjModel.

    Attributes:
        name: its name, as in MuJoCo's own bindings; options of a model begin with "opt.".
        rows: the member of mjModel that counts its rows, such as "nbody"; "" for none.
        shape: its shape in one simulation.
        dtype: the type of its numbers.
        address: its numbers in a model; 0 for a field of mjData.
    """

    name: str
    rows: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    address: int


class Model:
    """A model that the plugin has loaded.

    Attributes:
        version: the version of MuJoCo.
        api: the functions of the plugin.
        handle: the model, for them.
    """

    def __init__(self, version: str, kind: str, source: bytes) -> None:
        self.version = version
        self.api: Any = load(version)
        handle = self.api.load_model(kind.encode(), source, len(source))
        if not handle:
            raise refusal(self.api)
        self.handle: c_void_p = c_void_p(handle)

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.api.free_model(self.handle)

    @functools.cached_property
    def data_fields(self) -> dict[str, Field]:
        """The fields of mjData, by name."""
        return {field.name: field for field in self._fields("d")}

    @functools.cached_property
    def model_fields(self) -> dict[str, Field]:
        """The fields of mjModel, by name."""
        return {field.name: field for field in self._fields("m")}

    def _fields(self, of: str) -> Iterator[Field]:
        found, index = _Field(), 0
        while self.api.field(self.handle, of.encode(), index, found):
            index += 1
            columns = () if found.columns == 1 else (found.columns,)
            yield Field(
                found.name.decode(),
                found.rows_name.decode(),
                columns if found.rows < 0 else (found.rows, *columns),
                np.dtype(found.type.decode()),
                found.address or 0,
            )

    def values(self, name: str) -> np.ndarray[Any, Any]:
        """The read-only numbers of a field of the model."""
        field = self.model_fields[name]
        values = memory(self, field.address, field.shape, field.dtype)
        values.flags.writeable = False
        return values

    def state_size(self, components: int) -> int:
        """The number of numbers of components of a state, which are bits of mjtState."""
        return int(self.api.state_size(self.handle, components))

    def name_of(self, kind: str, index: int) -> str:
        """The name of an element of the model, such as a "body"; "" if it has none."""
        return (self.api.id_to_name(self.handle, kind.encode(), index) or b"").decode()

    def id_of(self, kind: str, name: str) -> int:
        """The number of the element with this name; -1 if there is none."""
        return int(self.api.name_to_id(self.handle, kind.encode(), name.encode()))

    def to_bytes(self) -> bytes:
        """The model as an MJB file."""
        size = self.api.save_model(self.handle, None, 0)
        buffer = ctypes.create_string_buffer(size)
        self.api.save_model(self.handle, buffer, size)
        return buffer.raw


def failure(api: Any) -> str:
    """The reason for which the last function of this thread has failed."""
    return str(api.failure().decode())


def refusal(api: Any) -> ValueError | MemoryError:
    """The error for a call that the last function of this thread has refused."""
    text = failure(api)
    return (
        MemoryError("there is not enough memory") if text == "out of memory" else ValueError(text)
    )


def memory(
    owner: object, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> np.ndarray[Any, Any]:
    """An array over memory that lives as long as `owner`, which the array keeps alive."""
    size = math.prod(shape) * dtype.itemsize
    if size == 0:
        return np.zeros(shape, dtype)
    kind: Any = type("Block", (c_char * size,), {})
    block = kind.from_address(address)
    block.owner = owner
    return np.frombuffer(block, dtype).reshape(shape)


def pointer(array: np.ndarray[Any, Any] | None) -> int | None:
    """The address of an array's numbers, for a function; None for None."""
    return None if array is None else array.ctypes.data
