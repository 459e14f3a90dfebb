"""The first result in which two recorded runs part."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from parallel_pool.python.arrays.trees import leaves
from parallel_pool.python.errors import EnvError
from parallel_pool.replays.replay import Replay, replay
from parallel_pool.replays.run import FREE


@dataclass(frozen=True)
class Parting:
    """Where two runs part.

    Attributes:
        step: the number of the result; -1: they were made of different things.
        env_id: the env; -1: no env alone.
        array: what differs: "action", "obs", "reward", "info.lives", an option of make(), or
            "results", where one run ends before the other.
        index: the element of the env's row.
        values: the two values.
    """

    step: int
    env_id: int
    array: str
    index: tuple[int, ...]
    values: tuple[Any, Any]

    def __str__(self) -> str:
        """One sentence."""
        where = self.array + (f"[{', '.join(map(str, self.index))}]" if self.index else "")
        mine, other = self.values
        if self.array == "results":
            return f"the runs are equal, but one has {mine} results and the other {other}"
        if self.step < 0:
            return f"the runs differ from the start: {where} is {mine!r} and {other!r}"
        return (
            f"the runs part at result {self.step}, env {self.env_id}: {where} is {mine} and {other}"
        )


def difference(
    path: str | os.PathLike[str], other: str | os.PathLike[str], *, env: Any = None
) -> Parting | None:
    """The first result in which two runs of pool.record() part; None if all are equal.

    Both runs are played up to there, or to their ends.

    Args:
        path: the file of a run.
        other: that of another run.
        env: as of replay().

    Raises:
        OSError, ValueError, RuntimeError: those of replay().
    """
    with replay(path, env=env) as a, replay(other, env=env) as b:
        of_options = _options(a.header, b.header)
        if of_options is not None:
            return of_options
        for mine, theirs in zip(_played(a), _played(b), strict=False):
            found = _parting(a, mine, theirs, a.env_id, b.env_id)
            if found is not None:
                return found
        if a.results != b.results:
            return Parting(min(a.results, b.results), -1, "results", (), (a.results, b.results))
        return None


def _options(mine: dict[str, Any], other: dict[str, Any]) -> Parting | None:
    """The first thing in which two runs differ from the start, but those that change no result."""
    for name in ("task", "env_type"):
        if mine[name] != other[name]:
            return Parting(-1, -1, name, (), (mine[name], other[name]))
    a, b = mine["config"], other["config"]
    for name in sorted({*a, *b} - {*FREE, "render_mode"}):
        values = a.get(name), b.get(name)
        if not _equal(*values):
            return Parting(-1, -1, name, (), values)
    return None


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[name], b[name]) for name in a)
    return bool(np.array_equal(a, b))


def _played(played: Replay) -> Iterator[dict[str, Any]]:
    """Each result by array, with the actions that led to it."""
    while True:
        try:
            result = next(played)
        except StopIteration:
            return
        except EnvError as error:
            result = error.result
        yield {"action": played.action, **_named(result)}


def _named(result: Any) -> dict[str, Any]:
    if hasattr(result, "_asdict"):
        return dict(result._asdict())
    names = ("obs", "reward", "terminated", "truncated", "info")
    return dict(zip(names, result, strict=True))


def _arrays(result: dict[str, Any]) -> dict[str, Any]:
    """All arrays of a result, by names with dots."""
    return {".".join(map(str, path)): np.asarray(leaf) for path, leaf in leaves(result)}


def _parting(
    a: Replay, mine: dict[str, Any], other: dict[str, Any], envs: Any, other_envs: Any
) -> Parting | None:
    if list(envs) != list(other_envs):
        return Parting(a.step, -1, "env_id", (), (envs.tolist(), other_envs.tolist()))
    theirs = _arrays(other)
    for name, array in _arrays(mine).items():
        if name not in theirs:
            return Parting(a.step, -1, name, (), (array, "missing"))
        there = theirs[name]
        if array.shape != there.shape:
            return Parting(a.step, -1, name, (), (array.shape, there.shape))
        differs = np.atleast_1d(array != there)
        if array.dtype.kind == "f":
            differs &= ~np.atleast_1d(np.isnan(array) & np.isnan(there))
        if differs.any():
            index = tuple(int(i) for i in np.argwhere(differs)[0])
            env = int(envs[index[0]]) if len(array) == len(envs) else -1
            values = np.atleast_1d(array)[index].item(), np.atleast_1d(there)[index].item()
            return Parting(a.step, env, name, index[1:] if env >= 0 else index, values)
    return None
