"""What goes wrong inside an env."""

from collections.abc import Callable
from typing import Any

from parallel_pool.core import _core


class EnvError(RuntimeError):
    """An env threw while it stepped or reset; the rest of its batch is whole.

    The failed envs' rows are zero with `truncated` set, and those envs reset at their next step.

    Attributes:
        env_ids: the envs of this batch that threw.
        result: what the call would have returned.
    """

    def __init__(self, message: str, env_ids: list[int], result: Any) -> None:
        """Takes the first env's message, all failed envs and the call's result."""
        super().__init__(message)
        self.env_ids = env_ids
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles with all attributes."""
        return type(self), (str(self), self.env_ids, self.result)


def shaped(call: Callable[[], tuple[Any, ...]], shape: Callable[..., Any]) -> Any:
    """shape(*call()); if an env threw, the error's result gets that shape, too."""
    try:
        return shape(*call())
    except EnvError as error:
        error.result = shape(*error.result)
        raise


_core.set_env_error(EnvError)
