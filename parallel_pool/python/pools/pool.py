"""Common parts of the pools of all three APIs."""

import contextlib
import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from parallel_pool.python.backend import Backend
from parallel_pool.python.errors import shaped
from parallel_pool.python.options.env_options import OptionsOfEnvs
from parallel_pool.python.options.seeds import seeds_of
from parallel_pool.python.pools import states
from parallel_pool.python.pools.base import Base
from parallel_pool.python.pools.out import Outputs, fill
from parallel_pool.python.specs.spec import Spec


class BasePool(Base):
    """Many envs of one task, or of several.

    A pool is sync if `batch_size == num_envs`: each `send`, `step` or `reset` gives one batch with
    its rows in the order sent. Otherwise it is async: `recv` gives the `batch_size` rows that were
    finished first. Returned arrays belong to the caller: no later call writes to them.
    """

    def __init__(self, spec: Spec, native: Backend) -> None:
        """A pool of the envs that `native` runs; open_envs() makes both."""
        super().__init__(spec, native)
        self.num_envs: int = spec.config["num_envs"]

    @property
    def tasks(self) -> tuple[Spec, ...]:
        """The tasks, each with its options; info["task_id"] of several is an index into them."""
        return self._pool_spec.tasks

    @property
    def all_env_ids(self) -> np.ndarray[Any, Any]:
        """0 .. num_envs - 1, int32."""
        return np.arange(self.num_envs, dtype=np.int32)

    @property
    def is_async(self) -> bool:
        """Whether recv returns fewer rows than there are envs."""
        return bool(self._pool_spec.config["batch_size"] != self.num_envs)

    @property
    def in_flight(self) -> int:
        """The number of envs that were sent an action or a reset and not received yet."""
        return self._native.in_flight

    def send(self, action: Any, env_id: Any = None) -> None:
        """Sends each env its action; returns at once.

        Args:
            action: one row for each env of `env_id`: an array or a list; a dict of them if the
                action space is a Dict, its keys nested or joined by dots. It is copied. An array
                that is per player has a row for each player that the user received last: those of
                env_id[0], then of env_id[1], ... (before that, the most players of an env).
                A dict may also contain "env_id", instead of the argument or equal to it, and
                "players.env_id", the env of each of these rows, which is checked. Arrays of players
                may stand there, too: {"players": {"env_id": ..., "action": ...}}.
            env_id: integers, shape (rows,), each at most once, or one integer, whose action may
                come without the axis of the rows; None: all envs.

        Raises:
            ValueError: a wrong shape or value, an env that is unknown, given twice or in flight.
            TypeError: a wrong dtype. After any error nothing was sent.
        """
        self._native.send(action, env_id)

    def async_reset(self) -> None:
        """Sends every env a reset; recv() returns the first observations.

        An async pool drops what is in flight.
        """
        self._warn_without_statistics()
        self._native.send_reset(None, None)

    def queue(
        self, env_id: Any = None, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> None:
        """Sets how the next episode of idle envs begins, also if autoreset begins it.

        It holds for one reset. The next call for an env, a reset() with arguments of its own and
        load() take its place. A life that is lost begins no episode here: the game must be over.

        Args:
            env_id: integers, shape (rows,), or one integer; None: all envs.
            seed: s seeds row k with s + k; a list has one seed for each row; None: random numbers
                continue.
            options: those of reset(): the task's own, such as {"low": -0.1}, and {"per_env":
                {"size": [8, 9]}}, options of make() with a value for each row, for all episodes to
                come.

        Raises:
            ValueError: an env that is unknown, named twice or in flight; a bad seed or option.
                Nothing was changed.
            RuntimeError: a pool of Ray.
        """
        own = dict(options or {})
        if "reset_mask" in own:
            raise ValueError(f"{self._pool_spec.task_id}: queue() has no reset_mask; name the envs")
        per_env = own.pop("per_env", None)
        values = self._pool_spec.source.reset_values(own)
        count = self.num_envs if env_id is None else int(np.size(env_id))
        seeds = None
        if seed is not None:
            seeds = seeds_of(self._pool_spec.task_id, seed, count)
        ids = self._checked_ids(env_id)
        now = self._envs
        new = now if self._queued is None or ids is None else self._queued.taking(now, ids)
        if per_env is not None and ids is not None:
            new = new.changed(ids, per_env)
        native = new.native() if self._queued is not None or per_env is not None else []
        of_each = [native[env] for env in ids] if native and ids is not None else []
        self._native.queue(env_id, seeds, values, of_each)
        if of_each:
            self._queued = new

    def load(self, data: bytes, env_id: Any = None) -> None:
        """Puts idle envs into saved states; they continue from there, bit for bit.

        Args:
            data: the result of save(), of this pool or another one of the same task and options.
            env_id: as many envs as were saved, in the same order; None: all envs, and if save() was
                of all envs, too, statistics() and the random numbers of sample_actions().

        Raises:
            ValueError: the data is damaged or of another task, options or number of envs, or an
                env is in flight or unknown. Nothing was changed.
        """
        count = self.num_envs if env_id is None else int(np.size(env_id))
        ids = self._checked_ids(env_id)
        if ids is None:  # the engine refuses them
            return self._native.load([b""] * count, env_id, [])
        saved, new, more = states.unpack(self._envs, data, ids)
        if new.differ:
            with self._new_options(new, ids) as options_of_each:
                self._native.load(saved, env_id, options_of_each)
        else:
            self._native.load(saved, env_id, [])
        if any(more.queued):
            queued = more.queued_options(self._envs, ids)
            native = queued.native()
            self._native.load_queued(
                more.queued, env_id, [native[env] for env in ids] if native else []
            )
            self._queued = queued if native else None
        if env_id is None:
            self._load_saved(more)

    def render(self, env_ids: Any = None) -> Any:
        """Pictures of idle envs as they are now.

        Args:
            env_ids: integers, shape (rows,), or one integer; None: all envs, or the one of make()'s
                `render_env_id`.

        Returns:
            One row for each of `env_ids`, in their order. With render_mode="rgb_array", a new array
            of uint8, shape (rows, height, width, 3), as in EnvPool; tuple(env.render()) is the
            tuple of SyncVectorEnv. With "ansi", a tuple of str. With "human" None, after a window
            shows the pictures as tiles; it waits for the task's frames per second.

        Raises:
            RuntimeError: made without `render_mode`, or an env cannot draw itself.
            ValueError: an env is unknown, given twice, in flight or was never reset.
        """
        if env_ids is None:
            env_ids = self._pool_spec.config["render_env_id"]
        return self._render(env_ids)

    def xla(self) -> tuple[Any, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
        """EnvPool's functions for programs of JAX: handle, recv, send, step = pool.xla().

        `recv(handle)` and `step(handle, action, env_id)` return (handle, batch) inside jax.jit,
        `send(handle, action, env_id)` a handle. parallel_pool.jax.from_pool() has a reset, too, and
        refuses a state that is used twice.

        Raises:
            ImportError: JAX is not installed.
        """
        jax: Any = importlib.import_module("parallel_pool.jax")
        handle, recv, send, step = jax.xla(self)
        return handle, recv, send, step

    def jax_error(self) -> Exception | None:
        """parallel_pool.jax.error(pool), which takes its place: this name goes with version 0.2."""
        jax: Any = importlib.import_module("parallel_pool.jax")
        error: Exception | None = jax.error(self)
        return error

    @staticmethod
    def _shape(*batch: Any) -> Any:
        """The result of recv() for a batch."""
        return batch

    @functools.cached_property
    def _outputs(self) -> Outputs:
        return Outputs(self._pool_spec)

    def _into(self, out: Any, call: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        """The result of `call`, copied into the arrays of `out`, which are checked before."""
        self._outputs.check(out)
        result: tuple[Any, ...] = shaped(call, functools.partial(fill, out))
        return result

    def _reset(self, env_id: Any, seed: Any, options: dict[str, Any] | None) -> tuple[Any, ...]:
        self._warn_without_statistics()
        own = dict(options or {})
        mask = self._reset_mask(env_id, own.pop("reset_mask", None))
        per_env = own.pop("per_env", None)
        values = self._pool_spec.source.reset_values(own)
        count = self.num_envs if env_id is None else int(np.size(env_id))
        seeds = None
        if seed is not None:
            seeds = seeds_of(self._pool_spec.task_id, seed, count)
        if per_env is None:
            return self._native.reset(env_id, seeds, mask, values, [])
        ids = self._checked_ids(env_id)
        if ids is None:  # the engine refuses them
            return self._native.reset(env_id, seeds, mask, values, [])
        new = self._envs.changed(ids, per_env)
        with self._new_options(new, ids) as options_of_each:
            return self._native.reset(env_id, seeds, mask, values, options_of_each)

    def _checked_ids(self, env_id: Any) -> list[int] | None:
        """The env ids of a call; None if the engine will refuse them."""
        if env_id is None:
            return list(range(self.num_envs))
        ids = np.atleast_1d(env_id)
        is_good = ids.ndim == 1 and ids.dtype.kind in "iu" and len(set(ids.tolist())) == len(ids)
        if is_good and ((ids >= 0) & (ids < self.num_envs)).all():
            return [int(env) for env in ids]
        return None

    @contextlib.contextmanager
    def _new_options(self, new: OptionsOfEnvs, ids: list[int]) -> Iterator[list[Any]]:
        """Gives the native options of the envs `ids`; the pool then has those that were set."""
        native = new.native()
        try:
            yield [native[env] for env in ids] if native else []
        finally:
            self._envs = self._envs.adopt(new, self._native.env_options)

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

    def __repr__(self) -> str:
        """The call of make() that makes such a pool, in short."""
        config = self._pool_spec.config
        shown = ", ".join(
            f"{name}={config[name]!r}" for name in ("num_envs", "batch_size", "num_threads", "seed")
        )
        closed = " (closed)" if self._native.closed else ""
        ids = [spec.task_id for spec in self.tasks]
        task = repr(ids if "tasks" in config else ids[0])
        return f"make({task}, env_type={self.env_type!r}, {shown}){closed}"
