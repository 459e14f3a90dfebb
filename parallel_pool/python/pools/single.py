"""Single envs: one env of a task, with actions and results that have no batch axis."""

import contextlib
import copy
from typing import TYPE_CHECKING, Any

from parallel_pool.python.options.seeds import seeds_of
from parallel_pool.python.pools import states
from parallel_pool.python.pools.base import Base

if TYPE_CHECKING:
    from typing_extensions import Self


# Attributes that a copy does not share: the env, and what it was made of.
_OF_ONE_ENV = ("_native", "_pool_spec", "_envs_now", "_window", "_recording")


class SingleEnv(Base):
    """One env, which make(task_id, num_envs=None) makes.

    Rewards, flags, and infos of one number are Python numbers. An observation of one number is an
    int where its space is Discrete, else an array without axes; with dm_env it is a NumPy scalar.
    The env is not reset when its episode ends: reset() begins the next. copy.deepcopy() makes an
    env that continues as this one does. The seed is drawn by the system unless it is given, and
    rewards are float64.
    """

    _what = "a single env"

    def save(self) -> bytes:  # type: ignore[override]
        """The state of the env, random numbers and elapsed steps included.

        Raises:
            ValueError: the task cannot save.
        """
        return super().save()

    def load(self, data: bytes) -> None:
        """Puts the env into a saved state; it continues from there, bit for bit.

        Args:
            data: the result of save(), of an env of the same task and options.

        Raises:
            ValueError: the data is damaged, or of another task or options. Nothing was changed.
        """
        saved, _, more = states.unpack(self._envs, data, [0])
        self._native.load(saved, None, [])
        self._load_saved(more)

    def render(self) -> Any:
        """The env as it is now.

        Returns:
            With render_mode="rgb_array", a new array of uint8, shape (height, width, 3); with
            "ansi", a str; with "human" None, after the env's window shows it. The window also
            shows it after each reset and step.

        Raises:
            RuntimeError: made without `render_mode`, or the env cannot draw itself.
            ValueError: the env was never reset.
        """
        shown = self._render(None)
        return None if shown is None else shown[0]

    def _reset(self, seed: Any, options: dict[str, Any] | None) -> tuple[Any, ...]:
        """The parts of a result after a reset."""
        self._warn_without_statistics()
        spec = self._pool_spec
        values = spec.source.reset_values(options or {})
        seeds = None if seed is None else seeds_of(spec.task_id, seed, 1)
        result = self._native.reset(None, seeds, None, values, [])
        if self._window is not None:
            self.render()
        return result

    def __deepcopy__(self, memo: dict[int, Any]) -> "Self":
        """A new env that continues as this one does; a fresh one if the task cannot save."""
        other = copy.copy(self)  # a new env of the same arguments
        own = {name: value for name, value in vars(self).items() if name not in _OF_ONE_ENV}
        vars(other).update(copy.deepcopy(own, memo))
        if not self._native.closed:
            with contextlib.suppress(ValueError):
                other.load(self.save())
        return other

    def __repr__(self) -> str:
        """The call of make() that makes such an env, in short."""
        spec = self._pool_spec
        shown = f"num_envs=None, seed={spec.config['seed']!r}"
        closed = " (closed)" if self._native.closed else ""
        return f"make({spec.task_id!r}, env_type={self.env_type!r}, {shown}){closed}"
