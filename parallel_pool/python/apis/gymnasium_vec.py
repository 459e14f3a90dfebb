"""The vector env of gymnasium.make_vec("parallel_pool/...").

A class of its own: Gymnasium's wrappers expect the spaces of the whole batch, EnvPool's users those
of one env, and both use the same two names.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Space
from gymnasium.vector.utils import batch_space

from parallel_pool.python.apis.gymnasium_api import Pool
from parallel_pool.python.backend import Backend
from parallel_pool.python.gymnasium_versions import IS_OLD
from parallel_pool.python.options.seeds import seeds_of
from parallel_pool.python.pools.base import open_envs
from parallel_pool.python.pools.pool import BasePool
from parallel_pool.python.pools.results import Reset
from parallel_pool.python.specs.registry import make_spec
from parallel_pool.python.specs.spec import Spec


def make_vec_env(task_id: str = "", **kwargs: Any) -> "VectorEnv":
    """The entry point of gymnasium.make_vec(): has make()'s keywords and raises its errors.

    Without `seed` the system draws one, as for Gymnasium's own vector envs.

    Raises:
        RuntimeError: Gymnasium is older than 1.1. It passes no task id.
    """
    if IS_OLD:
        raise RuntimeError(
            f"gymnasium.make_vec() needs Gymnasium 1.1 or newer for pools, not "
            f"{gymnasium.__version__}: parallel_pool.make() makes the same pool"
        )
    return open_envs(VectorEnv, make_spec(task_id, **kwargs).with_own_seed())


class VectorEnv(Pool):
    """A sync pool for the wrappers of gymnasium.wrappers.vector.

    It differs from its base: `observation_space` and `action_space` are those of the whole batch,
    `render` returns a tuple, texts are tuples of str, and `np_random_seed` has the envs' seeds.
    """

    texts_are_str = True

    def __init__(self, spec: Spec, native: Backend) -> None:
        """See open_envs()."""
        super().__init__(spec, native)
        self.observation_space: Space[Any] = batch_space(
            self.single_observation_space, self.num_envs
        )
        self.action_space: Space[Any] = batch_space(self.single_action_space, self.num_envs)
        self._seeds: list[int] = seeds_of(spec.task_id, spec.config["seed"], self.num_envs)

    @classmethod
    def check(cls, spec: Spec) -> None:
        """ValueError unless batches have one row for each env."""
        config = spec.config
        if config["batch_size"] != config["num_envs"]:
            raise ValueError(
                f"{spec.task_id}: batch_size is {config['batch_size']}; Gymnasium's vector envs "
                f"step all envs: allowed are 0 and num_envs = {config['num_envs']} "
                "(parallel_pool.make() gives async pools)"
            )
        if any(array.players for array in (*spec.state_arrays, *spec.action_arrays)):
            raise ValueError(
                f"{spec.task_id}: it has arrays with a row for each player, and Gymnasium's vector "
                "envs have one for each env: use parallel_pool.make()"
            )

    def reset(
        self,
        env_id: Any = None,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> Reset:
        """Same as gymnasium_api.Pool.reset; remembers the seeds for `np_random_seed`."""
        result = super().reset(env_id, seed=seed, options=options)
        if seed is not None:
            ids = range(self.num_envs) if env_id is None else np.atleast_1d(env_id).tolist()
            mask = (options or {}).get("reset_mask", [True] * len(ids))
            for i, given, resets in zip(
                ids, seeds_of(self._pool_spec.task_id, seed, len(ids)), mask, strict=True
            ):
                if resets:
                    self._seeds[i] = given
        return result

    def render(self, env_ids: Any = None) -> tuple[Any, ...] | None:
        """Same as BasePool.render, one picture (or str) for each env, in a tuple."""
        shown = BasePool.render(self, env_ids)
        return None if shown is None else tuple(shown)

    @property  # type: ignore[misc]
    def np_random(self) -> Any:
        """AttributeError: the envs draw random numbers in C++, not from a Python generator."""
        raise AttributeError(
            f"{self._pool_spec.task_id}: its random numbers are drawn in C++, from NumPy's "
            "default_rng(seed) of each env: reset(seed=...) restarts them, save() keeps them"
        )

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The last seed of each env's random numbers, as in SyncVectorEnv."""
        return tuple(self._seeds)
