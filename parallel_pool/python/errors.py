"""The error of an env that threw."""

from collections.abc import Callable
from typing import Any

from parallel_pool.core import _core


class EnvError(RuntimeError):
    """An env threw in a step or a reset; the other rows of its batch are valid.

    The failed envs' rows are zero with `truncated` set. Their next step resets these envs.

    Attributes:
        env_ids: the envs of this batch that threw.
        result: the value that the call would have returned.
    """

    def __init__(self, message: str, env_ids: list[int], result: Any) -> None:
        """Takes the first env's message, all failed envs and the call's result."""
        super().__init__(message)
        self.env_ids = env_ids
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles with all attributes."""
        return type(self), (str(self), self.env_ids, self.result)


class ReplayError(RuntimeError):
    """A replay has other results than the recorded run."""


def shaped(call: Callable[[], tuple[Any, ...]], shape: Callable[..., Any]) -> Any:
    """Returns shape(*call()); if an env threw, also applies `shape` to the error's result."""
    try:
        return shape(*call())
    except EnvError as error:
        error.result = shape(*error.result)
        raise


def closed_because(task_id: str, why: str) -> RuntimeError:
    """The error of a call of a pool that has closed itself."""
    return RuntimeError(f"{task_id}: the pool was closed: {why}")


_core.set_env_error(EnvError)
