"""Pools with the calls of gym 0.26; gym itself is optional."""

from collections.abc import Sequence
from typing import Any

from parallel_pool.python.apis.gym_base import GymApi
from parallel_pool.python.apis.gym_env import gym_spaces
from parallel_pool.python.backend import Backend
from parallel_pool.python.errors import shaped
from parallel_pool.python.specs.spec import Spec


class Pool(GymApi):
    """A pool with gym's calls, plus send, recv and `env_id` everywhere.

    The spaces are those of one env. `autoreset_mode` is that of
    parallel_pool.python.apis.gymnasium_api.Pool.
    """

    env_type = "gym"
    reward_range: tuple[float, float] = (-float("inf"), float("inf"))
    is_vector_env = True

    def __init__(self, spec: Spec, native: Backend, gym_reset_return_info: bool = True) -> None:
        """See open_envs()."""
        super().__init__(spec, native, gym_spaces())
        self.gym_reset_return_info = gym_reset_return_info

    @property
    def unwrapped(self) -> "Pool":
        """The pool itself, for gym's wrappers."""
        return self

    def reset(
        self,
        env_id: Any = None,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> Any:
        """Begins new episodes: (obs, info), or obs if made with gym_reset_return_info=False.

        Arguments and errors are those of parallel_pool.python.apis.gymnasium_api.Pool.reset.
        """
        with_info = self.gym_reset_return_info
        return shaped(
            lambda: self._reset(env_id, seed, options),
            lambda obs, reward, terminated, truncated, info: (obs, info) if with_info else obs,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies as a new pool from the same arguments."""
        make, (*args, own, statistics) = super().__reduce__()
        own = own | {"gym_reset_return_info": self.gym_reset_return_info}
        return make, (*args, own, statistics)
