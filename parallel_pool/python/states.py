"""The bytes of save() and load().

magic | length of header | header: JSON with task, options and lengths | states | CRC-32
"""

import hashlib
import json
import struct
import zlib
from typing import Any

from parallel_pool.python.config import task_options
from parallel_pool.python.spec import Spec

_MAGIC = b"parallel_pool state 2\n"
_UINT32 = struct.Struct("<I")


def _options(spec: Spec) -> dict[str, Any]:
    """The options as they are after a round trip through JSON: a pair is a list."""
    config = {option.name: spec.config[option.name] for option in task_options(spec.task)}
    options: dict[str, Any] = json.loads(json.dumps(config, default=_digest))
    return options


def _digest(array: Any) -> str:
    """A short text for an array: its shape and a hash of its numbers."""
    return f"array{array.shape} {hashlib.sha256(array.tobytes()).hexdigest()[:16]}"


def pack(spec: Spec, states: list[bytes]) -> bytes:
    """One bytes object with the states and their task, options and lengths."""
    header = json.dumps(
        {"task": spec.task_id, "options": _options(spec), "lengths": [len(s) for s in states]}
    ).encode()
    body = b"".join([_MAGIC, _UINT32.pack(len(header)), header, *states])
    return body + _UINT32.pack(zlib.crc32(body))


def unpack(spec: Spec, data: bytes, count: int) -> list[bytes]:
    """The states in `data`; ValueError if it is damaged, or not of `count` envs of this spec."""
    what = f"{spec.task_id}: load()"
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"{what} needs the bytes of save(), not {type(data).__name__}")
    data = bytes(data)
    if not data.startswith(_MAGIC):
        raise ValueError(f"{what}: this is no saved state of this version of parallel_pool")
    start = len(_MAGIC) + _UINT32.size
    if len(data) < start + _UINT32.size or _UINT32.pack(zlib.crc32(data[:-4])) != data[-4:]:
        raise ValueError(f"{what}: the saved state is damaged")
    end = start + _UINT32.unpack_from(data, len(_MAGIC))[0]
    header = json.loads(data[start:end])
    if header["task"] != spec.task_id:
        raise ValueError(f"{what}: the state is of {header['task']}")
    for name, value in _options(spec).items():
        if header["options"].get(name) != value:
            saved = header["options"].get(name)
            raise ValueError(f"{what}: the state is of {name}={saved!r}; this pool has {value!r}")
    if len(header["lengths"]) != count:
        raise ValueError(f"{what}: the state is of {len(header['lengths'])} envs, not of {count}")
    states = []
    for length in header["lengths"]:
        states.append(data[end : end + length])
        end += length
    return states
