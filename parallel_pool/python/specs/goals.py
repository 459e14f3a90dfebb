"""Rewards of goals, as Gymnasium's GoalEnv computes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from parallel_pool.python.specs import transforms

Judged = tuple[Any, Any, Any]


class Goals:
    """The methods of a GoalEnv, for any number of goals in one call: of specs, pools and envs.

    A learner that replays a step with another goal (HER) asks for the step's reward.
    """

    @property
    def _goal_spec(self) -> Any:
        """The spec of the task."""
        raise NotImplementedError

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any = None) -> Any:
        """The reward of a step that achieves `achieved_goal` where `desired_goal` is wanted.

        Args:
            achieved_goal: numbers, shape (..., size of a goal).
            desired_goal: the same shape.
            info: ignored, as in the tasks that have goals.

        Returns:
            The reward before transforms such as clip_reward, shape (...), of the dtype that
            `reward_dtype` names.

        Raises:
            ValueError: the task has no goals, the goals have another shape, or observations are
                normalized, and so are the goals in them.
        """
        reward = self._judged("compute_reward", achieved_goal, desired_goal)[0]
        return reward.astype(self._goal_spec.config["reward_dtype"])[()]

    def compute_terminated(self, achieved_goal: Any, desired_goal: Any, info: Any = None) -> Any:
        """Whether such a step ends the episode, bool (...); see compute_reward()."""
        return self._judged("compute_terminated", achieved_goal, desired_goal)[1][()]

    def compute_truncated(self, achieved_goal: Any, desired_goal: Any, info: Any = None) -> Any:
        """Whether a limit of the goal's cuts the episode, bool (...); not the time limit."""
        return self._judged("compute_truncated", achieved_goal, desired_goal)[2][()]

    def _judged(self, method: str, achieved_goal: Any, desired_goal: Any) -> Judged:
        spec = self._goal_spec
        what = f"{spec.task_id}: {method}()"
        size = spec.setup.goal_size
        if size == 0:
            raise ValueError(
                f"{what}: the task has no goals; tasks whose observation has an 'achieved_goal' "
                "have, such as PointMaze_UMaze-v3"
            )
        if transforms.changes_bounds(spec.config):
            raise ValueError(
                f"{what}: normalize_observation or clip_observation changes the goals in "
                "observations; leave it out"
            )
        achieved, desired = (np.asarray(goal, np.float64) for goal in (achieved_goal, desired_goal))
        if achieved.shape != desired.shape or achieved.shape[-1:] != (size,):
            raise ValueError(
                f"{what}: achieved_goal has the shape {achieved.shape} and desired_goal "
                f"{desired.shape}; both must be (..., {size})"
            )
        judged = spec.setup.judge_goals(achieved.reshape(-1, size), desired.reshape(-1, size))
        return tuple(array.reshape(achieved.shape[:-1]) for array in judged)
