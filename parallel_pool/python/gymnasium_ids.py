"""The tasks' ids in Gymnasium's registry: gymnasium.make("parallel_pool/Pong-v5"), make_vec()."""

import math

import gymnasium
from gymnasium.envs.registration import EnvSpec

from parallel_pool.core import _core
from parallel_pool.python.config import MAX_EPISODE_STEPS

NAMESPACE = "parallel_pool"


def register(task: _core.Task) -> None:
    """Registers the task for gymnasium.make() and make_vec() as "parallel_pool/" + its id.

    Of Gymnasium's wrappers only TimeLimit is used: the engine itself checks actions and the order
    of calls.
    """
    name = f"{NAMESPACE}/{task.id}"
    if name in gymnasium.registry:
        return
    limit = task.max_episode_steps
    # Not gymnasium.register(): it compares each new id with all others, which takes 90 ms for the
    # tasks of this package.
    gymnasium.registry[name] = EnvSpec(
        name,
        entry_point="parallel_pool.python.gymnasium_env:make_env",
        vector_entry_point="parallel_pool.python.gymnasium_vec:make_vec_env",
        reward_threshold=None if math.isnan(task.reward_threshold) else task.reward_threshold,
        max_episode_steps=None if limit == MAX_EPISODE_STEPS else limit,
        order_enforce=False,
        disable_env_checker=True,
        kwargs={"task_id": task.id},
    )
