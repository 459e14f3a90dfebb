"""The tasks' ids in Gymnasium's registry: gymnasium.make_vec("parallel_pool/Pong-v5")."""

import math

import gymnasium

from parallel_pool.core import _core

NAMESPACE = "parallel_pool"
_ENTRY_POINT = "parallel_pool.python.gymnasium_vec:make_vec_env"


def register(task: _core.Task) -> None:
    """Registers the task for gymnasium.make_vec() as "parallel_pool/" + its id."""
    name = f"{NAMESPACE}/{task.id}"
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            vector_entry_point=_ENTRY_POINT,
            reward_threshold=None if math.isnan(task.reward_threshold) else task.reward_threshold,
            kwargs={"task_id": task.id},
        )
