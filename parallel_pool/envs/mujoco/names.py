"""MetaWorld's benchmarks (McLean et al. 2025): names of pools of several tasks with goals.

And names of OGBench's tasks that are not offered, for errors that say so.
"""

import functools
import re
import secrets
from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import Any

from parallel_pool.python.options.option import as_int
from parallel_pool.python.options.seeds import is_list
from parallel_pool.python.specs.names import NamePattern, Recipe
from parallel_pool.python.specs.several_tasks import Entry, counts_of

_SEED = 42  # make()'s default
_MAX_SEED = 2**32 - 1  # of NumPy's RandomState


def _names(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


MT10 = _names(
    "reach push pick-place door-open drawer-open drawer-close button-press-topdown "
    "peg-insert-side window-open window-close"
)
MT25 = MT10 + _names(
    "coffee-pull pick-out-of-hole disassemble pick-place-wall basketball stick-pull "
    "button-press-wall faucet-open door-lock lever-pull sweep-into faucet-close coffee-button "
    "button-press-topdown-wall dial-turn"
)
MT50 = _names(
    "assembly basketball bin-picking box-close button-press-topdown button-press-topdown-wall "
    "button-press button-press-wall coffee-button coffee-pull coffee-push dial-turn disassemble "
    "door-close door-lock door-open door-unlock hand-insert drawer-close drawer-open "
    "faucet-open faucet-close hammer handle-press-side handle-press handle-pull-side "
    "handle-pull lever-pull pick-place-wall pick-out-of-hole pick-place plate-slide "
    "plate-slide-side plate-slide-back plate-slide-back-side peg-insert-side peg-unplug-side "
    "soccer stick-push stick-pull push push-wall push-back reach reach-wall shelf-place "
    "sweep-into sweep window-open window-close"
)
ML10 = _names(
    "reach push pick-place door-open drawer-close button-press-topdown peg-insert-side "
    "window-open sweep basketball"
)
ML10_TEST = _names("drawer-open door-close shelf-place sweep-into lever-pull")
ML25_TEST = _names("basketball door-close shelf-place sweep button-press")
ML45 = _names(
    "assembly basketball button-press-topdown button-press-topdown-wall button-press "
    "button-press-wall coffee-button coffee-pull coffee-push dial-turn disassemble door-close "
    "door-open drawer-close drawer-open faucet-open faucet-close hammer handle-press-side "
    "handle-press handle-pull-side handle-pull lever-pull pick-place-wall pick-out-of-hole "
    "push-back pick-place plate-slide plate-slide-side plate-slide-back plate-slide-back-side "
    "peg-insert-side peg-unplug-side soccer stick-push stick-pull push-wall push reach-wall "
    "reach shelf-place sweep-into sweep window-open window-close"
)
ML45_TEST = _names("bin-picking box-close hand-insert door-lock door-unlock")

# MT: the goal is in the observation, and an episode has one of 50 at random. The space of
# observations covers the goals of all tasks.
_MT = {"use_one_hot": True, "observation_padding": True}
# ML: the goal is hidden. An env keeps its goal until reset(options={"sample_tasks": True}).
_ML = {
    "observe_goal": False,
    "task_select": "pseudorandom",
    "sample_tasks_on_reset": False,
}
_ML_TEST = _ML | {"terminate_on_success": True}

# Tasks, their options, and what is added to the seed.
Benchmark = tuple[Sequence[str], Mapping[str, Any], int]

ALL: dict[str, Benchmark] = {
    "MT10": (MT10, _MT, 0),
    "MT25": (MT25, _MT, 0),
    "MT50": (MT50, _MT, 0),
    "ML10-train": (ML10, _ML, 0),
    "ML10-test": (ML10_TEST, _ML_TEST, 0),
    "ML25-train": (MT25, _ML, 0),
    "ML25-test": (ML25_TEST, _ML_TEST, 0),
    "ML45-train": (ML45, _ML, 0),
    "ML45-test": (ML45_TEST, _ML_TEST, 0),
}
for _task in MT50:
    ALL[f"MT1-{_task}"] = [_task], {}, 0
    ALL[f"ML1-{_task}-train"] = [_task], _ML, 0
    ALL[f"ML1-{_task}-test"] = [_task], _ML_TEST, 1


def expand(
    benchmark: Benchmark, kwargs: Mapping[str, Any]
) -> tuple[str | list[Entry], dict[str, Any]]:
    """The tasks and the keywords of make() for a benchmark.

    The goals are those of metaworld's benchmark with this seed. Env k of each task draws with
    seed + k which of them an episode has. In ML, the envs of a task share its goals out among them,
    and all draw with the same seed.

    Args:
        benchmark: one of ALL.
        kwargs: those of make() for the benchmark.

    Raises:
        TypeError: a seed or a number of envs of the wrong type.
        ValueError: one that is not allowed.
    """
    names, options, step = benchmark
    tasks: list[tuple[str, dict[str, Any]]] = [(f"{name}-v3", {}) for name in names]
    own = {**options, **kwargs}
    is_ml = "task_select" in options
    if own.get("num_envs", 1) is None and len(tasks) == 1:
        counts = [1]
    else:
        counts = counts_of("MetaWorld", tasks, own.get("num_envs"))
    seed = own.get("seed", _SEED)
    if seed is None:
        seed = secrets.randbelow(_MAX_SEED)
    if not is_list(seed):
        if not 0 <= as_int("seed", seed) <= _MAX_SEED - step:
            raise ValueError(f"seed is {seed}; MetaWorld's goals need one from 0 to 2**32 - 1")
        own.setdefault("goal_seed", int(seed) + step)
        own["seed"] = [seed + k * (not is_ml) for count in counts for k in range(count)]
    for i, ((_, of_task), count) in enumerate(zip(tasks, counts, strict=True)):
        of_task |= {"goals_after": [task for task, _ in tasks[:i]]}
        if own.get("use_one_hot"):
            of_task |= {"task_index": i, "num_tasks": own.get("num_tasks", len(tasks))}
        if is_ml and count > 1:
            of_task["per_env"] = {"goal_share": [(k, count) for k in range(count)]}
    own.pop("num_tasks", None)
    if len(tasks) > 1:
        return list(tasks), own | {"num_envs": counts}
    [(task, of_task)] = tasks
    if "per_env" in of_task and "per_env" in own:
        of_task["per_env"] |= own["per_env"]
    return task, own | of_task


def _refuse(name: re.Match[str]) -> None:
    """ValueError: why there is no such task."""
    states = name[0].removeprefix("visual-")
    if "humanoidmaze-teleport" in states:
        raise ValueError(
            f"there is no task {name[0]!r}: OGBench cannot make it either, because its humanoid "
            "has no material of teleports"
        )
    raise ValueError(
        f"there is no task {name[0]!r}: OGBench's pixels are not offered; {states!r} observes "
        "numbers, and from_pixels=True pictures of our own"
    )


_PIXELS = NamePattern(
    "antmaze-medium-v0",
    r"(visual-)?humanoidmaze-teleport-.*v0"
    r"|visual-(antmaze|humanoidmaze|cube|puzzle)-\w+-.*v0|visual-scene-.*v0",
    _refuse,
    (),
)
_BENCHMARKS: dict[str, Recipe] = {
    f"MetaWorld/{name}": functools.partial(expand, benchmark) for name, benchmark in ALL.items()
}
NAMES: Mapping[str, Recipe] = ChainMap(_BENCHMARKS, _PIXELS)  # type: ignore[arg-type]
