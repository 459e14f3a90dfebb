"""The policy of evaluate(), with the arrays that it asks for."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

_START, _MASK, _GOAL = "episode_start", "action_mask", "goal"  # parameters of policies


class EvaluatedPolicy:
    """Calls a policy with observations, and with the arrays that its parameters name."""

    def __init__(self, task_id: str, policy: Callable[..., Any]) -> None:
        """`task_id` is for errors."""
        self._task_id = task_id
        self._policy = policy
        self._needs = _keywords(policy)

    def __call__(self, obs: Any, starts: npt.NDArray[np.bool_], info: Mapping[str, Any]) -> Any:
        """The actions of the policy.

        Args:
            obs: of all envs.
            starts: (num_envs,), whether an observation is the first of an episode.
            info: the infos of the same batch.

        Raises:
            ValueError: the policy needs masks of actions or goals, and the task has none.
        """
        arrays = {}
        if _START in self._needs:
            arrays[_START] = starts
        for name in (_MASK, _GOAL):
            if name in info and name in self._needs:
                arrays[name] = np.asarray(info[name])
            elif self._needs.get(name):
                known = ", ".join(sorted(name for name in info if name[0] != "_"))
                raise ValueError(
                    f"{self._task_id}: the policy has a parameter {name!r}, and the task has no "
                    f"such info; there are {known}"
                )
        if _MASK in arrays:
            mask = arrays[_MASK] != 0
            arrays[_MASK] = mask | ~mask.any(-1, keepdims=True)
        return self._policy(obs, **arrays)


def _keywords(policy: Callable[..., Any]) -> dict[str, bool]:
    """The known parameters of a policy but the first, and whether each must be given."""
    try:
        parameters = list(inspect.signature(policy).parameters.values())[1:]
    except (TypeError, ValueError):  # a function of a library in C
        return {}
    return {
        parameter.name: parameter.default is parameter.empty
        for parameter in parameters
        if parameter.name in (_START, _MASK, _GOAL) and parameter.kind != parameter.POSITIONAL_ONLY
    }
