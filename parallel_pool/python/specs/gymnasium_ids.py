"""The tasks' ids in Gymnasium's registry: gymnasium.make("parallel_pool/Pong-v5"), make_vec()."""

import math
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from parallel_pool.core import _core
from parallel_pool.python.options.pool_options import MAX_EPISODE_STEPS

NAMESPACE = "parallel_pool"


def gymnasium_id(task_id: str) -> str:
    """The name of a task in Gymnasium's registry, which allows no second "/"."""
    return f"{NAMESPACE}/{task_id.replace('/', '-')}"


def unregister(task_id: str) -> None:
    """Removes what register() has registered."""
    gymnasium.registry.pop(gymnasium_id(task_id), None)


def register(task: _core.Task, replace: bool = False) -> None:
    """Registers the task for gymnasium.make() and make_vec() as gymnasium_id(task.id).

    Args:
        task: the task.
        replace: whether it takes the place of another task of this id.
    """
    if replace:
        unregister(task.id)
    limit = task.max_episode_steps
    register_id(
        task.id,
        "parallel_pool.python.apis.gymnasium_vec:make_vec_env",
        entry_point="parallel_pool.python.apis.gymnasium_env:make_env",
        reward_threshold=None if math.isnan(task.reward_threshold) else task.reward_threshold,
        max_episode_steps=None if limit == MAX_EPISODE_STEPS else limit,
        kwargs={"task_id": task.id},
    )


def register_id(task_id: str, vector_entry_point: str, **fields: Any) -> None:
    """Registers gymnasium_id(task_id), unless it is there.

    TimeLimit is the only wrapper of Gymnasium's that is used: the engine itself checks actions and
    the order of calls.

    Args:
        task_id: the name.
        vector_entry_point: the function that makes the vector env, "module:function".
        **fields: further fields of gymnasium's EnvSpec.
    """
    name = gymnasium_id(task_id)
    if name in gymnasium.registry:
        return
    # Not gymnasium.register(): it compares each new id with all others, which takes 90 ms for the
    # tasks of this package.
    gymnasium.registry[name] = EnvSpec(
        name,
        vector_entry_point=vector_entry_point,
        order_enforce=False,
        disable_env_checker=True,
        **fields,
    )
