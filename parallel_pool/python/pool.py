"""Common parts of the pools of all three APIs."""

import abc
import atexit
import functools
import sys
import weakref
from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np

from parallel_pool.python import states
from parallel_pool.python.config import reset_values, seeds_of
from parallel_pool.python.errors import shaped
from parallel_pool.python.native import Backend, open_native
from parallel_pool.python.out import Outputs, fill
from parallel_pool.python.registry import make_spec, registry
from parallel_pool.python.spec import Spec

_live: "weakref.WeakSet[BasePool]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Joins all workers before the interpreter finalizes."""
    for pool in list(_live):
        pool.close()


class _PoolType(abc.ABCMeta):
    """The type of the pools' classes: if Stable-Baselines3 is in use, their repr names its adapter.

    SB3 refuses an object that is no gymnasium.Env with an error that shows only its class. So the
    class has to name the adapter.
    """

    def __repr__(cls) -> str:
        name = super().__repr__()
        if "stable_baselines3" not in sys.modules:
            return name
        return f"{name} (for Stable-Baselines3: parallel_pool.integrations.sb3.VecEnv(task_id))"


class BasePool(metaclass=_PoolType):
    """Many envs of one task.

    A pool is sync if `batch_size == num_envs`: each `send`, `step` or `reset` gives one batch with
    its rows in the order sent. Otherwise it is async: `recv` gives the `batch_size` rows that were
    finished first. Returned arrays belong to the caller: no later call writes to them.
    """

    env_type: str
    render_mode: str | None

    def __init__(self, spec: Spec, native: Backend) -> None:
        """A pool of the envs that `native` runs; open_pool() makes both."""
        self.num_envs: int = spec.config["num_envs"]
        self.render_mode = spec.config["render_mode"]
        self._pool_spec = spec
        self._native = native
        _live.add(self)

    @classmethod
    def check(cls, spec: Spec) -> None:
        """ValueError if pools of this class cannot have such options; nothing is built yet."""

    @property
    def config(self) -> dict[str, Any]:
        """Every option of make() with its value."""
        return dict(self._pool_spec.config)

    @property
    def all_env_ids(self) -> np.ndarray[Any, Any]:
        """0 .. num_envs - 1, int32."""
        return np.arange(self.num_envs, dtype=np.int32)

    @property
    def is_async(self) -> bool:
        """Whether recv returns fewer rows than there are envs."""
        return bool(self._pool_spec.config["batch_size"] != self.num_envs)

    @property
    def reward_threshold(self) -> float | None:
        """The return that counts as solved, or None."""
        return self._pool_spec.reward_threshold

    def send(self, action: Any, env_id: Any = None) -> None:
        """Sends each env its action; returns at once.

        Args:
            action: one row for each env of `env_id`: an array or a list; a dict of them if the
                action space is a Dict, its keys nested or joined by dots. It is copied. An array
                that is per player has a row for each player that the user received last: those of
                env_id[0], then of env_id[1], ... (before that, the most players of an env).
                A dict may also contain "env_id", instead of the argument or equal to it, and
                "players.env_id", the env of each of these rows, which is checked.
            env_id: integers, shape (rows,), each at most once, or one integer, whose action may
                come without the axis of the rows; None: all envs.

        Raises:
            ValueError: a wrong shape or value, an env that is unknown, given twice or in flight.
            TypeError: a wrong dtype. After any error nothing was sent.
        """
        self._native.send(action, env_id)

    def async_reset(self) -> None:
        """Sends every env a reset; recv() returns the first observations."""
        self._native.send_reset(None, None)

    def save(self, env_id: Any = None) -> bytes:
        """The state of idle envs, random numbers and elapsed steps included.

        Args:
            env_id: integers, shape (rows,), or one integer; None: all envs.

        Raises:
            ValueError: an env is in flight or unknown, or the task cannot save.
        """
        return states.pack(self._pool_spec, self._native.save(env_id))

    def load(self, data: bytes, env_id: Any = None) -> None:
        """Puts idle envs into saved states; they continue from there, bit for bit.

        Args:
            data: the result of save(), of this pool or another one of the same task and options.
            env_id: as many envs as were saved, in the same order; None: all envs.

        Raises:
            ValueError: the data is damaged or of another task, options or number of envs, or an
                env is in flight or unknown. Nothing was changed.
        """
        count = self.num_envs if env_id is None else int(np.size(env_id))
        self._native.load(states.unpack(self._pool_spec, data, count), env_id)

    def render(self, env_ids: Any = None) -> Any:
        """Pictures of idle envs as they are now.

        Args:
            env_ids: integers, shape (rows,), or one integer; None: all envs, or the one of make()'s
                `render_env_id`.

        Returns:
            One row for each of `env_ids`, in their order. With render_mode="rgb_array", a new array
            of uint8, shape (rows, height, width, 3), as in EnvPool; tuple(env.render()) is the
            tuple of SyncVectorEnv. With "ansi", a tuple of str.

        Raises:
            RuntimeError: made without `render_mode`, or an env cannot draw itself.
            ValueError: an env is unknown, given twice, in flight or was never reset.
        """
        if self.render_mode is None:
            modes = self._pool_spec.task.render_modes
            how = (
                f"; allowed are {', '.join(map(repr, modes))}" if modes else ", if the task had any"
            )
            raise RuntimeError(
                f"{self._pool_spec.task_id}: render() needs a render_mode given to make(){how}"
            )
        if env_ids is None:
            env_ids = self._pool_spec.config["render_env_id"]
        if self.render_mode == "ansi":
            return self._native.render_text(env_ids)
        return self._native.render(env_ids)

    def get_action_meanings(self) -> list[str]:
        """The name of each action, as of ALE's envs: ["NOOP", "FIRE", "RIGHT", "LEFT"].

        Raises:
            ValueError: the task has no such names (spec.action_meanings is None).
        """
        spec = self._pool_spec
        if spec.action_meanings is None:
            raise ValueError(f"{spec.task_id}: its actions have no names: {spec.action_space}")
        return list(spec.action_meanings)

    def close(self, **kwargs: Any) -> None:
        """Joins the threads and frees the envs; may be called again. Arrays stay valid."""
        self._native.close()

    @functools.cached_property
    def _outputs(self) -> Outputs:
        return Outputs(self._pool_spec)

    def _into(self, out: Any, call: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        """The result of `call`, copied into the arrays of `out`, which are checked before."""
        self._outputs.check(out)
        result: tuple[Any, ...] = shaped(call, functools.partial(fill, out))
        return result

    def _reset(self, env_id: Any, seed: Any, options: dict[str, Any] | None) -> tuple[Any, ...]:
        own = dict(options or {})
        mask = self._reset_mask(env_id, own.pop("reset_mask", None))
        values = reset_values(self._pool_spec.task, own)
        seeds = None
        if seed is not None:
            count = self.num_envs if env_id is None else int(np.size(env_id))
            seeds = seeds_of(self._pool_spec.task_id, seed, count)
        return self._native.reset(env_id, seeds, mask, values)

    def _reset_mask(self, env_id: Any, given: Any) -> list[bool] | None:
        task_id = self._pool_spec.task_id
        if given is None:
            return None
        mask = np.asarray(given)
        if mask.dtype != np.bool_:
            raise TypeError(f"{task_id}: reset_mask must be of bool, not of {mask.dtype}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"{task_id}: reset_mask has shape {mask.shape} and {mask.sum()} times True; "
                f"it must have shape ({self.num_envs},) and at least one"
            )
        if env_id is not None or self.is_async:
            raise ValueError(
                f"{task_id}: reset_mask is for all envs of a sync pool; name others by env_id"
            )
        resets: list[bool] = mask.tolist()
        return resets

    def __len__(self) -> int:
        """The number of envs."""
        return self.num_envs

    def __enter__(self) -> Self:
        """Returns itself; the end of a `with` block closes the pool."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Closes the pool."""
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies as a new pool from the same arguments."""
        spec = self._pool_spec
        return make_again, (type(self), spec.task_id, spec.library, spec.config, {})

    def __repr__(self) -> str:
        """The call of make() that makes such a pool, in short."""
        config = self._pool_spec.config
        shown = ", ".join(
            f"{name}={config[name]!r}" for name in ("num_envs", "batch_size", "num_threads", "seed")
        )
        closed = " (closed)" if self._native.closed else ""
        return f"make({self._pool_spec.task_id!r}, env_type={self.env_type!r}, {shown}){closed}"


AnyPool = TypeVar("AnyPool", bound=BasePool)


def open_pool(kind: type[AnyPool], spec: Spec, **own: Any) -> AnyPool:
    """Builds the envs of `spec` and a pool of the class `kind` over them.

    Args:
        kind: the class, such as parallel_pool.python.gymnasium_api.Pool.
        spec: the task with its options.
        **own: further arguments of the class.

    Raises:
        ValueError: the class cannot have these options, or an env cannot be built.
        MemoryError: there is no memory for so many envs.
    """
    kind.check(spec)
    return kind(spec, open_native(spec, with_timing=kind.env_type == "dm"), **own)


def make_again(
    kind: type[AnyPool],
    task_id: str,
    library: str | None,
    config: dict[str, Any],
    own: dict[str, Any],
) -> AnyPool:
    """open_pool() for unpickling; RuntimeError if the task's library is not loaded here."""
    if library is not None and task_id not in registry().tasks:
        raise RuntimeError(
            f"this process does not know the task {task_id!r}: "
            f"call parallel_pool.load({library!r}) before unpickling a pool of it"
        )
    return open_pool(kind, make_spec(task_id, **config), **own)
