"""make_python(): pools of envs that are written in Python."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from parallel_pool.python.apis import gymnasium_vec
from parallel_pool.python.apis.kinds import class_of
from parallel_pool.python.pools.base import open_envs
from parallel_pool.python.specs.gymnasium_ids import register_id
from parallel_pool.python.specs.spec import Spec

if TYPE_CHECKING:
    from parallel_pool.python.apis.make import AutoresetMode, EnvType, RewardDtype
    from parallel_pool.python_envs.envs import Source
    from parallel_pool.python_envs.pool import DmPool, GymnasiumPool, GymPool

    EnvKwargs = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None

register_id("python", "parallel_pool.python_envs.make_python:make_vec_env")

# The overloads name all options.


@overload
def make_python(
    env: Source | Sequence[Source] | Spec,
    num_envs: int | None = ...,
    batch_size: int = ...,
    num_workers: int | None = ...,
    *,
    env_type: Literal["gymnasium"] = ...,
    env_kwargs: EnvKwargs = ...,
    seed: int | Sequence[int] | None = ...,
    autoreset_mode: AutoresetMode = ...,
    max_episode_steps: int | None = ...,
    start_method: str = ...,
    step_timeout: float = ...,
    restart: bool = ...,
    info_bytes: int = ...,
    render_mode: str | None = ...,
    reward_dtype: RewardDtype = ...,
    pin_memory: bool = ...,
    **options: Any,
) -> GymnasiumPool: ...
@overload
def make_python(
    env: Source | Sequence[Source] | Spec,
    num_envs: int | None = ...,
    batch_size: int = ...,
    num_workers: int | None = ...,
    *,
    env_type: Literal["gym"],
    env_kwargs: EnvKwargs = ...,
    **options: Any,
) -> GymPool: ...
@overload
def make_python(
    env: Source | Sequence[Source] | Spec,
    num_envs: int | None = ...,
    batch_size: int = ...,
    num_workers: int | None = ...,
    *,
    env_type: Literal["dm"],
    env_kwargs: EnvKwargs = ...,
    **options: Any,
) -> DmPool: ...
def make_python(
    env: Any,
    num_envs: int | None = None,
    batch_size: int = 0,
    num_workers: int | None = None,
    *,
    env_type: EnvType = "gymnasium",
    env_kwargs: Any = None,
    **options: Any,
) -> Any:
    """A pool of any Python envs, which run in worker processes or in this process.

    The pool is one as make() gives: sync or async, partial resets, three autoreset modes, EnvError,
    save() and load(), render(). Results are those of gymnasium.vector.SyncVectorEnv, bit for bit,
    for any number of workers, if rewards are float64; infos are in its arrays with masks.

    Args:
        env: a Gymnasium id or EnvSpec; or a class or function (also a lambda) that makes a
            gymnasium.Env or a pettingzoo.ParallelEnv; or a list with one for each env. All envs
            need the same spaces: Box, Discrete, MultiBinary, MultiDiscrete, Text (of observations),
            and Dict and Tuple of these. Or a spec of make_python_spec().
        num_envs: envs of the pool; None: as many as `env` lists, or 1.
        batch_size: rows that recv() returns; 0 means num_envs (sync).
        num_workers: processes that step the envs; None: as many as cores can be used. 0: this
            process steps them in the calling thread, one after another. That is fastest if a step
            takes a few us, and breakpoints, profilers and prints of the envs work as in a loop.
            Envs that wait, such as for a network, are fastest with a worker each. Windows has no
            worker processes: 0 is the default and the only number there.
        env_type: the API of the pool: "gymnasium", "gym" or "dm".
        env_kwargs: keywords of `env`; a list has a dict for each env.
        **options:

            - seed=42: env i's first reset gets seed + i. A list has one for each env; None: drawn
              by the system.
            - autoreset_mode="next_step", "same_step" or "disabled", or Gymnasium's AutoresetMode.
            - max_episode_steps: the time limit in steps; None: that of the Gymnasium id, if any.
            - start_method="forkserver", "spawn" or "fork".
            - step_timeout=0.0: a worker whose env takes longer for a step or a reset, in seconds,
              is ended. 0: no limit.
            - close_timeout=60.0: the longest time in seconds that close() waits for the envs' own
              close(), such as for films that they write; then it ends them. 0: no limit.
            - child_timeout=1.0: the longest time in seconds that processes which envs have started
              go on after the envs' close(); then they are ended, with a warning that names them.
            - restart=True: workers that end are started again, at most 3 times in a minute; then,
              or with False, the pool is closed.
            - info_bytes=4096: room for the pickled info of a step.
            - render_mode: given to `env` if it takes one; None: that of the envs.
            - render_env_id, reward_dtype, reward_threshold, pin_memory,
              record_episode_statistics: as of make().
            - per_env: {"max_episode_steps": [100, 200]}, a value for each env.

    Raises:
        TypeError: `env` is nothing of that, an unknown option, or a value of the wrong type.
        ValueError: an option that is not allowed, an env that cannot be built, or a space that a
            pool cannot have.
    """
    kind = class_of(env_type)
    of_kind = {}
    if env_type == "gym":
        of_kind["gym_reset_return_info"] = options.pop("gym_reset_return_info", True)
    if isinstance(env, Spec):
        given = {"num_envs": num_envs, "batch_size": batch_size, "num_workers": num_workers}
        given |= {"batch_size": batch_size or None, "env_kwargs": env_kwargs or None}
        given = {n: v for n, v in given.items() if v is not None} | options
        if given:
            raise TypeError(
                f"{env.task_id}: the spec has all options already; give {', '.join(given)} to "
                "make_python_spec()"
            )
        return open_envs(kind, env, **of_kind)
    with _built(env, num_envs, batch_size, num_workers, env_kwargs, options) as spec:
        return open_envs(kind, spec, **of_kind)


def make_python_spec(
    env: Source | Sequence[Source],
    num_envs: int | None = None,
    batch_size: int = 0,
    num_workers: int | None = None,
    *,
    env_kwargs: EnvKwargs = None,
    **options: Any,
) -> Spec:
    """The spaces and options of make_python(), which takes the result as its first argument.

    It builds the envs once, and closes them before it returns. It has make_python()'s
    keywords but `env_type`, and raises its errors.
    """
    with _built(env, num_envs, batch_size, num_workers, env_kwargs, options) as spec:
        return spec


def make_vec_env(env: Any, **kwargs: Any) -> gymnasium_vec.VectorEnv:
    """The entry point of gymnasium.make_vec("parallel_pool/python", env=...).

    Without `seed` the system draws one, as for Gymnasium's own vector envs.
    """
    own: dict[str, Any] = {
        "num_envs": None,
        "batch_size": 0,
        "num_workers": None,
        "env_kwargs": None,
    }
    own |= {name: kwargs.pop(name) for name in own if name in kwargs}
    with _built(env, options={"seed": None} | kwargs, **own) as spec:
        return open_envs(gymnasium_vec.VectorEnv, spec)


@contextlib.contextmanager
def _built(
    env: Any,
    num_envs: int | None,
    batch_size: int,
    num_workers: int | None,
    env_kwargs: Any,
    options: dict[str, Any],
) -> Iterator[Spec]:
    """The spec of all arguments, whose envs are built; at the end those without a pool close."""
    # Most programs do not need it: the imports of processes take 8 ms.
    module = importlib.import_module("parallel_pool.python_envs.spec")
    own = {"num_envs": num_envs, "batch_size": batch_size or None, "num_workers": num_workers}
    given = {name: value for name, value in own.items() if value is not None} | options
    spec = module.build_spec(env, env_kwargs, given)
    try:
        yield spec
    finally:
        spec.source.release()
