"""The bytes of Rollout.save(), Trajectories.save() and Pipeline.save().

magic | CRC-32 | an npz file: "pool", the bytes of pool.save(), "tree", JSON, and its arrays

The tree is what a learner adds to its pool: nested dicts and lists of arrays, tensors and numbers.
"""

import io
import json
import struct
import sys
import zlib
from typing import Any

import numpy as np

from parallel_pool.learner.tensors import is_tensor, to_numpy
from parallel_pool.python.errors import EnvError

_MAGIC = b"parallel_pool learner 1\n"
_UINT32 = struct.Struct("<I")


def pack(learner: Any, **tree: Any) -> bytes:
    """The learner's pool, whose envs are idle, and `tree`.

    Infos that are objects of Python are left out.
    """
    arrays: list[Any] = []
    plain = {"kind": type(learner).__name__, "tree": _plain(tree, arrays)}
    of_pool = np.frombuffer(learner.pool.save(), np.uint8)
    file = io.BytesIO()
    text = json.dumps(plain, allow_nan=False)
    named = {str(i): array for i, array in enumerate(arrays)}
    np.savez(file, pool=of_pool, tree=np.array(text), **named)
    body = file.getvalue()
    return _MAGIC + _UINT32.pack(zlib.crc32(body)) + body


def unpack(learner: Any, data: bytes) -> dict[str, Any]:
    """Loads the pool of the learner; returns the tree.

    Raises:
        TypeError: `data` is not of bytes.
        ValueError: it is damaged, of another kind of learner, or its pool is of another task,
            options or number of envs. Nothing was changed.
    """
    kind = type(learner).__name__
    what = f"{learner.pool._pool_spec.task_id}: {kind}.load()"
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"{what} needs the bytes of {kind}.save(), not {type(data).__name__}")
    data = bytes(data)
    start = len(_MAGIC) + _UINT32.size
    if not data.startswith(_MAGIC):
        raise ValueError(
            f"{what}: these are no bytes of {kind}.save() of this version; pool.load() takes those "
            "of pool.save()"
        )
    if len(data) < start or zlib.crc32(data[start:]) != _UINT32.unpack_from(data, len(_MAGIC))[0]:
        raise ValueError(f"{what}: the saved state is damaged")
    with np.load(io.BytesIO(data[start:])) as file:
        plain = json.loads(str(file["tree"]))
        if plain["kind"] != kind:
            raise ValueError(f"{what}: the state is of a {plain['kind']}")
        learner.pool.load(file["pool"].tobytes())
        tree: dict[str, Any] = _whole(plain["tree"], file)
    return tree


def _plain(value: Any, arrays: list[Any]) -> Any:
    """The value as JSON can hold it, with arrays by their number."""
    if isinstance(value, dict):
        parts = {key: part for key, part in value.items() if not _is_object(part)}
        return {"dict": [[key, _plain(part, arrays)] for key, part in parts.items()]}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_plain(part, arrays) for part in value]}
    if value is None or isinstance(value, bool | int | str):
        return {"value": value}
    if isinstance(value, EnvError):
        return {"error": _plain([str(value), value.env_ids, value.result], arrays)}
    arrays.append(to_numpy(value))
    return {"tensor" if is_tensor(value) else "array": len(arrays) - 1}


def _is_object(value: Any) -> bool:
    plain = isinstance(value, dict | list | tuple | bool | int | str | EnvError | None)
    return not plain and to_numpy(value).dtype == object


def _whole(plain: Any, arrays: Any) -> Any:
    ((kind, value),) = plain.items()
    if kind == "value":
        return value
    if kind == "dict":
        return {key: _whole(part, arrays) for key, part in value}
    if kind in ("list", "tuple"):
        parts = [_whole(part, arrays) for part in value]
        return tuple(parts) if kind == "tuple" else parts
    if kind == "error":
        return EnvError(*_whole(value, arrays))
    array = arrays[str(value)]
    # Its torch is there: without it the learner could not have been made.
    return sys.modules["torch"].from_numpy(array) if kind == "tensor" else array


class Received:
    """The batches of a pool in the order of their turn; save() receives them before it."""

    def __init__(self, pool: Any) -> None:
        """Nothing was received yet."""
        self._pool = pool
        self._waiting: list[Any] = []  # batches, or the EnvErrors of those with a failure

    def next(self) -> Any:
        """The next batch; an EnvError if an env of it threw."""
        if not self._waiting:
            return self._pool.recv()
        batch = self._waiting.pop(0)
        if isinstance(batch, EnvError):
            raise batch
        return batch

    def all(self) -> list[Any]:
        """All batches that wait for their turn, after those in flight: the envs are idle now."""
        while self._pool.in_flight:
            try:
                self._waiting.append(self._pool.recv(partial=True))
            except EnvError as error:
                self._waiting.append(error)
        return self._waiting

    def put(self, waiting: list[Any]) -> None:
        """Batches of all(), in place of those that wait."""
        self._waiting = waiting


class Moves:
    """Whether others have moved the envs of a pool between two calls of a learner."""

    def __init__(self, pool: Any) -> None:
        """`pool` may have been moved before."""
        self._native = pool._native
        self._seen = 0

    def any(self) -> bool:
        """Whether an env was stepped, reset or loaded since own()."""
        return bool(self._native.moves != self._seen)

    def own(self) -> None:
        """The moves so far were the learner's."""
        self._seen = self._native.moves

    def check(self, what: str) -> None:
        """RuntimeError, which says `what` to do, if others have moved the envs."""
        if self.any():
            raise RuntimeError(
                "the pool was stepped, reset or loaded by others since its last row was received: "
                f"{what}"
            )


def shown_now(pool: Any) -> tuple[Any, ...]:
    """The batch of all envs as they are now: nothing is stepped. New envs are reset.

    Raises:
        ValueError: an env is in flight.
    """
    batch: tuple[Any, ...] = pool._native.reset(None, None, [False] * len(pool), [], [])
    return batch
