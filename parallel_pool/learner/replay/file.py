"""The file of ReplayBuffer.save(): a zip archive, stored without compression.

    meta.json    what the buffer is, and its random numbers
    pool         the bytes of pool.save()
    rows         what core/learner/replay_rows.h knows of each row
    obs.npy ...  the columns, shape (lines, rows that were written, ...): NumPy's format

numpy.load() opens it, too. The archive has a checksum of each part.
"""

import io
import json
import os
import pathlib
import zipfile
from typing import Any

import numpy as np

from parallel_pool.learner.replay.samples import ReplaySamples

_FORMAT = 1


def write(buffer: ReplaySamples, path: Any, pool: bytes, more: dict[str, Any]) -> None:
    """Writes the buffer, the bytes of its pool and `more`, which JSON can hold.

    An old file at `path` is replaced when the new one is whole.
    """
    target = pathlib.Path(path)
    part = target.with_name(f"{target.name}.part")
    try:
        with zipfile.ZipFile(part, "w", allowZip64=True) as file:
            write_archive(buffer, file, pool, more)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def write_archive(
    buffer: ReplaySamples, file: zipfile.ZipFile, pool: bytes, more: dict[str, Any]
) -> None:
    """Writes the parts of write()."""
    columns = buffer._columns.arrays
    meta = {
        "format": _FORMAT,
        **_kind(buffer),
        "frames": buffer._frames,
        "columns": {name: [list(a.shape[1:]), a.dtype.str] for name, a in columns.items()},
        "random": buffer._draws.random.bit_generator.state,
        "more": more,
    }
    used = buffer._rows.most_used
    file.writestr("meta.json", json.dumps(meta, allow_nan=False))
    file.writestr("pool", pool)
    file.writestr("rows", buffer._rows.save())
    for name, array in columns.items():
        lines = array.reshape(buffer.lines, buffer._length, *array.shape[1:])
        with file.open(f"{name}.npy", "w", force_zip64=True) as out:
            np.lib.format.write_array(out, np.asarray(lines[:, :used]))


def packed(buffer: ReplaySamples) -> bytes:
    """The rows and the draws, for pickle."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        write_archive(buffer, archive, b"", {})
    return file.getvalue()


def unpack(buffer: ReplaySamples, saved: bytes) -> None:
    """Loads what packed() has given."""
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        read_archive(buffer, archive, buffer._task_id, lambda pool: None)


def read(buffer: ReplaySamples, path: Any, load_pool: Any) -> dict[str, Any]:
    """Loads the buffer; returns `more` of write().

    Args:
        buffer: of the same task, number of envs and capacity.
        path: the file.
        load_pool: of the pool's bytes; may raise ValueError: nothing was changed then.

    Raises:
        ValueError: the file is damaged, or of another buffer; nothing was changed.
    """
    what = f"{buffer._task_id}: {os.fspath(path)}"
    try:
        with zipfile.ZipFile(path) as file:
            damaged = file.testzip()
            if damaged is not None:
                raise ValueError(f"{what} is damaged: its part {damaged!r} has a wrong checksum")
            return read_archive(buffer, file, what, load_pool)
    except (zipfile.BadZipFile, EOFError, KeyError, json.JSONDecodeError) as error:
        raise ValueError(f"{what} is damaged, or no file of ReplayBuffer.save(): {error}") from None


def read_archive(
    buffer: ReplaySamples, file: zipfile.ZipFile, what: str, load_pool: Any
) -> dict[str, Any]:
    """Loads the parts of write_archive(); `what` is the file's name in errors. As read()."""
    meta = json.loads(file.read("meta.json"))
    if meta["format"] != _FORMAT:
        raise ValueError(f"{what} has format {meta['format']}; this version reads {_FORMAT}")
    for name, own in _kind(buffer).items():
        if meta[name] != own:
            raise ValueError(f"{what} is of a buffer with {name}={meta[name]}, not {own}")
    known = buffer._columns.arrays
    for name, (shape, dtype) in meta["columns"].items():
        if name in known and (list(known[name].shape[1:]), known[name].dtype.str) != (shape, dtype):
            raise ValueError(f"{what} has {name} of shape {shape} and dtype {dtype}")
    before = buffer._rows.save()
    if not buffer._rows.load(file.read("rows")):
        raise ValueError(f"{what} is damaged: its part 'rows' is wrong")
    try:
        load_pool(file.read("pool"))
    except ValueError:
        buffer._rows.load(before)
        raise
    for name, (shape, dtype) in meta["columns"].items():
        array = known[name] if name in known else buffer._columns.add(name, tuple(shape), dtype)
        with file.open(f"{name}.npy") as part:
            _read_column(part, array.reshape(buffer.lines, buffer._length, *shape))
    buffer._frames = {name: int(frames) for name, frames in meta["frames"].items()}
    if buffer._frames:
        buffer._set_arrays()
    buffer._draws.random.bit_generator.state = meta["random"]
    more: dict[str, Any] = meta["more"]
    return more


def _read_column(part: Any, lines: Any) -> None:
    """Reads the rows of each line into its place."""
    np.lib.format.read_magic(part)
    (_, used, *_), _, _ = np.lib.format.read_array_header_1_0(part)
    for line in lines:
        rows = memoryview(line[:used]).cast("B") if line[:used].nbytes else b""
        while rows:
            rows = rows[part.readinto(rows) :]


def _kind(buffer: ReplaySamples) -> dict[str, Any]:
    """The properties that two buffers share if one can load the other's rows."""
    return {
        "task": buffer._task_id,
        "lines": buffer.lines,
        "capacity": buffer.capacity,
        "stack_num": buffer._stack_num,
        "hindsight": buffer._hindsight is not None,
        "priorities": buffer._draws.alpha > 0,
    }
