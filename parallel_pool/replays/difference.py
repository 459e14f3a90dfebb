"""The first result in which two recorded runs part."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from parallel_pool.python.arrays.trees import flatten
from parallel_pool.python.check.difference import Difference, first_difference
from parallel_pool.python.errors import EnvError
from parallel_pool.replays.replay import Replay, replay
from parallel_pool.replays.run import FREE


@dataclass(frozen=True, kw_only=True)
class RunDifference(Difference):
    """Where two runs part: at a Difference of this result.

    Its name is that of an array ("action", "obs", "reward", "info.lives"), of an option of make(),
    or "results", where one run ends before the other. Its index is one of the env's row.

    Attributes:
        step: the number of the result; -1: they were made of different things.
        env_id: the env; -1: no env alone.
    """

    step: int = -1
    env_id: int = -1

    @property
    def array(self) -> str:
        """The name."""
        return self.name

    @property
    def values(self) -> tuple[Any, Any]:
        """The two values."""
        return self.mine, self.reference

    def __str__(self) -> str:
        """One sentence."""
        where = self.name + (f"[{', '.join(map(str, self.index))}]" if self.index else "")
        mine, other = self.values
        if self.name == "results":
            return f"the runs are equal, but one has {mine} results and the other {other}"
        if self.step < 0:
            return f"the runs differ from the start: {where} is {mine!r} and {other!r}"
        return (
            f"the runs part at result {self.step}, env {self.env_id}: {where} is {mine} and {other}"
        )


def difference(
    path: str | os.PathLike[str], other: str | os.PathLike[str], *, env: Any = None
) -> RunDifference | None:
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
            found = _parting(a.step, mine, theirs, a.env_id, b.env_id)
            if found is not None:
                return found
        if a.results != b.results:
            step = min(a.results, b.results)
            return RunDifference(name="results", step=step, mine=a.results, reference=b.results)
        return None


def _options(mine: dict[str, Any], other: dict[str, Any]) -> RunDifference | None:
    """The first thing in which two runs differ from the start, but those that change no result."""
    for name in ("task", "env_type"):
        if mine[name] != other[name]:
            return RunDifference(name=name, mine=mine[name], reference=other[name])
    a, b = mine["config"], other["config"]
    for name in sorted({*a, *b} - {*FREE, "render_mode"}):
        if first_difference(a.get(name), b.get(name)) is not None:
            return RunDifference(name=name, mine=a.get(name), reference=b.get(name))
    return None


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
    return {name: np.asarray(leaf) for name, leaf in flatten(result).items()}


def _parting(
    step: int, mine: dict[str, Any], other: dict[str, Any], envs: Any, other_envs: Any
) -> RunDifference | None:
    if list(envs) != list(other_envs):
        both = {"mine": envs.tolist(), "reference": other_envs.tolist()}
        return RunDifference(name="env_id", step=step, **both)
    arrays = _arrays(mine)
    found = first_difference(arrays, _arrays(other))
    if found is None:
        return None
    place = dict(vars(found))
    if found.index and len(arrays[found.name]) == len(envs):
        row, *element = found.index
        place |= {"env_id": int(envs[row]), "index": tuple(element)}
    return RunDifference(step=step, **place)
