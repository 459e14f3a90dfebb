"""Pools of Python envs: those of each API, which can also call the envs' own methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parallel_pool.python.apis import dm_api, gym_api, gymnasium_api, gymnasium_vec
from parallel_pool.python.arrays.tuples import has_tuples
from parallel_pool.python.specs.spec import Spec


class PythonEnvCalls:
    """The calls that only pools of Python envs have."""

    num_envs: int
    _native: Any
    _pool_spec: Any
    _checked_ids: Any
    _no_generator = "each env has a generator of its own: get_attr('np_random')"

    def get_attr(self, name: str, env_id: Any = None) -> tuple[Any, ...]:
        """An attribute of each env, or of what it wraps; an env in flight answers after its step.

        Args:
            name: the attribute.
            env_id: integers, shape (rows,); None: all envs.

        Raises:
            AttributeError: an env lacks it.
            RuntimeError: it cannot be pickled.
        """
        return self._request(env_id, "get", name)

    def set_attr(self, name: str, values: Any, env_id: Any = None) -> None:
        """Sets an attribute of each env; of an env in flight after its step.

        Args:
            name: the attribute.
            values: a list or tuple with a value for each env, or one value for all.
            env_id: integers, shape (rows,); None: all envs.

        Raises:
            RuntimeError: an env threw.
            TypeError: a value cannot be pickled.
            ValueError: there are more or fewer values than envs.
        """
        ids = self._ids(env_id)
        each = values if isinstance(values, list | tuple) else [values] * len(ids)
        if len(each) != len(ids):
            raise ValueError(
                f"{self._pool_spec.task_id}: {name!r} is given {len(each)} values; there are "
                f"{len(ids)} envs"
            )
        for env, value in zip(ids, each, strict=True):
            self._request([env], "set", name, value)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """call_envs() for all envs."""
        return self._request(None, "call", name, args, kwargs)

    def call_envs(self, env_id: Any, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of each env and returns a tuple of the results.

        An attribute that is no method is returned as it is. An env in flight answers after its
        step.

        Args:
            env_id: integers, shape (rows,); None: all envs.
            name: the method.
            *args: its arguments.
            **kwargs: its keywords.

        Raises:
            AttributeError: an env lacks the method.
            RuntimeError: it threw, or its result cannot be pickled.
            TypeError: an argument cannot be pickled.
        """
        return self._request(env_id, "call", name, args, kwargs)

    def _ids(self, env_id: Any) -> list[int]:
        ids: list[int] | None = self._checked_ids(env_id)
        if ids is None:
            raise ValueError(
                f"{self._pool_spec.task_id}: env_id is {env_id!r}; it must name envs from 0 to "
                f"{self.num_envs - 1}, each at most once"
            )
        return ids

    def _request(self, env_id: Any, what: str, name: str, *args: Any) -> tuple[Any, ...]:
        ids = self._ids(env_id)
        self._native.check_usable()
        try:
            return tuple(self._native.request(ids, what, name, *args))
        except ValueError as error:
            raise AttributeError(f"{self._pool_spec.task_id}: {error}") from None
        except (RuntimeError, TypeError) as error:
            raise type(error)(f"{self._pool_spec.task_id}: {error}") from None

    def __repr__(self) -> str:
        """The call of make_python() that makes such a pool, in short."""
        config = self._pool_spec.config
        names = ("num_envs", "batch_size", "num_workers", "seed")
        shown = ", ".join(f"{name}={config[name]!r}" for name in names)
        closed = " (closed)" if self._native.closed else ""
        return f"make_python({self._pool_spec.task_id!r}, {shown}){closed}"


class TupleSpaces(PythonEnvCalls):
    """A pool whose observations are tuples where their space is a Tuple, and str for a Text."""

    texts_are_str = True

    def _into(self, out: Any, call: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        if isinstance(out, dict) and "obs" in out and has_tuples(self._pool_spec.observation_space):
            raise ValueError(
                f"{self._pool_spec.task_id}: out has 'obs', but the observations are tuples: copy "
                "them from the result"
            )
        result: tuple[Any, ...] = super()._into(out, call)  # type: ignore[misc]
        return result


class GymnasiumPool(TupleSpaces, gymnasium_api.Pool):
    """A pool with Gymnasium's calls."""


class VectorEnv(TupleSpaces, gymnasium_vec.VectorEnv):
    """The vector env of gymnasium.make_vec("parallel_pool/python")."""


class GymPool(PythonEnvCalls, gym_api.Pool):
    """A pool with gym's calls."""


class DmPool(PythonEnvCalls, dm_api.Pool):
    """A pool with dm_env's calls."""

    @classmethod
    def check(cls, spec: Spec) -> None:
        """ValueError for same_step, or an array with a name that dm_env cannot have."""
        super().check(spec)
        try:
            spec.observation_spec()
        except ValueError as error:
            raise ValueError(
                f"{spec.task_id}: an observation has a name that dm_env cannot have: {error}"
            ) from None


# The class of pools of Python envs for an API's class of pools.
POOL_CLASSES: dict[type[Any], type[Any]] = {
    own.__bases__[1]: own for own in (GymnasiumPool, VectorEnv, GymPool, DmPool)
}
