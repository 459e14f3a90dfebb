"""The pools that a Rollout or Trajectories can have."""

from typing import Any

import numpy as np

from parallel_pool.python.apis.gym_base import GymApi
from parallel_pool.python.arrays.tuples import children_of, has_tuples


def check_pool(pool: Any, name: str) -> None:
    """TypeError or ValueError if a ReplayBuffer or another learner cannot have this pool."""
    if not isinstance(pool, GymApi):
        raise TypeError(
            f"{name} needs a pool of env_type='gymnasium' or 'gym', not {type(pool).__name__}"
        )
    if pool.env_type == "gymnasium":
        _check_observations(pool, name)


def check(pool: Any, steps: Any, name: str) -> None:
    """check_pool(), and errors if a Rollout or Trajectories cannot have it, or such steps."""
    check_pool(pool, name)
    spec = pool._pool_spec
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer):
        raise TypeError(f"{spec.task_id}: steps must be an integer, not {type(steps).__name__}")
    if steps < 1:
        raise ValueError(f"{spec.task_id}: steps is {steps}; it must be at least 1")
    if spec.config["autoreset_mode"] == "disabled":
        raise ValueError(f"{spec.task_id}: {name} needs autoreset_mode='next_step' or 'same_step'")


def check_for_rollout(pool: Any, steps: Any) -> None:
    """check(), and ValueError if the rows of a step do not come together, each in its place."""
    check(pool, steps, "a Rollout")
    spec, other = pool._pool_spec, "; parallel_pool.Trajectories takes it"
    if pool.is_async:
        raise ValueError(
            f"{spec.task_id}: a Rollout needs a sync pool; batch_size is "
            f"{spec.config['batch_size']} of {pool.num_envs} envs{other}"
        )
    if spec.setup.most_players > 0 and not spec.setup.has_constant_players:
        raise ValueError(f"{spec.task_id}: a Rollout cannot have players that come and go{other}")


def _check_observations(pool: Any, name: str) -> None:
    """ValueError if observations are no arrays, as those of some envs in Python with Gymnasium."""
    space = pool.single_observation_space
    for kind, has, becomes in (
        ("Tuple", has_tuples, "a dict with the keys 'item_0', 'item_1', ..."),
        ("text", _has_texts, "an array of UTF-8 bytes"),
    ):
        if has(space):
            raise ValueError(
                f"{pool._pool_spec.task_id}: {name} needs observations that are arrays, or dicts "
                f"of arrays; this observation space has a {kind}: give make_python() "
                f"env_type='gym', where it is {becomes}"
            )


def _has_texts(space: Any) -> bool:
    children = children_of(space)
    if children is not None:
        return any(map(_has_texts, children.values()))
    return space.dtype is not None and np.dtype(space.dtype).kind == "U"
