"""The vector env of gymnasium.make_vec("parallel_pool/...").

A class of its own: Gymnasium's wrappers expect the spaces of the whole batch, EnvPool's users those
of one env, and both use the same two names.
"""

from typing import Any

import gymnasium
from gymnasium.spaces import Space
from gymnasium.vector.utils import batch_space

from parallel_pool.python.apis.gymnasium_api import Pool
from parallel_pool.python.backend import Backend
from parallel_pool.python.errors import shaped
from parallel_pool.python.gymnasium_versions import IS_OLD
from parallel_pool.python.pools.base import open_envs
from parallel_pool.python.pools.pool import BasePool
from parallel_pool.python.pools.results import Batch, Reset
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
    `render` returns a tuple, texts are tuples of str, and infos have no "players": their rows are
    those of the envs, and libraries expect an array for each info.
    """

    texts_are_str = True

    def __init__(self, spec: Spec, native: Backend) -> None:
        """See open_envs()."""
        super().__init__(spec, native)
        self.observation_space: Space[Any] = batch_space(
            self.single_observation_space, self.num_envs
        )
        self.action_space: Space[Any] = batch_space(self.single_action_space, self.num_envs)

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

    def reset(self, *args: Any, **kwargs: Any) -> Reset:
        """Same as gymnasium_api.Pool.reset."""
        result: Reset = shaped(lambda: Pool.reset(self, *args, **kwargs), _without_players)
        return result

    def step(self, *args: Any, **kwargs: Any) -> Batch:
        """Same as gymnasium_api.Pool.step."""
        result: Batch = shaped(lambda: Pool.step(self, *args, **kwargs), _without_players)
        return result

    def recv(self, *args: Any, **kwargs: Any) -> Batch:
        """Same as gymnasium_api.Pool.recv."""
        result: Batch = shaped(lambda: Pool.recv(self, *args, **kwargs), _without_players)
        return result

    def render(self, env_ids: Any = None) -> tuple[Any, ...] | None:
        """Same as BasePool.render, one picture (or str) for each env, in a tuple."""
        shown = BasePool.render(self, env_ids)
        return None if shown is None else tuple(shown)


def _without_players(*result: Any) -> Any:
    """The result without the infos of players."""
    result[-1].pop("players", None)
    return result
