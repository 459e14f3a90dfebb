"""Pools with the calls of gym 0.26; gym itself is optional."""

import contextlib
import importlib
import io
from types import ModuleType
from typing import Any

from parallel_pool.python.errors import shaped
from parallel_pool.python.pool import BasePool
from parallel_pool.python.spec import Spec


def _spaces() -> ModuleType:
    """gym.spaces where gym is installed, else gymnasium.spaces."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # gym's call to move to Gymnasium
            return importlib.import_module("gym.spaces")
    except ImportError:
        return importlib.import_module("gymnasium.spaces")


class Pool(BasePool):
    """A pool with gym's calls, plus send, recv and `env_id` everywhere.

    The spaces are one env's. `autoreset_mode` is that of
    parallel_pool.python.gymnasium_api.Pool.
    """

    env_type = "gym"
    reward_range = (-float("inf"), float("inf"))
    is_vector_env = True

    def __init__(self, spec: Spec, gym_reset_return_info: bool = False) -> None:
        """Builds the pool that `spec` describes."""
        super().__init__(spec)
        self.spec = spec
        self.metadata = {"render_modes": spec.task.render_modes, "render_fps": spec.render_fps}
        self.gym_reset_return_info = gym_reset_return_info
        spaces = _spaces()
        self.observation_space = self.single_observation_space = spec.observation_space_of(spaces)
        self.action_space = self.single_action_space = spec.action_space_of(spaces)

    @property
    def unwrapped(self) -> "Pool":
        """The pool itself, for gym's wrappers."""
        return self

    def reset(
        self,
        env_id: Any = None,
        *,
        seed: int | list[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> Any:
        """Begins new episodes: obs, or (obs, info) if made with gym_reset_return_info=True.

        Arguments and errors are those of parallel_pool.python.gymnasium_api.Pool.reset.
        """
        with_info = self.gym_reset_return_info
        return shaped(
            lambda: self._reset(env_id, seed, options),
            lambda obs, reward, terminated, truncated, info: (obs, info) if with_info else obs,
        )

    def step(
        self, action: Any, env_id: Any = None, *, out: dict[str, Any] | None = None
    ) -> tuple[Any, ...]:
        """send(action, env_id), then recv(out=out)."""
        if out is None:
            return self._native.step(action, env_id)
        return self._into(out, lambda: self._native.step(action, env_id))

    def recv(
        self, timeout: float | None = None, *, out: dict[str, Any] | None = None
    ) -> tuple[Any, ...]:
        """The next batch: (obs, reward, terminated, truncated, info).

        See parallel_pool.python.gymnasium_api.Pool.recv.
        """
        if out is None:
            return self._native.recv(timeout)
        return self._into(out, lambda: self._native.recv(timeout))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies as a new pool from the same arguments."""
        make, (*args, own) = super().__reduce__()
        return make, (*args, own | {"gym_reset_return_info": self.gym_reset_return_info})
