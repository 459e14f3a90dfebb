"""Pools as gymnasium.vector.VectorEnv."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from parallel_pool.python.apis.gym_base import GymApi
from parallel_pool.python.backend import Backend
from parallel_pool.python.errors import shaped
from parallel_pool.python.gymnasium_versions import AutoresetMode, VectorEnv
from parallel_pool.python.options.option import suggest_option
from parallel_pool.python.options.seeds import seeds_of
from parallel_pool.python.pools.pool import BasePool
from parallel_pool.python.pools.results import Reset
from parallel_pool.python.specs.spec import Spec


class Frames(np.ndarray[Any, Any]):
    """An array of pictures, one for each env, that passes for a Sequence of frames.

    gymnasium.wrappers.vector.RecordVideo takes nothing else.
    """


Sequence.register(Frames)


class Pool(GymApi, VectorEnv):
    """A pool with Gymnasium's calls, plus send, recv and `env_id` everywhere.

    `observation_space` and `action_space` are those of one env, the same objects as
    `single_observation_space` and `single_action_space`, because EnvPool's users and the libraries
    written for it expect that. For arrays that are per player, they are those of one player.
    `autoreset_mode` selects how an env is reset whose episode has ended:

    - "next_step": its next step resets it, ignores the action and has reward 0.
    - "same_step": it is reset at once. The row has the next episode's first observation;
      `info["final_obs"]` and `info["final_info"]` have the last one where the masks
      `info["_final_obs"]` and `info["_final_info"]` are set, and zeros elsewhere.
    - "disabled": a step of it is a ValueError; call `reset(env_id)` first.
    """

    env_type = "gymnasium"
    # The reason why there is no `np_random`.
    _no_generator = (
        "its random numbers are drawn in C++, from NumPy's default_rng(seed) of each env: "
        "reset(seed=...) restarts them, save() keeps them"
    )

    def __init__(self, spec: Spec, native: Backend) -> None:
        """See open_envs()."""
        super().__init__(spec, native, gymnasium.spaces)
        self.autoreset_mode: AutoresetMode = AutoresetMode[spec.config["autoreset_mode"].upper()]
        self.metadata["autoreset_mode"] = self.autoreset_mode
        seeds = seeds_of(spec.task_id, spec.config["seed"], self.num_envs)
        self._seeds = np.array(seeds, np.uint64)

    def reset(
        self,
        env_id: Any = None,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> Reset:
        """Begins new episodes: (obs, info), with rows as in recv(), in the order of `env_id`.

        Args:
            env_id: integers, shape (rows,), or one integer; None: all envs.
            seed: s reseeds row k with s + k; a list has one seed for each row; None: random
                numbers continue.
            options: {"reset_mask": bool array of shape (num_envs,)} resets these envs of a sync
                pool; the other rows repeat the envs' last observations. The task's own reset
                options, such as {"low": -0.1}, are keys next to it; they hold for this reset only.
                {"per_env": {"g": [9, 10]}} changes options of make() for the envs that it resets,
                a value for each row, for all episodes to come. Each is built again; its random
                numbers go on. An option that changes the env's spaces cannot change.

        Raises:
            ValueError: an env that is unknown, named twice or in flight; a bad seed or option.
        """
        result: Reset = shaped(
            lambda: self._reset(env_id, seed, options),
            lambda obs, reward, terminated, truncated, info: (obs, info),
        )
        if seed is not None:
            self._keep_seeds(env_id, seed, (options or {}).get("reset_mask"))
        return result

    def _keep_seeds(self, env_id: Any, seed: Any, mask: Any) -> None:
        """Keeps the seeds of a reset for `np_random_seed`."""
        ids = self.all_env_ids if env_id is None else np.atleast_1d(env_id)
        seeds = np.array(seeds_of(self._pool_spec.task_id, seed, len(ids)), np.uint64)
        is_reset = np.ones(len(ids), np.bool_) if mask is None else np.asarray(mask)
        self._seeds[ids[is_reset]] = seeds[is_reset]

    @property  # type: ignore[misc]
    def np_random(self) -> Any:
        """AttributeError: a pool has no generator of Python's, and its envs use none of it."""
        raise AttributeError(f"{self._pool_spec.task_id}: {self._no_generator}")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The last seed that make() or reset() gave to each env, as in SyncVectorEnv."""
        return tuple(self._seeds.tolist())

    def render(self, env_ids: Any = None) -> Any:
        """As BasePool.render; pictures are also a Sequence, for gymnasium.wrappers.vector."""
        shown = super().render(env_ids)
        return shown.view(Frames) if isinstance(shown, np.ndarray) else shown

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An option of make() or an attribute of the pool, as a tuple with one value for each env.

        Raises:
            AttributeError: there is no such option or attribute; the message has the nearest name.
        """
        config = self.config
        if name == "np_random_seed":  # has a value for each env already
            return self.np_random_seed
        if name in config and name not in config.get("per_env", {}):
            return (config[name],) * self.num_envs
        own = self._pool_spec.task_configs(self._envs)
        if all(name in options for options in own):
            return tuple(
                value
                for options in own
                for value in options["per_env"].get(name, [options[name]] * options["num_envs"])
            )
        try:
            return (getattr(self, name),) * self.num_envs
        except AttributeError:
            near = suggest_option(self._pool_spec.tasks[0].task_id, name, config)
            raise AttributeError(
                f"{self._pool_spec.task_id}: its envs have no attribute {name!r}{near}"
            ) from None

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """get_attr(name), or the envs' pictures if `name` is "render".

        Raises:
            AttributeError: another method; envs are no Python objects, the pool calls them.
        """
        if name == "render":
            shown = self.render(*args, **kwargs)
            return (None,) * self.num_envs if shown is None else tuple(shown)
        values = self.get_attr(name)
        if callable(values[0]):
            raise AttributeError(
                f"{self._pool_spec.task_id}: {name!r} is a method of the pool, not of its envs: "
                f"call env.{name}(...)"
            )
        return values

    def set_attr(self, name: str, values: Any) -> None:
        """AttributeError: the options of envs can change only when they are reset."""
        raise AttributeError(
            f"{self._pool_spec.task_id}: {name!r} cannot be set: an env's options are given to "
            "make(), or changed by reset(options={'per_env': {option: [a value for each env]}})"
        )

    def __repr__(self) -> str:
        """The call of make() that makes such a pool."""
        return BasePool.__repr__(self)

    def close(self, **kwargs: Any) -> None:
        """Joins the threads and frees the envs; may be called again. Arrays stay valid."""
        BasePool.close(self)
        self.closed = True
