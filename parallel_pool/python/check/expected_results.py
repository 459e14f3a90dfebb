"""Short runs of tasks in a file, with which other systems compare their own.

Digests do not suffice: the functions of libm and NumPy round the last bit differently on other
systems and processors, so numbers are kept in full. Everything else must be equal. Large arrays of
it are kept as a CRC-32 of each row.
"""

import dataclasses
import operator
import pathlib
import zlib
from typing import Any

import numpy as np

from parallel_pool.python import strict_json
from parallel_pool.python.apis.make import make_gymnasium
from parallel_pool.python.check.difference import first_index
from parallel_pool.python.check.random_player import NUM_ENVS, RandomPlayer

# One record for each env and step, shape (NUM_ENVS, 1 + _STEPS); the reset is step 0. A field of a
# record is an array of the env.
Run = np.ndarray[Any, np.dtype[np.void]]

_STEPS = 16
_SEED = 7
_MOST_NUMBERS = 16  # that an array of integers may have to be kept in full
_CRC, _PICTURE = "CRC-32", "picture"
_INDEX = "groups"  # the name of Group's dicts in the file
# The largest difference of two floats that count as equal, by the size of their type in bytes. Its
# unit is the last place (ulp) of the largest number of their array in the run, or of 1.0 if that is
# larger. A bit that is rounded otherwise grows in the steps that follow: _STEPS steps with actions
# whose last bit differs make 602 ulps of it in BipedalWalkerHardcore-v3 (float32), and 3,800 in
# HalfCheetah-v5 (float64), the most of 30 tasks but DogRun-v1. So 3 digits of float32 and 9 of
# float64 have to be equal.
_MOST_ULPS = {4: 2.0**12, 8: 2.0**22}


@dataclasses.dataclass(frozen=True)
class Group:
    """Tasks that one line of the report is about.

    Attributes:
        family: the family that they belong to.
        tasks: the options of each task, by its id. With a render_mode, the run has pictures, too.
        package: a package that they need in addition to the wheel; empty: none.
        install: how to install the package.
    """

    family: str
    tasks: dict[str, dict[str, Any]]
    package: str = ""
    install: str = ""


def play(task_id: str, options: dict[str, Any]) -> Run:
    """The reset and _STEPS steps of NUM_ENVS envs, with random actions."""
    with make_gymnasium(task_id, num_envs=NUM_ENVS, seed=_SEED, **options) as pool:
        player = RandomPlayer(pool)
        pool.async_reset()
        for _ in range(1 + _STEPS):
            rows = player.play(1)
            if options.get("render_mode") == "rgb_array":
                for env, picture in enumerate(pool.render()):
                    rows[env][-1][_PICTURE] = picture
        most_players = max(1, pool.spec.setup.most_players)
        per_player = {array.name for array in pool.spec.state_arrays if array.players}
    per_player.add("info:players.env_id")
    records = [
        dict(
            _kept(name, _padded(array, most_players) if name in per_player else array)
            for name, array in sorted(row.items())
        )
        for env in rows
        for row in env
    ]
    dtype = np.dtype([(name, array.dtype, array.shape) for name, array in records[0].items()])
    run = np.array([tuple(record.values()) for record in records], dtype)
    return run.reshape(NUM_ENVS, 1 + _STEPS)


def _padded(array: np.ndarray[Any, Any], rows: int) -> np.ndarray[Any, Any]:
    """The array of a player in each row, with a row of -1 for each player that is not present."""
    absent = np.full((rows - len(array), *array.shape[1:]), -1).astype(array.dtype)
    return np.concatenate([array, absent])


def _kept(name: str, array: np.ndarray[Any, Any]) -> tuple[str, np.ndarray[Any, Any]]:
    """The name and the values of an array in a run."""
    array = np.asarray(array, array.dtype.newbyteorder("<"))
    if array.dtype.kind == "f" or array.size <= _MOST_NUMBERS:
        return name, array
    return f"{name} ({_CRC})", np.array(zlib.crc32(array.tobytes()), "<u4")


