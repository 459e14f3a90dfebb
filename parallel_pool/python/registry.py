"""Which tasks there are, and make()."""

import functools
import pathlib
from typing import Any, Literal

from parallel_pool._build_info import FAMILIES
from parallel_pool.core import _core
from parallel_pool.python import dm_api, gym_api, gymnasium_api
from parallel_pool.python.config import parse, suggest
from parallel_pool.python.spec import Spec

_ROOT = pathlib.Path(__file__).parent.parent

EnvType = Literal["gymnasium", "gym", "dm"]


class _Registry:
    """All tasks; loads the families of this package when the first task is asked for."""

    def __init__(self) -> None:
        self.tasks: dict[str, _core.Task] = {}
        self.failures: dict[str, str] = {}  # why a family could not be loaded

    def add(self, library: pathlib.Path) -> list[str]:
        """Loads one family and returns its ids; RuntimeError if it cannot be loaded."""
        found = _core.load_family(str(library))
        self.tasks.update((task.id, task) for task in found)
        return [task.id for task in found]

    def find(self, task_id: str) -> _core.Task:
        """The task; ValueError with the nearest ids if there is none."""
        if not isinstance(task_id, str):
            raise TypeError(f"task_id must be a str such as 'CartPole-v1', not {task_id!r}")
        if task_id in self.tasks:
            return self.tasks[task_id]
        failures = "".join(f"; no family {name}: {why}" for name, why in self.failures.items())
        raise ValueError(f"there is no task {task_id!r}{suggest(task_id, self.tasks)}{failures}")


@functools.cache
def registry() -> _Registry:
    """The registry with this package's families."""
    made = _Registry()
    for family in FAMILIES:
        try:
            made.add(_ROOT / family / "_family.so")
        except RuntimeError as error:
            made.failures[family] = str(error)
    return made


def list_all_envs() -> list[str]:
    """The ids of all tasks, sorted."""
    return sorted(registry().tasks)


def make_spec(task_id: str, **kwargs: Any) -> Spec:
    """The spaces, specs and options of a task, without building an env.

    Takes make()'s keywords and raises its errors.
    """
    task = registry().find(task_id)
    return Spec.of(task, parse(task, kwargs))


def make(task_id: str, env_type: EnvType = "gymnasium", **kwargs: Any) -> Any:
    """A pool of envs.

    Args:
        task_id: one of list_all_envs(), such as "Pong-v5".
        env_type: the API that the pool speaks: "gymnasium", "gym" or "dm".
        **kwargs: num_envs=1, batch_size=0 (num_envs), num_threads=0 (automatic), seed=42 (env i
            gets seed + i; or a list with one for each), max_episode_steps,
            autoreset_mode="next_step" (or "same_step", "disabled", or Gymnasium's AutoresetMode),
            max_num_players=1, thread_affinity_offset=-1, reward_threshold; with "gym" also
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


def make_gym(task_id: str, *, gym_reset_return_info: bool = False, **kwargs: Any) -> gym_api.Pool:
    """make(task_id, env_type="gym", **kwargs)."""
    if not isinstance(gym_reset_return_info, bool):
        raise TypeError(
            f"gym_reset_return_info must be True or False, not {gym_reset_return_info!r}"
        )
    return gym_api.Pool(make_spec(task_id, **kwargs), gym_reset_return_info)


def make_dm(task_id: str, **kwargs: Any) -> dm_api.Pool:
    """make(task_id, env_type="dm", **kwargs)."""
    return dm_api.Pool(make_spec(task_id, **kwargs))
