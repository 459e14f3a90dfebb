"""LegacyGym: a pool with the calls of gym before 0.26."""

from collections.abc import Callable
from typing import Any

from parallel_pool.python.apis import dm_api
from parallel_pool.python.pools.pool import BasePool


class LegacyGym:
    """A pool for programs that expect gym's vector envs before 0.26, such as CleanRL's for EnvPool.

    `reset` returns only the observations. `step` returns (obs, reward, done, info), where `done` is
    "terminated or truncated". `info["TimeLimit.truncated"]` (bool, one for each row) is True where
    only the time limit is the reason. All other attributes are those of the pool, such as `send`,
    `close` and `config`; its spaces and `num_envs` may be set, for programs that do so.
    """

    is_vector_env = True

    def __init__(self, pool: BasePool) -> None:
        """Wraps a pool of make() with env_type "gym" or "gymnasium"; it is closed with the view.

        Raises:
            TypeError: `pool` is no such pool.
        """
        if not isinstance(pool, BasePool) or isinstance(pool, dm_api.Pool):
            raise TypeError(
                "LegacyGym needs a pool of parallel_pool.make() with env_type 'gym' or "
                f"'gymnasium', not {pool!r}"
            )
        self.pool = pool
        self.num_envs: int = pool.num_envs
        view: Any = pool
        self.metadata: dict[str, Any] = view.metadata
        self.reward_range: tuple[float, float] = (-float("inf"), float("inf"))
        self.single_observation_space: Any = view.single_observation_space
        self.observation_space: Any = self.single_observation_space
        self.single_action_space: Any = view.single_action_space
        self.action_space: Any = self.single_action_space

    def __getattr__(self, name: str) -> Any:
        """The attribute of the pool; AttributeError during unpickling, before there is a pool."""
        if name == "pool":
            raise AttributeError(name)
        return getattr(self.pool, name)

    @property
    def unwrapped(self) -> "LegacyGym":
        """The view itself: gym's wrappers end here."""
        return self

    def reset(self, env_id: Any = None, **kwargs: Any) -> Any:
        """Begins new episodes: the observations; arguments and errors are the pool's."""
        pool: Any = self.pool
        result = pool.reset(env_id, **kwargs)
        return result[0] if isinstance(result, tuple) else result

    def step(self, action: Any, env_id: Any = None) -> tuple[Any, Any, Any, dict[str, Any]]:
        """send(action, env_id), then recv()."""
        pool: Any = self.pool
        return _with_done(*pool.step(action, env_id))

    def recv(
        self, timeout: float | None = None, *, partial: bool = False
    ) -> tuple[Any, Any, Any, dict[str, Any]]:
        """The next batch: (obs, reward, done, info); arguments and errors are the pool's."""
        pool: Any = self.pool
        return _with_done(*pool.recv(timeout, partial=partial))

    def xla(self) -> tuple[Any, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
        """The pool's functions for programs of JAX; their batches are those of recv()."""
        handle, recv, send, step = self.pool.xla()

        def legacy(call: Callable[..., Any]) -> Callable[..., Any]:
            def called(*args: Any, **kwargs: Any) -> Any:
                handle, batch = call(*args, **kwargs)
                return handle, _with_done(*batch)

            return called

        return handle, legacy(recv), send, legacy(step)

    def __len__(self) -> int:
        """The number of envs."""
        return len(self.pool)

    def __enter__(self) -> "LegacyGym":
        """Returns itself; the end of a `with` block closes the pool."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Closes the pool."""
        self.pool.close()

    def __repr__(self) -> str:
        """The pool's call of make()."""
        return f"LegacyGym({self.pool!r})"


def _with_done(
    obs: Any, reward: Any, terminated: Any, truncated: Any, info: dict[str, Any]
) -> tuple[Any, Any, Any, dict[str, Any]]:
    info["TimeLimit.truncated"] = truncated & ~terminated
    return obs, reward, terminated | truncated, info
