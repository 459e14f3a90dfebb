"""make(): pools of the three APIs."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import gymnasium

from parallel_pool.python import dm_api, dm_single, gym_api, gymnasium_api, gymnasium_env
from parallel_pool.python.base import open_envs
from parallel_pool.python.gym_env import GymEnv, env_class
from parallel_pool.python.registry import make_spec
from parallel_pool.python.several_tasks import Entry
from parallel_pool.python.spec import Spec

EnvType = Literal["gymnasium", "gym", "dm"]
AutoresetMode = Literal["next_step", "same_step", "disabled"] | gymnasium.vector.AutoresetMode
RewardDtype = Literal["float32", "float64"]

# The overloads name the options of all tasks. A task's own are among `options`.


@overload
def make(
    task_id: str | Sequence[Entry] | Spec,
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
    task_id: str | Sequence[Entry] | Spec,
    env_type: Literal["gymnasium"] = ...,
    *,
    num_envs: None,
    **options: Any,
) -> gymnasium_env.Env: ...
@overload
def make(
    task_id: str | Sequence[Entry] | Spec,
    env_type: Literal["gym"],
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
    gym_reset_return_info: bool = ...,
    **options: Any,
) -> gym_api.Pool: ...
@overload
def make(
    task_id: str | Sequence[Entry] | Spec,
    env_type: Literal["gym"],
    *,
    num_envs: None,
    **options: Any,
) -> GymEnv: ...
@overload
def make(
    task_id: str | Sequence[Entry] | Spec,
    env_type: Literal["dm"],
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
) -> dm_api.Pool: ...
@overload
def make(
    task_id: str | Sequence[Entry] | Spec,
    env_type: Literal["dm"],
    *,
    num_envs: None,
    **options: Any,
) -> dm_single.Env: ...
@overload
def make(task_id: str | Sequence[Entry] | Spec, env_type: EnvType, **options: Any) -> Any: ...
def make(
    task_id: str | Sequence[Entry] | Spec, env_type: EnvType = "gymnasium", **kwargs: Any
) -> Any:
    """A pool of envs, or a single env.

    Args:
        task_id: one of list_all_envs(), such as "Pong-v5"; or a list of them, or of pairs (id,
            options), for a pool of several tasks; or a Spec of make_spec(), which has all options.
            Pools of one Spec share its data, such as a model.
        env_type: the API of the pool: "gymnasium", "gym" or "dm".
        **kwargs: the options of all tasks, and the task's own. make_spec(task_id).config has all
            with their defaults.

            - num_envs=1: envs of the pool. None makes a single env: its actions and results have no
              batch axis, its seed is drawn by the system, its rewards are float64. Several tasks
              share the envs out evenly; a list has a number for each task.
            - action_padding=False, observation_padding=False, separate_spaces=False, with several
              tasks: how actions and observations that differ become those of one pool.
            - batch_size=0: rows that recv() returns; 0 means num_envs (sync).
            - num_threads=0: threads that run envs; 0 means as many as can run at once.
            - seed=42: env i gets seed + i. A list has one for each env; None: drawn by the system.
            - max_episode_steps: the time limit in steps; the task has a default.
            - autoreset_mode="next_step", "same_step" or "disabled", or Gymnasium's AutoresetMode.
            - reward_dtype="float32" or "float64".
            - pin_memory=False: whether batches are in page-locked memory, which an NVIDIA GPU
              copies while the program goes on.
            - per_env: a value for each env, by option: {"g": [9.8, 9.9]}. Options that change the
              spaces must be the same for all envs.
            - render_mode=None, or one that the task has: "rgb_array", "ansi", or "human": a window.
            - render_width=0, render_height=0: the size of pictures in pixels; 0 means the task's.
            - render_env_id=None: the env that render() shows; None: all.
            - reward_threshold: the return that counts as solved.
            - max_num_players: players of an env, unless the task has that option itself.
            - thread_affinity_offset=-1: thread i runs on processor offset + i; -1: on any.
            - gym_reset_return_info=True, with "gym": whether reset() returns (obs, info), or obs.

    Raises:
        ValueError: an unknown task or env_type, or an option whose value is not allowed.
        TypeError: an unknown option, a value of the wrong type, or options next to a Spec.
        MemoryError: more envs than memory can hold.
        RuntimeError: pin_memory without a GPU of NVIDIA, or its driver cannot lock the memory.
    """
    if env_type == "gymnasium":
        return make_gymnasium(task_id, **kwargs)
    if env_type == "gym":
        return make_gym(task_id, **kwargs)
    if env_type == "dm":
        return make_dm(task_id, **kwargs)
    raise ValueError(f"env_type is {env_type!r}; allowed are 'gymnasium', 'gym' and 'dm'")


@overload
def make_gymnasium(
    task_id: str | Sequence[Entry] | Spec,
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
def make_gymnasium(
    task_id: str | Sequence[Entry] | Spec,
    *,
    num_envs: None,
    **options: Any,
) -> gymnasium_env.Env: ...
def make_gymnasium(task_id: str | Sequence[Entry] | Spec, **kwargs: Any) -> Any:
    """Same as make() with env_type="gymnasium"."""
    spec = spec_of(task_id, kwargs)
    return open_envs(gymnasium_env.Env if spec.is_single else gymnasium_api.Pool, spec)


@overload
def make_gym(
    task_id: str | Sequence[Entry] | Spec,
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
    gym_reset_return_info: bool = ...,
    **options: Any,
) -> gym_api.Pool: ...
@overload
def make_gym(
    task_id: str | Sequence[Entry] | Spec,
    *,
    num_envs: None,
    **options: Any,
) -> GymEnv: ...
def make_gym(
    task_id: str | Sequence[Entry] | Spec, *, gym_reset_return_info: bool = True, **kwargs: Any
) -> Any:
    """Same as make() with env_type="gym"."""
    if not isinstance(gym_reset_return_info, bool):
        raise TypeError(
            f"gym_reset_return_info must be True or False, not {gym_reset_return_info!r}"
        )
    spec = spec_of(task_id, kwargs)
    if spec.is_single:
        return open_envs(env_class(), spec)
    return open_envs(gym_api.Pool, spec, gym_reset_return_info=gym_reset_return_info)


@overload
def make_dm(
    task_id: str | Sequence[Entry] | Spec,
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
) -> dm_api.Pool: ...
@overload
def make_dm(
    task_id: str | Sequence[Entry] | Spec,
    *,
    num_envs: None,
    **options: Any,
) -> dm_single.Env: ...
def make_dm(task_id: str | Sequence[Entry] | Spec, **kwargs: Any) -> Any:
    """Same as make() with env_type="dm"."""
    spec = spec_of(task_id, kwargs)
    return open_envs(dm_single.Env if spec.is_single else dm_api.Pool, spec)


def spec_of(
    task_id: str | Sequence[Entry] | Spec,
    kwargs: dict[str, Any],
    make: Callable[..., Spec] = make_spec,
) -> Spec:
    """The spec of a call of make(), which may have one already: then TypeError for options."""
    if not isinstance(task_id, Spec):
        return make(task_id, **kwargs)
    if kwargs:
        raise TypeError(
            f"{task_id.task_id}: the spec has all options already; give {', '.join(kwargs)} to "
            "make_spec()"
        )
    return task_id
