"""Advantages and returns of rollouts, computed in C++ from rewards and values.

Arrays are NumPy arrays or torch tensors of the shape (steps, ...), one row for each step of all
envs, the first step first. Results have the shape, the dtype and the device of `value`. All
functions take the same arguments:

- `reward`: shape (steps, ...), what each step gave; it is converted to the dtype of `value`.
- `value`: shape (steps, ...), float32 or float64: of the observation before each step.
- `terminated`, `truncated`: shape (steps, ...), bool: what each step returned.
- `last_value`: shape (...): of the observation after the last step.
- `final_value`: shape (steps, ...): where `truncated`, the value of the episode's last observation,
  which same_step autoreset has in info["final_obs"]. None: the value of the next row, which is
  right with next_step autoreset, where the next row has that observation.
- `is_transition`: shape (steps, ...), bool: False where a row is no step of an episode, such as the
  row that begins an episode with next_step autoreset. Its results are 0. None: all are steps.
- `gamma`: the discount of a step.

V' below is the value after a step: 0 if the episode has terminated, and if it was truncated that of
its last observation. "Ended" is either of them. Sums have the order of the formulas, so NumPy gives
the same bits.

All functions raise TypeError for a wrong dtype and ValueError for a wrong shape or number.
"""

from typing import Any

import numpy as np

from parallel_pool.core import _core
from parallel_pool.learner.tensors import like, to_numpy


def gae(
    reward: Any,
    value: Any,
    terminated: Any,
    truncated: Any,
    last_value: Any,
    *,
    gamma: float = 0.99,
    gae_lambda: float = 0.95,
    final_value: Any = None,
    is_transition: Any = None,
) -> tuple[Any, Any]:
    """Generalized advantage estimation (Schulman et al. 2016): (advantage, target).

    `advantage[t] = reward + gamma V' - value + (gamma gae_lambda) advantage[t + 1]`, without the
    last term if ended; `target = advantage + value`, which the critic learns.

    Args:
        reward: see the module, as for all arrays here.
        value: of the observations.
        terminated: of each step.
        truncated: of each step.
        last_value: after the last step.
        gamma: the discount of a step, 0 to 1.
        gae_lambda: how much later errors count, 0 to 1.
        final_value: of the last observations of truncated episodes.
        is_transition: the rows that count.
    """
    rows = _Rows(
        reward, value, terminated, truncated, last_value, final_value, is_transition, gamma
    )
    rows.check_share("gae_lambda", gae_lambda)
    advantage, target = rows.empty(), rows.empty()
    rows.native.gae(gamma, gae_lambda, advantage, target)
    return rows.shown(advantage), rows.shown(target)


def lambda_returns(
    reward: Any,
    value: Any,
    terminated: Any,
    truncated: Any,
    last_value: Any,
    *,
    gamma: float = 0.99,
    lambda_: float = 0.95,
    final_value: Any = None,
    is_transition: Any = None,
) -> Any:
    """Returns of TD(lambda), as in Dreamer.

    `target[t] = reward + gamma ((1 - lambda_) V' + lambda_ target[t + 1])`, or with V' alone if
    ended. In the last row, target[t + 1] is V'.

    Args:
        reward: see the module, as for all arrays here.
        value: of the observations.
        terminated: of each step.
        truncated: of each step.
        last_value: after the last step.
        gamma: the discount of a step, 0 to 1.
        lambda_: the part of later returns, 0 to 1.
        final_value: of the last observations of truncated episodes.
        is_transition: the rows that count.
    """
    rows = _Rows(
        reward, value, terminated, truncated, last_value, final_value, is_transition, gamma
    )
    rows.check_share("lambda_", lambda_)
    target = rows.empty()
    rows.native.lambda_returns(gamma, lambda_, target)
    return rows.shown(target)


def n_step(
    reward: Any,
    value: Any,
    terminated: Any,
    truncated: Any,
    last_value: Any,
    n: int,
    *,
    gamma: float = 0.99,
    final_value: Any = None,
    is_transition: Any = None,
) -> Any:
    """Returns of up to `n` steps.

    With m <= n steps to the end of the episode or of the rollout, target[t] = reward[t] + gamma
    reward[t + 1] + ... + gamma^m V', where V' is that of the step t + m - 1.

    Args:
        reward: see the module, as for all arrays here.
        value: of the observations.
        terminated: of each step.
        truncated: of each step.
        last_value: after the last step.
        n: at least 1.
        gamma: the discount of a step, 0 to 1.
        final_value: of the last observations of truncated episodes.
        is_transition: the rows that count.
    """
    rows = _Rows(
        reward, value, terminated, truncated, last_value, final_value, is_transition, gamma
    )
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise TypeError(f"n must be an integer, not {type(n).__name__}")
    if n < 1:
        raise ValueError(f"n is {n}; it must be at least 1")
    target = rows.empty()
    rows.native.n_step(int(n), gamma, target)
    return rows.shown(target)


