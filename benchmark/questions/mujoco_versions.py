"""Another MuJoCo in each task: how far numbers move, and the time of a step.

Two pools, one for each version, play the same actions from the same seeds. The table has the first
step after which a number of an observation differs, the difference there, and the largest one of an
observation after 100 and 1,000 steps: medians of the envs whose first episode lasts so long.
"""

import dataclasses
import itertools
import pathlib
import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmark.frame import report
from benchmark.frame.steps import in_turn

_NAME = "mujoco_versions"
_SEEDS = 16
_AT = (100, 1000)  # steps
_ROUNDING = 1e-9  # more than the last digits of a number: another formula

_CAUSES = ("", "order of sums", "Runge-Kutta of free joints", "contacts")


@dataclasses.dataclass
class _Found:
    """The differences of a task: the first step of each env, and by step."""

    first: list[int]
    sizes: list[float]
    at: dict[int, list[float]]


def _numbers(obs: Any) -> Any:
    """All numbers of a batch of observations: (envs, numbers)."""
    if isinstance(obs, np.ndarray):
        return obs.astype(np.float64).reshape(len(obs), -1)
    return np.concatenate([_numbers(part) for part in obs.values()], axis=1)


def _pool(task: str, version: str) -> Any:
    import parallel_pool

    return parallel_pool.make_gymnasium(
        task, num_envs=_SEEDS, seed=1, mujoco_version=version, max_episode_steps=_AT[-1] + 1
    )


def _compare(task: str, versions: Sequence[str]) -> _Found:
    pools = [_pool(task, version) for version in versions]
    actions = in_turn(pools[0].action_space, _SEEDS)
    first, sizes = np.zeros(_SEEDS, np.int64), np.zeros(_SEEDS)
    plays, at = np.ones(_SEEDS, np.bool_), {}
    for pool in pools:
        pool.reset()
    for step in range(1, _AT[-1] + 1):
        action = next(actions)
        found = [pool.step(action) for pool in pools]
        old, new = (_numbers(result[0]) for result in found)
        difference = np.where(old == new, 0, np.abs(old - new)).max(axis=1)
        begins = plays & (first == 0) & (difference > 0)
        first[begins], sizes[begins] = step, difference[begins]
        if step in _AT:
            at[step] = difference[plays].tolist()
        for _, _, terminated, truncated, _ in found:
            plays &= ~(terminated | truncated)
    for pool in pools:
        pool.close()
    return _Found(first[first > 0].tolist(), sizes[first > 0].tolist(), at)


def _cause(task: str, found: _Found) -> str:
    """Why the first difference is so large."""
    if not found.first:
        return _CAUSES[0]
    if max(found.sizes) < _ROUNDING:
        return _CAUSES[1]
    return _CAUSES[2] if _turns_by_runge_kutta(task) else _CAUSES[3]


def _turns_by_runge_kutta(task: str) -> bool:
    """Whether the model of the task has free joints and this integrator."""
    import parallel_pool

    name = parallel_pool.make_spec(task).config.get("xml_file", "none")
    folder = pathlib.Path(parallel_pool.__file__).parent / "envs/mujoco/models"
    texts = [file.read_text() for file in folder.rglob(pathlib.Path(name).name)]
    return any(
        'integrator="RK4"' in text and ('type="free"' in text or "<freejoint" in text)
        for text in texts
    )


def _times(task: str, versions: Sequence[str], rounds: int, seconds: float) -> list[list[float]]:
    """Processor time of a step of an env, in each version by round; they take turns."""
    pools = [_pool(task, version) for version in versions]
    actions = in_turn(pools[0].action_space, _SEEDS)
    for pool in pools:
        pool.reset()
    times: list[list[float]] = [[] for _ in versions]
    for _ in range(rounds):
        for pool, own in zip(pools, times, strict=True):
            begin, steps = time.process_time(), 0
            while (passed := time.process_time() - begin) < seconds:
                pool.step(next(actions))
                steps += 1
            own.append(passed / steps / _SEEDS)
    for pool in pools:
        pool.close()
    return times


def _tasks() -> list[str]:
    """One id of each task: the newest, and no other form of the same robot."""
    import parallel_pool
    from parallel_pool.python.specs.registry import registry

    known = registry()
    found = []
    for task in parallel_pool.list_all_envs():
        if known.family(task) != "mujoco" or known.twin_of(task):
            continue
        is_old = known.suite(task) == "gymnasium" and not task.endswith("-v5")
        if not is_old and not task.startswith(("MaMuJoCo", "MuJoCo")):
            found.append(task)
    return found


def _measure(tasks: Sequence[str], rounds: int, seconds: float) -> Iterator[dict[str, Any]]:
    from parallel_pool.envs.mujoco.versions import VERSIONS

    versions = tuple(itertools.islice(VERSIONS.libraries, 2))
    for task in tasks:
        found = _compare(task, versions)
        yield {
            "task": task,
            "versions": versions,
            "first": min(found.first, default=0),
            "size": max(found.sizes, default=0.0),
            "at": {str(step): statistics.median(v) if v else None for step, v in found.at.items()},
            "cause": _cause(task, found),
            "times": _times(task, versions, rounds, seconds),
        }


def _size(number: float | None) -> str:
    if number is None:
        return "-"
    return "0" if number == 0 else f"{number:.0e}"


def table(data: report.Data) -> str:
    """A row for each task."""
    rows = []
    for r in data["results"]:
        ratio = statistics.median(old / new for old, new in zip(*r["times"], strict=True))
        first = str(r["first"]) if r["first"] else "never"
        at = [_size(r["at"][str(step)]) for step in _AT]
        rows.append([f"`{r['task']}`", first, _size(r["size"]), *at, r["cause"], f"x{ratio:.2f}"])
    titles = ["task", "first", "there", *(f"{step:,}" for step in _AT), "cause", "speed"]
    return report.table(titles, rows, text_columns=1)


def main() -> None:
    """Measures or reads the tasks of the command line, and prints the table."""
    known = _tasks()
    parser = report.parser(_NAME, __doc__, "tasks:\n  " + "\n  ".join(known), 0.2, draws=False)
    parser.add_argument("--tasks", nargs="+", default=["*"], help="patterns, such as 'Ant*'")
    args = parser.parse_args()

    def run() -> Iterator[dict[str, Any]]:
        chosen = [task for task in known if report.matches(task, args.tasks)]
        return _measure(chosen, args.rounds, args.seconds)

    data = report.collect(
        _NAME, parser, args, run, lambda result: report.matches(result["task"], args.tasks)
    )
    report.show(data, args, table)
