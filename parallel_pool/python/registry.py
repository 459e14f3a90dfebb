"""Which tasks there are, and make()."""

import functools
import pathlib
from typing import Any, Literal, cast

from parallel_pool._build_info import FAMILIES
from parallel_pool.core import _core
from parallel_pool.python import dm_api, gym_api, gymnasium_api
from parallel_pool.python.config import parse, suggest
from parallel_pool.python.spec import Spec

_ROOT = pathlib.Path(__file__).parent.parent

EnvType = Literal["gymnasium", "gym", "dm"]


@functools.cache
def _load() -> tuple[dict[str, _core.Task], dict[str, str]]:
    """All tasks by id, and why a family could not be loaded, by family."""
    tasks: dict[str, _core.Task] = {}
    failures: dict[str, str] = {}
    for family in FAMILIES:
        try:
            found = _core.load_family(str(_ROOT / family / "_family.so"))
        except RuntimeError as error:
            failures[family] = str(error)
            continue
        tasks.update((task.id, task) for task in found)
    return tasks, failures


def _task(task_id: str) -> _core.Task:
    tasks, failures = _load()
    if not isinstance(task_id, str):
        raise TypeError(f"task_id must be a str such as 'CartPole-v1', not {task_id!r}")
    if task_id not in tasks:
        missing = "".join(f"; family {f} could not be loaded: {why}" for f, why in failures.items())
        raise ValueError(f"there is no task {task_id!r}{suggest(task_id, tasks)}{missing}")
    return tasks[task_id]


def list_all_envs() -> list[str]:
    """The ids of all tasks, sorted."""
    return sorted(_load()[0])


def make_spec(task_id: str, **kwargs: Any) -> Spec:
    """The spaces, specs and options of a task, without building an env.

    Takes make()'s keywords and raises its errors.
    """
    task = _task(task_id)
    return Spec.of(task, parse(task, kwargs))


def make(task_id: str, env_type: EnvType = "gymnasium", **kwargs: Any) -> Any:
    """A pool of envs.

    Args:
        task_id: one of list_all_envs(), such as "Pong-v5".
        env_type: the API that the pool speaks: "gymnasium", "gym" or "dm".
        **kwargs: num_envs=1, batch_size=0 (num_envs), num_threads=0 (automatic), seed=42 (env i
            gets seed + i; or a list with one for each), max_episode_steps, max_num_players=1,
            thread_affinity_offset=-1, reward_threshold; with "gym" also
            gym_reset_return_info=False; then the task's own options (make_spec(task_id).config
            has them all).

    Raises:
        ValueError: an unknown task or env_type, or an option whose value is not allowed.
        TypeError: an unknown option, or a value of the wrong type.
        MemoryError: more envs than memory can hold.
    """
    if env_type == "gymnasium":
        return make_gymnasium(task_id, **kwargs)
    if env_type == "gym":
        return make_gym(task_id, **kwargs)
    if env_type == "dm":
        return make_dm(task_id, **kwargs)
    raise ValueError(f"env_type is {env_type!r}; allowed are 'gymnasium', 'gym' and 'dm'")


def make_gymnasium(task_id: str, **kwargs: Any) -> gymnasium_api.Pool:
    """make(task_id, env_type="gymnasium", **kwargs)."""
    return gymnasium_api.Pool(make_spec(task_id, **kwargs))


def make_gym(
    task_id: str, *, gym_reset_return_info: bool = False, **kwargs: Any
) -> gym_api.Pool:
    """make(task_id, env_type="gym", **kwargs)."""
    if not isinstance(gym_reset_return_info, bool):
        raise TypeError(
            f"gym_reset_return_info must be True or False, not {gym_reset_return_info!r}"
        )
    return gym_api.Pool(make_spec(task_id, **kwargs), cast(bool, gym_reset_return_info))


def make_dm(task_id: str, **kwargs: Any) -> dm_api.Pool:
    """make(task_id, env_type="dm", **kwargs)."""
    return dm_api.Pool(make_spec(task_id, **kwargs))
