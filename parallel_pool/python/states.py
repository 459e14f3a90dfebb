"""The bytes of save() and load().

magic | length of header | header: JSON with task, options and lengths | states | CRC-32
"""

import json
import struct
import zlib
from typing import Any

import numpy as np

from parallel_pool.python.config import task_options
from parallel_pool.python.env_options import EnvOptions, to_json
from parallel_pool.python.spec import Spec

_MAGIC = b"parallel_pool state 3\n"
_UINT32 = struct.Struct("<I")


def _options(spec: Spec, envs: EnvOptions) -> dict[str, Any]:
    """The options that all envs have, after a round trip through JSON: a pair is a list."""
    names = [option.name for option in task_options(spec.task) if option.name not in envs.rows]
    config = {name: spec.config[name] for name in names}
    options: dict[str, Any] = json.loads(json.dumps(config, default=to_json))
    return options


def pack(spec: Spec, envs: EnvOptions, env_id: Any, states: list[bytes]) -> bytes:
    """One bytes object with the states and their task, options and lengths."""
    ids = range(len(states)) if env_id is None else np.atleast_1d(env_id).tolist()
    header = json.dumps(
        {
            "task": spec.task_id,
            "options": _options(spec, envs),
            "per_env": {name: [column[i] for i in ids] for name, column in envs.rows.items()},
            "lengths": [len(s) for s in states],
        },
        default=to_json,
    ).encode()
    body = b"".join([_MAGIC, _UINT32.pack(len(header)), header, *states])
    return body + _UINT32.pack(zlib.crc32(body))


def unpack(
    spec: Spec, envs: EnvOptions, data: bytes, count: int
) -> tuple[list[bytes], dict[str, list[Any]]]:
    """The states in `data`, and for each option of `envs` their values.

    Raises:
        TypeError: `data` is not of bytes.
        ValueError: it is damaged, or not of `count` envs of this spec.
    """
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
    for name in header["per_env"]:
        if name not in envs.rows:
            raise ValueError(f"{what}: the state has per_env={{{name!r}: ...}}; this pool has not")
    for name, value in _options(spec, envs).items():
        if header["options"].get(name) != value:
            saved = header["options"].get(name)
            raise ValueError(f"{what}: the state is of {name}={saved!r}; this pool has {value!r}")
    if len(header["lengths"]) != count:
        raise ValueError(f"{what}: the state is of {len(header['lengths'])} envs, not of {count}")
    rows = {}
    for name in envs.rows:
        if name in header["per_env"]:
            rows[name] = [envs.from_json(name, value) for value in header["per_env"][name]]
        elif name in header["options"]:
            rows[name] = [envs.from_json(name, header["options"][name])] * count
    states = []
    for length in header["lengths"]:
        states.append(data[end : end + length])
        end += length
    return states, rows
