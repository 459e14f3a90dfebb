"""make(): pools of the three APIs."""

import inspect
from collections.abc import Sequence
from typing import Any, Literal, overload

from parallel_pool.python import gymnasium_versions
from parallel_pool.python.apis import dm_api, dm_single, gym_api, gymnasium_api, gymnasium_env
from parallel_pool.python.apis.gym_env import GymEnv
from parallel_pool.python.apis.kinds import class_of
from parallel_pool.python.options.pool_options import documented
from parallel_pool.python.pools.base import open_envs
from parallel_pool.python.specs.registry import make_spec
from parallel_pool.python.specs.several_tasks import Entry
from parallel_pool.python.specs.spec import Spec

EnvType = Literal["gymnasium", "gym", "dm"]
AutoresetMode = Literal["next_step", "same_step", "disabled"] | gymnasium_versions.AutoresetMode
RewardDtype = Literal["float32", "float64"]

Task = str | Sequence[Entry] | Spec

# The first overload names options of all tasks, for editors. All others are among `options`.


@overload
def make(
    task_id: Task,
    env_type: Literal["gymnasium"] = ...,
    *,
    num_envs: int | Sequence[int] = ...,
    batch_size: int = ...,
    num_threads: int = ...,
    seed: int | Sequence[int] | None = ...,
    max_episode_steps: int = ...,
    autoreset_mode: AutoresetMode = ...,
    render_mode: str | None = ...,
    reward_dtype: RewardDtype = ...,
    pin_memory: bool = ...,
    **options: Any,
) -> gymnasium_api.Pool: ...
@overload
def make(
    task_id: Task,
    env_type: Literal["gymnasium"] = ...,
    *,
    num_envs: None,
    **options: Any,
) -> gymnasium_env.Env: ...
@overload
def make(
    task_id: Task,
    env_type: Literal["gym"],
    *,
    num_envs: int | Sequence[int] = ...,
    gym_reset_return_info: bool = ...,
    **options: Any,
) -> gym_api.Pool: ...
@overload
def make(task_id: Task, env_type: Literal["gym"], *, num_envs: None, **options: Any) -> GymEnv: ...
@overload
def make(
    task_id: Task,
    env_type: Literal["dm"],
    *,
    num_envs: int | Sequence[int] = ...,
    **options: Any,
) -> dm_api.Pool: ...
@overload
def make(
    task_id: Task,
    env_type: Literal["dm"],
    *,
    num_envs: None,
    **options: Any,
) -> dm_single.Env: ...
@overload
def make(task_id: Task, env_type: EnvType, **options: Any) -> Any: ...
def make(task_id: Task, env_type: EnvType = "gymnasium", **kwargs: Any) -> Any:
    """A pool of envs, or a single env.

    Args:
        task_id: one of list_all_envs(), such as "Pong-v5"; or a list of them, or of pairs (id,
            options), for a pool of several tasks; or a Spec of make_spec(), which has all options.
            Pools of one Spec share its data, such as a model.
        env_type: the API of the pool: "gymnasium", "gym" or "dm".
        **kwargs: the options of all tasks, and the task's own. make_spec(task_id).config has all
            with their defaults.

            With num_envs=None a single env: its actions and results have no batch axis, its seed is
            drawn by the system, its rewards are float64. Several tasks share the envs out evenly; a
            list has a number for each task. They also have action_padding, observation_padding and
            separate_spaces (False): how actions and observations that differ become those of one
            pool. With "gym", gym_reset_return_info=True: whether reset() returns (obs, info).

            Of all tasks:

            OPTIONS

    Raises:
        ValueError: an unknown task or env_type, or an option whose value is not allowed.
        TypeError: an unknown option, a value of the wrong type, or options next to a Spec.
        MemoryError: more envs than memory can hold.
        RuntimeError: pin_memory without a GPU of NVIDIA, or its driver cannot lock the memory.
    """
    class_of(env_type)
    return make_gym(task_id, **kwargs) if env_type == "gym" else _made(env_type, task_id, kwargs)


if make.__doc__:  # python -OO leaves it out
    _doc = inspect.cleandoc(make.__doc__)
    make.__doc__ = _doc.replace("        OPTIONS", documented("        "))


@overload
def make_gymnasium(
    task_id: Task,
    *,
    num_envs: int | Sequence[int] = ...,
    **options: Any,
) -> gymnasium_api.Pool: ...
@overload
def make_gymnasium(task_id: Task, *, num_envs: None, **options: Any) -> gymnasium_env.Env: ...
def make_gymnasium(task_id: Task, **kwargs: Any) -> Any:
    """Same as make() with env_type="gymnasium"."""
    return _made("gymnasium", task_id, kwargs)


@overload
def make_gym(
    task_id: Task,
    *,
    num_envs: int | Sequence[int] = ...,
    gym_reset_return_info: bool = ...,
    **options: Any,
) -> gym_api.Pool: ...
@overload
def make_gym(task_id: Task, *, num_envs: None, **options: Any) -> GymEnv: ...
def make_gym(task_id: Task, *, gym_reset_return_info: bool = True, **kwargs: Any) -> Any:
    """Same as make() with env_type="gym"."""
    if not isinstance(gym_reset_return_info, bool):
        raise TypeError(
            f"gym_reset_return_info must be True or False, not {gym_reset_return_info!r}"
        )
    return _made("gym", task_id, kwargs, gym_reset_return_info=gym_reset_return_info)


@overload
def make_dm(
    task_id: Task,
    *,
    num_envs: int | Sequence[int] = ...,
    **options: Any,
) -> dm_api.Pool: ...
@overload
def make_dm(task_id: Task, *, num_envs: None, **options: Any) -> dm_single.Env: ...
def make_dm(task_id: Task, **kwargs: Any) -> Any:
    """Same as make() with env_type="dm"."""
    return _made("dm", task_id, kwargs)


def _made(env_type: str, task_id: Task, kwargs: dict[str, Any], **of_pools: Any) -> Any:
    spec = spec_of(task_id, kwargs)
    return open_envs(class_of(env_type, spec.is_single), spec, **{} if spec.is_single else of_pools)


def spec_of(task_id: Task, kwargs: dict[str, Any]) -> Spec:
    """The spec of a call of make(), which may have one already: then TypeError for options."""
    if not isinstance(task_id, Spec):
        return make_spec(task_id, **kwargs)
    if kwargs:
        raise TypeError(
            f"{task_id.task_id}: the spec has all options already; give {', '.join(kwargs)} to "
            f"{task_id.source.maker}()"
        )
    return task_id
