"""The bytes of save() and load().

magic | length of header | header | states | CRC-32

The header is JSON: the tasks with their options, the task of each env, the lengths of the states,
and what else was saved (More). The options of `per_env` have a value for each env of the task.
"""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parallel_pool.python import strict_json
from parallel_pool.python.options.env_options import OptionsOfEnvs, OptionsOfTask
from parallel_pool.python.options.per_env_rows import TIME_LIMIT

_MAGIC = b"parallel_pool state 6\n"
_UINT32 = struct.Struct("<I")


@dataclass
class More:
    """All that is saved next to the states of envs.

    Attributes:
        statistics: of a pool whose envs are all saved: (name, mean, var, count) of each array.
        random_actions: of such a pool, the random numbers of sample_actions(), or b"".
        queued: what queue() has set for each env; b"": nothing.
        queued_envs: the options of each env of the pool from its next reset on.
        per_env: of loaded states, the same options, as the header has them.
    """

    statistics: list[Any]
    random_actions: bytes
    queued: list[bytes]
    queued_envs: OptionsOfEnvs | None = None
    per_env: list[dict[str, list[Any]]] | None = None

    def queued_options(self, envs: OptionsOfEnvs, ids: Sequence[int]) -> OptionsOfEnvs:
        """The options of a pool's envs from their next reset on, after load() of the envs `ids`."""
        parts = list(envs.parts)
        groups = envs.groups(ids).items()
        for (number, (_, own)), columns in zip(groups, self.per_env or [], strict=False):
            part = parts[number]
            rows = {n: [part.from_json(n, v) for v in column] for n, column in columns.items()}
            if rows:
                parts[number] = part.with_rows(own, rows)
        return replace(envs, parts=parts)


def _common(part: OptionsOfTask) -> dict[str, Any]:
    """The options that all envs of a task have, after a round trip through JSON."""
    options = {n: v for n, v in part.values(0).items() if n not in part.rows}
    plain: dict[str, Any] = strict_json.loads(strict_json.dumps(options))
    return plain


def pack(envs: OptionsOfEnvs, env_id: Any, states: list[bytes], more: More) -> bytes:
    """One bytes object with the states of envs, their options and `more`."""
    ids = range(len(states)) if env_id is None else np.atleast_1d(env_id).tolist()
    groups = envs.groups(ids)
    tasks = [
        {
            "task": envs.parts[number].task.id,
            "options": _common(envs.parts[number]),
            "per_env": {n: [c[i] for i in own] for n, c in envs.parts[number].rows.items()},
        }
        for number, (_, own) in groups.items()
    ]
    queued = (more.queued_envs or envs).parts if any(more.queued) else []
    queued_per_env = [
        {n: [c[i] for i in own] for n, c in queued[number].rows.items()}
        for number, (_, own) in groups.items()
        if queued
    ]
    task_of = [0] * len(states)
    for k, (places, _) in enumerate(groups.values()):
        for place in places:
            task_of[place] = k
    header = strict_json.dumps(
        {
            "tasks": tasks,
            "task_of": task_of,
            "lengths": [len(s) for s in states],
            "statistics": more.statistics,
            "random_actions": more.random_actions.hex(),
            "queued": [bytes.hex(part) for part in more.queued] if queued else [],
            "queued_per_env": queued_per_env,
        }
    ).encode()
    body = b"".join([_MAGIC, _UINT32.pack(len(header)), header, *states])
    return body + _UINT32.pack(zlib.crc32(body))


def unpack(
    envs: OptionsOfEnvs, data: bytes, ids: Sequence[int]
) -> tuple[list[bytes], OptionsOfEnvs, More]:
    """The states in `data`, the options of the pool after load(), and what else was saved.

    Args:
        envs: the options of the pool.
        data: the result of pack().
        ids: the envs that shall have the states.

    Raises:
        TypeError: `data` is not of bytes.
        ValueError: it is damaged, or not of as many envs of these tasks and options.
    """
    first = envs.parts[envs.place(ids[0])[0]] if ids else envs.parts[0]
    what = f"{first.task.id}: load()"
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"{what} needs the bytes of save(), not {type(data).__name__}")
    data = bytes(data)
    if not data.startswith(_MAGIC):
        raise ValueError(f"{what}: this is no saved state of this version of parallel_pool")
    start = len(_MAGIC) + _UINT32.size
    if len(data) < start + _UINT32.size or _UINT32.pack(zlib.crc32(data[:-4])) != data[-4:]:
        raise ValueError(f"{what}: the saved state is damaged")
    end = start + _UINT32.unpack_from(data, len(_MAGIC))[0]
    header = strict_json.loads(data[start:end])
    parts = list(envs.parts)
    groups = envs.groups(ids) if len(header["lengths"]) == len(ids) else {}
    for number, (places, own) in groups.items():
        part = parts[number]
        rows = _rows(f"{part.task.id}: load()", part, header, places)
        if rows:
            parts[number] = part.with_rows(own, rows)
    if len(header["lengths"]) != len(ids):
        _check_options(what, first, header["tasks"][0])
        raise ValueError(
            f"{what}: the state is of {len(header['lengths'])} envs, not of {len(ids)}"
        )
    states = []
    for length in header["lengths"]:
        states.append(data[end : end + length])
        end += length
    more = More(
        statistics=header["statistics"],
        random_actions=bytes.fromhex(header["random_actions"]),
        queued=[bytes.fromhex(part) for part in header["queued"]],
        per_env=header["queued_per_env"],
    )
    return states, replace(envs, parts=parts), more


def _check_options(what: str, part: OptionsOfTask, saved: dict[str, Any]) -> None:
    """ValueError unless a saved env may be loaded into the envs of `part`."""
    if saved["task"] != part.task.id:
        raise ValueError(f"{what}: the state is of {saved['task']}")
    for name in saved["per_env"]:
        if name not in part.rows:
            raise ValueError(f"{what}: the state has per_env={{{name!r}: ...}}; this pool has not")
    defaults = {option.name: option.default for option in part.options}
    for name, value in _common(part).items():
        if name == TIME_LIMIT:  # the pool has its own
            continue
        # An option that is newer than the state had its default then.
        theirs = saved["options"].get(name, defaults.get(name))
        if theirs != value:
            raise ValueError(
                f"{what}: the state is of {name}={theirs!r}; this pool has {value!r}. "
                f"A pool with {name}={theirs!r} can load it"
            )


def _rows(
    what: str, part: OptionsOfTask, header: dict[str, Any], places: list[int]
) -> dict[str, list[Any]]:
    """The options of the saved envs at `places` that differ from env to env in `part`."""
    rows: dict[str, list[Any]] = {name: [] for name in part.rows}
    counts = [0] * len(header["tasks"])  # envs of each saved task before the next one
    for i, number in enumerate(header["task_of"]):
        saved, own = header["tasks"][number], counts[number]
        counts[number] += 1
        if i not in places:
            continue
        _check_options(what, part, saved)
        for name in list(rows):
            if name in saved["per_env"]:
                rows[name].append(part.from_json(name, saved["per_env"][name][own]))
            elif name in saved["options"]:
                rows[name].append(part.from_json(name, saved["options"][name]))
            else:
                del rows[name]  # the time limit, which is no option of the task
    return rows
