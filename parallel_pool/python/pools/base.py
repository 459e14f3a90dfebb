"""Common parts of pools and single envs."""

import atexit
import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from parallel_pool.core import _core
from parallel_pool.python.backend import Backend, end_interpreter
from parallel_pool.python.options.env_options import OptionsOfEnvs
from parallel_pool.python.options.option import nearest
from parallel_pool.python.options.other_libraries import method_hint
from parallel_pool.python.pools import states
from parallel_pool.python.pools.observable import Observable
from parallel_pool.python.pools.window import Window
from parallel_pool.python.specs.goals import Goals
from parallel_pool.python.specs.spec import Spec

if TYPE_CHECKING:
    from typing_extensions import Self

_live: "weakref.WeakSet[Base]" = weakref.WeakSet()


@atexit.register
def close_all() -> None:
    """Ends all pools before the interpreter finalizes."""
    end_interpreter()
    for envs in list(_live):
        envs.close()


class Base(Goals, Observable):
    """The envs of a task, or of several, which a backend runs: a pool, or a single env."""

    env_type: str
    _what = "a pool"  # in errors
    with_timing: ClassVar[bool] = False  # this and the next two: see specs.source.Kind
    texts_are_str: ClassVar[bool] = False
    begins_by_step: ClassVar[bool] = False
    _has_statistics = False  # whether they were loaded, or the user was warned that they are not

    def __init__(self, spec: Spec, native: Backend) -> None:
        """The envs that `native` runs: open_envs() makes both."""
        self.render_mode: str | None = spec.config["render_mode"]
        self._pool_spec = spec
        self._envs_now = spec.envs
        self._queued: OptionsOfEnvs | None = None  # those that queue() has set
        self._native = native
        self._window: Window | None = None
        if self.render_mode == "human":
            try:
                self._window = Window(spec.task_id, spec.render_fps)
            except BaseException:
                native.close()
                raise
        _live.add(self)

    @classmethod
    def check(cls, spec: Spec) -> None:
        """ValueError if pools of this class cannot have such options; nothing is built yet."""

    @property
    def _envs(self) -> OptionsOfEnvs:
        """The options of each env as it is now."""
        if self._queued is not None:
            self._envs_now = self._envs_now.adopt(self._queued, self._native.env_options)
        return self._envs_now

    @_envs.setter
    def _envs(self, new: OptionsOfEnvs) -> None:
        self._envs_now = new

    @property
    def config(self) -> dict[str, Any]:
        """Every option of make() with its value.

        `per_env` has the options that differ from env to env, as they are now. Its own entry has
        the value of env 0.
        """
        return self._pool_spec.config_of(self._envs)

    @property
    def reward_threshold(self) -> float | None:
        """The return that counts as solved, or None."""
        return self._pool_spec.reward_threshold

    @property
    def _goal_spec(self) -> Spec:
        return self._pool_spec

    def save(self, env_id: Any = None) -> bytes:
        """The state of idle envs, with random numbers, elapsed steps and what queue() has set.

        Args:
            env_id: integers, shape (rows,), or one integer; None: all envs, statistics(), and the
                random numbers of sample_actions().

        Raises:
            ValueError: an env is in flight or unknown, or the task cannot save.
        """
        saved = self._native.save(env_id)
        envs, is_all = self._envs, env_id is None  # `envs`: what was queued before is settled
        more = states.More(
            statistics=self._native.statistics() if is_all and self._normalizes else [],
            random_actions=self._save_random_actions() if is_all else b"",
            queued=self._native.save_queued(env_id),
            queued_envs=self._queued or envs,
        )
        return states.pack(envs, env_id, saved, more)

    def _save_random_actions(self) -> bytes:
        """The random numbers of sample_actions(), if there is such a method."""
        return b""

    def _load_random_actions(self, saved: bytes) -> None:
        """Puts them back."""

    def _load_saved(self, more: states.More) -> None:
        """Takes over statistics of save(), if these are the ones that this object has."""
        if more.random_actions:
            self._load_random_actions(more.random_actions)
        statistics = more.statistics
        if not self._normalizes:
            return
        names = [name for name, *_ in self._native.statistics()]
        if [name for name, *_ in statistics] == names:
            self._native.load_statistics([(n, m, v, c) for n, m, v, c in statistics])
            self._has_statistics = True

    @property
    def _normalizes(self) -> bool:
        config = self._pool_spec.config
        return bool(config["normalize_observation"] or config["normalize_reward"])

    def statistics(self) -> dict[str, dict[str, Any]]:
        """The running statistics of `normalize_observation` and `normalize_reward`.

        Returns:
            A dict for "obs" ("obs.left" is an entry of a dict of observations) and one for
            "reward", the discounted returns by whose deviation rewards are divided. Each has
            "mean" and "var", arrays of the shape of one env's observation, and "count", the number
            of rows counted plus 0.0001. Without these options, {}.
        """
        if not self._normalizes:
            return {}
        return {
            name.replace(":", "."): {"mean": mean, "var": var, "count": count}
            for name, mean, var, count in self._native.statistics()
        }

    def load_statistics(self, statistics: dict[str, dict[str, Any]]) -> None:
        """Puts statistics() of another pool in place of the present ones.

        For an evaluation, make the pool with `update_statistics=False`.

        Args:
            statistics: the result of statistics(), of a pool of the same observations. "reward" is
                left out if this pool does not normalize rewards.

        Raises:
            ValueError: an entry is missing, unknown or of another shape, a variance is negative, or
                the pool normalizes nothing. Nothing was changed.
        """
        what = f"{self._pool_spec.task_id}: load_statistics()"
        own = self._native.statistics() if self._normalizes else []
        names = [name.replace(":", ".") for name, *_ in own]
        unknown = statistics.keys() - {*names, "reward"}
        if not names or unknown or not set(names) <= statistics.keys():
            given, wanted = ", ".join(sorted(statistics)), ", ".join(sorted(names))
            raise ValueError(
                f"{what}: {given or 'nothing'} is given; this pool has {wanted or 'none'}"
            )
        new: list[tuple[str, Any, Any, float]] = []
        for name, (key, mean, _, _) in zip(names, own, strict=True):
            entry = statistics[name]
            if not {"mean", "var", "count"} <= set(entry):
                raise ValueError(f"{what}: {name} needs mean, var and count; it has {list(entry)}")
            arrays = [np.asarray(entry[part]) for part in ("mean", "var")]
            for part, array in zip(("mean", "var"), arrays, strict=True):
                if array.shape != mean.shape or not np.isfinite(array).all():
                    raise ValueError(
                        f"{what}: {name}[{part!r}] must be finite numbers of shape {mean.shape}; "
                        f"it is {array!r}"
                    )
            if (arrays[1] < 0).any() or not entry["count"] > 0:
                raise ValueError(f"{what}: {name} has a negative variance, or a count of 0")
            new.append((key, arrays[0], arrays[1], float(entry["count"])))
        self._native.load_statistics(new)
        self._has_statistics = True

    def _warn_without_statistics(self) -> None:
        """Warns once if a reset has nothing to normalize by, and counts nothing."""
        if self._has_statistics:
            return
        self._has_statistics = True
        if self._normalizes and not self._pool_spec.config["update_statistics"]:
            warnings.warn(
                f"{self._pool_spec.task_id}: update_statistics is False, and no statistics were "
                "loaded: nothing is normalized. Call load_statistics() with the training pool's "
                "statistics() before the first reset",
                stacklevel=6,  # the user's line
            )

    def stats(self) -> dict[str, int]:
        """Counts since this object was made, as far as its results were received.

        Returns:
            "steps" and "resets" of all envs, where a reset by autoreset is one, too; "episodes"
            that have ended, also by an error of the env; and "batches" received. A life that ends
            for the learner only is an episode.
        """
        return self._native.stats()

    def _render(self, env_ids: Any) -> Any:
        """Pictures or texts of envs, one for each id; None: all envs. A window shows pictures."""
        spec = self._pool_spec
        if self.render_mode is None:
            modes = ", ".join(map(repr, spec.source.render_modes))
            how = f"; allowed are {modes}" if modes else ", if the task had any"
            raise RuntimeError(f"{spec.task_id}: render() needs a render_mode given to make(){how}")
        if self.render_mode == "ansi":
            return self._native.render_text(env_ids)
        pictures = self._native.render(env_ids)
        _, own_height, own_width, _ = pictures.shape
        height = spec.config.get("render_height") or own_height
        width = spec.config.get("render_width") or own_width
        if (height, width) != (own_height, own_width):
            pictures = _core.resized(pictures, height, width)
        if self._window is None:
            return pictures
        self._window.show(pictures)
        return None

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
        self._native.close()  # also ends a call of another thread
        self._end_recording()
        if self._window is not None:
            self._window.close()

    if not TYPE_CHECKING:  # for a type checker every attribute would exist

        def __getattr__(self, name: str) -> Any:
            """AttributeError that says what to use instead."""
            if name.startswith("_"):  # also those that this message needs
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            if hasattr(type(self), name):  # a property has raised an AttributeError of its own
                return object.__getattribute__(self, name)
            hint = method_hint(name) or nearest(name, (n for n in dir(self) if n[0] != "_"))
            raise AttributeError(
                f"{self._pool_spec.task_id}: {self._what} has no attribute {name!r}{hint}"
            )

    def __enter__(self) -> "Self":
        """Returns itself; the end of a `with` block closes the pool."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Closes the pool."""
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies as a new pool from the same arguments."""
        remake, of_source = self._pool_spec.source.remake()
        args = of_source, self.config
        return make_again, (type(self), remake, args, {}, self.statistics())


AnyEnvs = TypeVar("AnyEnvs", bound=Base)


def open_envs(kind: type[AnyEnvs], spec: Spec, **own: Any) -> AnyEnvs:
    """Builds the envs of `spec`, and an object of the class `kind` over them.

    Args:
        kind: the class, such as parallel_pool.python.apis.gymnasium_api.Pool.
        spec: the task with its options.
        **own: further arguments of the class.

    Raises:
        ValueError: the class cannot have these options, or an env cannot be built.
        MemoryError: there is no memory for so many envs.
        ImportError, RuntimeError: render_mode is "human", but there is no pygame, or no display.
    """
    own_kind: type[AnyEnvs] = spec.source.pool_classes.get(kind, kind)
    own_kind.check(spec)
    return own_kind(spec, spec.source.open(spec, own_kind), **own)


def make_again(
    kind: type[AnyEnvs],
    make: Callable[..., Spec],
    args: tuple[Any, ...],
    own: dict[str, Any],
    statistics: dict[str, dict[str, Any]] | None = None,
) -> AnyEnvs:
    """open_envs() for unpickling.

    Args:
        kind: the class.
        make: makes the spec.
        args: its arguments.
        own: further arguments of the class.
        statistics: for load_statistics(), unless empty.

    Raises:
        RuntimeError: a task's library is not loaded here.
    """
    made = open_envs(kind, make(*args), **own)
    if statistics:
        made.load_statistics(statistics)
    return made
