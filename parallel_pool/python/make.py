"""make(): pools of the three APIs."""

from typing import Any, Literal

from parallel_pool.python import dm_api, gym_api, gymnasium_api
from parallel_pool.python.pool import open_pool
from parallel_pool.python.registry import make_spec
from parallel_pool.python.spec import Spec

EnvType = Literal["gymnasium", "gym", "dm"]


def make(task_id: str | Spec, env_type: EnvType = "gymnasium", **kwargs: Any) -> Any:
    """A pool of envs.

    Args:
        task_id: one of list_all_envs(), such as "Pong-v5"; or a Spec of make_spec(), which has all
            options. Pools of one Spec share its data, such as a model.
        env_type: the API of the pool: "gymnasium", "gym" or "dm".
        **kwargs: num_envs=1, batch_size=0 (num_envs), num_threads=0 (automatic), seed=42 (env i
            gets seed + i; or a list with one for each; None: drawn by the system),
            max_episode_steps, autoreset_mode="next_step" (or "same_step", "disabled", or
            Gymnasium's AutoresetMode), reward_dtype="float32" (or "float64"), max_num_players (the
            players of an env, unless the task has that option itself), thread_affinity_offset=-1,
            reward_threshold, render_mode=None (or one of the task: "rgb_array", "ansi"),
            render_env_id=None (all envs); with "gym" also gym_reset_return_info=False; then the
            task's own options (make_spec(task_id).config has them all).

    Raises:
        ValueError: an unknown task or env_type, or an option whose value is not allowed.
        TypeError: an unknown option, a value of the wrong type, or options next to a Spec.
        MemoryError: more envs than memory can hold.
    """
    if env_type == "gymnasium":
        return make_gymnasium(task_id, **kwargs)
    if env_type == "gym":
        return make_gym(task_id, **kwargs)
    if env_type == "dm":
        return make_dm(task_id, **kwargs)
    raise ValueError(f"env_type is {env_type!r}; allowed are 'gymnasium', 'gym' and 'dm'")


def make_gymnasium(task_id: str | Spec, **kwargs: Any) -> gymnasium_api.Pool:
    """Same as make() with env_type="gymnasium"."""
    return open_pool(gymnasium_api.Pool, _spec_of(task_id, kwargs))


def make_gym(
    task_id: str | Spec, *, gym_reset_return_info: bool = False, **kwargs: Any
) -> gym_api.Pool:
    """Same as make() with env_type="gym"."""
    if not isinstance(gym_reset_return_info, bool):
        raise TypeError(
            f"gym_reset_return_info must be True or False, not {gym_reset_return_info!r}"
        )
    spec = _spec_of(task_id, kwargs)
    return open_pool(gym_api.Pool, spec, gym_reset_return_info=gym_reset_return_info)


def make_dm(task_id: str | Spec, **kwargs: Any) -> dm_api.Pool:
    """Same as make() with env_type="dm"."""
    return open_pool(dm_api.Pool, _spec_of(task_id, kwargs))


def _spec_of(task_id: str | Spec, kwargs: dict[str, Any]) -> Spec:
    if not isinstance(task_id, Spec):
        return make_spec(task_id, **kwargs)
    if kwargs:
        raise TypeError(
            f"{task_id.task_id}: the spec has all options already; give {', '.join(kwargs)} to "
            "make_spec()"
        )
    return task_id