def compare_runs(mine: Run, expected: Run) -> tuple[str, float]:
    """The first difference of two runs, and the largest difference that counts as none.

    Returns:
        A text such as "step 3: obs[2] of env 0 is 0.5; expected 0.25"; empty if the runs are equal.
        The largest difference of numbers that count as equal, in ulps (see _MOST_ULPS).
    """
    if mine.dtype != expected.dtype:
        return _other_arrays(mine.dtype, expected.dtype), 0.0
    found: list[tuple[int, str]] = []
    largest = 0.0
    names = expected.dtype.names or ()
    differences = {name: _ulps_apart(mine[name], expected[name]) for name in names}
    # From then on, the pictures of an env may have other pixels.
    is_rounded = np.zeros(expected.shape, bool)
    for name, ulps in differences.items():
        if expected[name].dtype.kind == "f":
            is_rounded |= (ulps > 0).reshape(*expected.shape, -1).any(-1)
    is_rounded = np.logical_or.accumulate(is_rounded, axis=1)
    for name, ulps in differences.items():
        if name.startswith(_PICTURE):
            ulps[is_rounded] = 0.0
        is_wrong = ulps > _MOST_ULPS.get(expected[name].itemsize, 0.0)
        largest = max(largest, float(ulps[~is_wrong].max(initial=0.0)))
        if (first := first_index(is_wrong.swapaxes(0, 1))) is not None:
            step, env, *element = first
            a, b = (run[name][(env, step, *element)] for run in (mine, expected))
            gap = ulps[(env, step, *element)]
            apart = f", {gap:,.0f} ulps apart" if np.isfinite(gap) else ""
            where = f"{name}{element or ''} of env {env}"
            found.append((step, f"step {step}: {where} is {a}; expected {b}{apart}"))
    return min(found, key=operator.itemgetter(0), default=(0, ""))[1], largest


def _ulps_apart(mine: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> Any:
    """The difference of each element: 0 if equal; inf if others than finite floats differ."""
    ulps = np.where((mine == expected) | ((mine != mine) & (expected != expected)), 0.0, np.inf)
    if expected.dtype.kind == "f":
        finite = np.isfinite(mine) & np.isfinite(expected)
        largest = np.abs(expected[finite]).max(initial=1.0)
        gaps = np.abs(mine[finite].astype(float) - expected[finite].astype(float))
        ulps[finite] = gaps / float(np.spacing(expected.dtype.type(largest)))
    return ulps


def _other_arrays(mine: np.dtype[Any], expected: np.dtype[Any]) -> str:
    """The first array that has another shape or type, or that one of the runs lacks."""
    ours, theirs = ({n: str(dtype[n]) for n in dtype.names or ()} for dtype in (mine, expected))
    (name, *_) = (n for n in sorted({*ours, *theirs}) if ours.get(n) != theirs.get(n))
    return f"{name} is {ours.get(name, 'missing')}; expected {theirs.get(name, 'none')}"


def save(file: pathlib.Path, groups: dict[str, Group]) -> None:
    """Plays all tasks of the groups and writes the file."""
    runs = {task: play(task, options) for g in groups.values() for task, options in g.tasks.items()}
    index = strict_json.dumps({name: dataclasses.asdict(group) for name, group in groups.items()})
    np.savez_compressed(file, allow_pickle=False, **{_INDEX: np.array(index)}, **runs)


class ExpectedResults:
    """The contents of a file of save().

    Attributes:
        groups: by their names.
    """

    def __init__(self, file: pathlib.Path) -> None:
        with np.load(file, allow_pickle=False) as arrays:
            self._runs = {name: arrays[name] for name in arrays if name != _INDEX}
            index = strict_json.loads(str(arrays[_INDEX]))
        self.groups: dict[str, Group] = {name: Group(**group) for name, group in index.items()}

    def compare(self, group: str) -> float:
        """Plays the tasks of a group; returns the largest difference that counts as none, in ulps.

        Raises:
            AssertionError: a task whose results differ.
        """
        largest = 0.0
        for task, options in self.groups[group].tasks.items():
            wrong, ulps = compare_runs(play(task, options), self._runs[task])
            assert not wrong, f"{task}: {wrong}"
            largest = max(largest, ulps)
        return largest
