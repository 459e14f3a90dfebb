"""Flat HDF5 files of transitions, as D4RL has them, and replay buffers. Needs h5py.

A file has "observations", "actions", "rewards", "terminals" and "timeouts" with a row for each
step, one episode after another, and mostly "next_observations". Trees are groups of arrays.
"""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from parallel_pool.learner.replay.buffer import ReplayBuffer
from parallel_pool.learner.replay.episodes import Episode, add_episodes, episodes_of
from parallel_pool.python.arrays.trees import leaves, map_leaves, take_rows

try:
    import h5py
except ImportError as _error:
    raise ImportError(
        f"parallel_pool.integrations.hdf5_replay needs h5py: pip install h5py ({_error})"
    ) from None

_NAMES = ("observations", "actions", "rewards", "terminals")


def read_hdf5(buffer: ReplayBuffer, path: str | os.PathLike[str]) -> int:
    """Adds the episodes of a file to a buffer, as many side by side as it has envs.

    A file without "next_observations" does not have the last observation of an episode. A step that
    was cut at a time limit is left out then, and a terminal one leads to its own observation, which
    no target of a critic contains.

    Args:
        buffer: of a pool whose observations and actions have the file's shapes.
        path: of the file.

    Returns:
        The number of transitions that were added.

    Raises:
        ValueError: the file lacks an array, or has one of another shape or dtype than the buffer's.
        OSError: it is no HDF5 file.
    """
    with h5py.File(path) as file:
        for name in _NAMES:
            if name not in file:
                raise ValueError(f"{os.fspath(path)} has no {name!r}; it has {', '.join(file)}")
        return add_episodes(buffer, _episodes(file))


def _episodes(file: Any) -> Iterator[Episode]:
    terminals = np.array(file["terminals"], bool).reshape(-1)
    timeouts = np.zeros_like(terminals)
    if "timeouts" in file:
        timeouts = np.array(file["timeouts"], bool).reshape(-1)
    ends = np.flatnonzero(terminals | timeouts) + 1
    ends = ends if len(ends) and ends[-1] == len(terminals) else np.append(ends, len(terminals))
    begin = 0
    for end in ends.tolist():
        rows, last = slice(begin, end), slice(end - 1, end)
        obs, begin = _read(file["observations"], rows), end
        if "next_observations" in file:
            following = _read(file["next_observations"], last)
        elif terminals[end - 1]:
            following = take_rows(obs, slice(-1, None))
        else:
            rows, following = slice(rows.start, end - 1), take_rows(obs, slice(-1, None))
            obs = take_rows(obs, slice(-1))
        if rows.start == rows.stop:
            continue
        truncated = timeouts[rows].copy()
        truncated[-1] |= not terminals[rows.stop - 1]
        yield Episode(
            map_leaves(lambda *parts: np.concatenate(parts), obs, following),
            _read(file["actions"], rows),
            np.array(file["rewards"][rows]).reshape(-1),
            terminals[rows],
            truncated,
        )


def _read(part: Any, rows: slice) -> Any:
    if isinstance(part, h5py.Group):
        return {name: _read(child, rows) for name, child in part.items()}
    return part[rows]


def write_hdf5(buffer: ReplayBuffer, path: str | os.PathLike[str]) -> int:
    """Writes the transitions of a buffer to a file, one episode after another.

    Args:
        buffer: any.
        path: of the file, which must not be there.

    Returns:
        The number of transitions.

    Raises:
        ValueError: the buffer has no transitions.
        FileExistsError: there is such a file.
    """
    if len(buffer) == 0:
        raise ValueError(f"{os.fspath(path)}: the buffer has no transitions")
    count = 0
    with h5py.File(path, "x") as file:
        for obs, action, reward, terminated, truncated in episodes_of(buffer):
            columns = {
                "observations": take_rows(obs, slice(-1)),
                "next_observations": take_rows(obs, slice(1, None)),
                "actions": action,
                "rewards": reward,
                "terminals": terminated,
                "timeouts": truncated,
            }
            count += len(reward)
            for path_of, rows in leaves(columns):
                _append(file, "/".join(path_of), rows, count)
    return count


def _append(file: Any, name: str, rows: Any, count: int) -> None:
    """Adds rows to an array that has `count` of them then."""
    if name not in file:
        shape = (None, *rows.shape[1:])
        file.create_dataset(name, data=rows, maxshape=shape, chunks=True)
        return
    file[name].resize(count, axis=0)
    file[name][count - len(rows) :] = rows