def vtrace(
    reward: Any,
    value: Any,
    terminated: Any,
    truncated: Any,
    last_value: Any,
    ratio: Any,
    *,
    gamma: float = 0.99,
    lambda_: float = 1.0,
    clip_rho: float = 1.0,
    clip_c: float = 1.0,
    final_value: Any = None,
    is_transition: Any = None,
) -> tuple[Any, Any]:
    """V-trace (Espeholt et al. 2018): (target, advantage).

    With `rho = min(clip_rho, ratio)` and `c = lambda_ min(clip_c, ratio)`:
    `error[t] = rho (reward + gamma V' - value) + gamma c error[t + 1]`, without the last term if
    ended. Then `target = value + error`, and
    `advantage[t] = rho (reward + gamma target[t + 1] - value)`, with V' in place of the next target
    if ended and in the last row.

    Args:
        reward: see the module, as for all arrays here.
        value: of the observations.
        terminated: of each step.
        truncated: of each step.
        last_value: after the last step.
        ratio: shape (steps, ...), the probability of the action by the policy that learns, divided
            by that of the policy that took it.
        gamma: the discount of a step, 0 to 1.
        lambda_: how much later errors count, 0 to 1.
        clip_rho: the most of rho, more than 0.
        clip_c: the most of c before `lambda_`, more than 0.
        final_value: of the last observations of truncated episodes.
        is_transition: the rows that count.
    """
    rows = _Rows(
        reward, value, terminated, truncated, last_value, final_value, is_transition, gamma
    )
    rows.check_share("lambda_", lambda_)
    for name, most in (("clip_rho", clip_rho), ("clip_c", clip_c)):
        if not most > 0:
            raise ValueError(f"{name} is {most}; it must be more than 0")
    target, advantage = rows.empty(), rows.empty()
    ratios = rows.numbers("ratio", ratio, rows.shape)
    rows.native.vtrace(ratios, gamma, lambda_, clip_rho, clip_c, target, advantage)
    return rows.shown(target), rows.shown(advantage)


class _Rows:
    """The arguments of all functions, checked, with the axes after the first one joined."""

    def __init__(
        self,
        reward: Any,
        value: Any,
        terminated: Any,
        truncated: Any,
        last_value: Any,
        final_value: Any,
        is_transition: Any,
        gamma: float,
    ) -> None:
        values = to_numpy(value)
        if values.dtype not in (np.float32, np.float64):
            raise TypeError(f"value is of {values.dtype}; it must be of float32 or float64")
        if values.ndim < 1 or values.size == 0:
            raise ValueError(f"value has shape {values.shape}; it must have rows: (steps, ...)")
        self._like = value
        self.shape = values.shape
        self._dtype = values.dtype
        self.check_share("gamma", gamma)
        kind: Any = _core.Rollout32 if values.dtype == np.float32 else _core.Rollout64
        self.native = kind(
            self.numbers("reward", reward, self.shape),
            self.numbers("value", values, self.shape),
            self.numbers("last_value", last_value, self.shape[1:]),
            None if final_value is None else self.numbers("final_value", final_value, self.shape),
            self._flags("terminated", terminated),
            self._flags("truncated", truncated),
            None if is_transition is None else self._flags("is_transition", is_transition),
        )

    @staticmethod
    def check_share(name: str, number: float) -> None:
        """ValueError if the number is not between 0 and 1."""
        if not 0 <= number <= 1:
            raise ValueError(f"{name} is {number}; it must be between 0 and 1")

    def numbers(self, name: str, given: Any, shape: tuple[int, ...]) -> Any:
        """An array of `shape`, in the dtype of the values."""
        array = to_numpy(given)
        if array.dtype.kind not in "fiu":
            raise TypeError(f"{name} is of {array.dtype}; it must be of numbers")
        return self._rows(name, array, shape).astype(self._dtype, copy=False)

    def _flags(self, name: str, given: Any) -> Any:
        array = to_numpy(given)
        if array.dtype != np.bool_:
            raise TypeError(f"{name} is of {array.dtype}; it must be of bool")
        return self._rows(name, array, self.shape)

    def _rows(self, name: str, array: Any, shape: tuple[int, ...]) -> Any:
        if array.shape != shape:
            raise ValueError(
                f"{name} has shape {array.shape}; it must be {shape}, as value has {self.shape}"
            )
        is_one = len(shape) < len(self.shape)  # a row, not one for each step
        return np.ascontiguousarray(array).reshape(-1 if is_one else (len(array), -1))

    def empty(self) -> Any:
        """An array for results."""
        return np.empty((self.shape[0], int(np.prod(self.shape[1:]))), self._dtype)

    def shown(self, result: Any) -> Any:
        """The array in the shape of `value`, and as what `value` is."""
        return like(self._like, result.reshape(self.shape))
