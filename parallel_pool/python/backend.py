"""The methods that run the envs of a pool: of the engine, or of code that asks other processes."""

from collections.abc import Callable
from typing import Any, Protocol

from parallel_pool.core import _core


class Backend(Protocol):
    """A backend runs the envs of a pool: the methods of _core.Pool.

    A batch is (obs, reward, terminated, truncated, info), followed by (discount, step_type) if the
    backend was opened with timing. `env_id` is None for all envs. Errors are those of the methods
    of gymnasium_api.Pool.
    """

    def send(self, action: Any, env_id: Any) -> None:
        """Sends each env its action; returns at once."""

    def recv(self, timeout: float | None, partial: bool = False) -> tuple[Any, ...]:
        """The next batch; `timeout` in seconds. `partial`: see gymnasium_api.Pool.recv()."""

    def step(self, action: Any, env_id: Any) -> tuple[Any, ...]:
        """send(), then recv()."""

    def reset(
        self,
        env_id: Any,
        seeds: list[int] | None,
        mask: list[bool] | None,
        options: list[Any],
        env_options: list[tuple[_core.Setup, int]],
    ) -> tuple[Any, ...]:
        """Resets the envs whose mask is set and returns the batch of all envs in `env_id`.

        Args:
            env_id: the envs.
            seeds: one for each env of `env_id`; None: random numbers continue.
            mask: whether to reset, for each env of `env_id`; None: all of them.
            options: a value (or None) for each of the task's reset options; or [].
            env_options: new options of each env of `env_id`: its setup and time limit; or [].
        """

    def queue(
        self,
        env_id: Any,
        seeds: list[int] | None,
        options: list[Any],
        env_options: list[tuple[_core.Setup, int]],
    ) -> None:
        """How the next reset of each env begins; the arguments of reset()."""

    def send_reset(
        self, env_id: Any, seeds: list[int] | None, mask: list[bool] | None = None
    ) -> None:
        """Sends each env a reset, or those of the mask of reset(); returns at once."""

    @property
    def ended(self) -> list[bool]:
        """Whether the episode of each env has ended; all envs are idle."""

    @property
    def in_flight(self) -> int:
        """The number of rows that were sent and not received yet."""

    @property
    def moves(self) -> int:
        """A number that grows with each batch that is received, and each load()."""

    def save(self, env_id: Any) -> list[bytes]:
        """The state of each env."""

    def load(
        self, states: list[bytes], env_id: Any, env_options: list[tuple[_core.Setup, int]]
    ) -> None:
        """Puts the envs into states of save(), after reset()'s `env_options`."""

    def save_queued(self, env_id: Any) -> list[bytes]:
        """The seed and options that queue() has set for each env's next reset; b"": nothing."""

    def load_queued(
        self, queued: list[bytes], env_id: Any, env_options: list[tuple[_core.Setup, int]]
    ) -> None:
        """Puts it back, with queue()'s `env_options`."""

    def statistics(self) -> list[tuple[str, Any, Any, float]]:
        """(name, mean, var, count) of each normalized array; see base.Base.statistics()."""

    def load_statistics(self, statistics: list[tuple[str, Any, Any, float]]) -> None:
        """Puts them back: entries of the same names, shapes and dtypes."""

    @property
    def env_options(self) -> list[tuple[_core.Setup, int]]:
        """The setup and the time limit of each env of the pool."""

    def render(self, env_id: Any) -> Any:
        """Pictures of the envs: uint8, shape (rows, height, width, 3)."""

    def render_text(self, env_id: Any) -> tuple[str, ...]:
        """The envs as text."""

    def stats(self) -> dict[str, int]:
        """The numbers of steps, resets, episodes and batches; see base.Base.stats()."""

    @property
    def core_pool(self) -> _core.Pool | None:
        """The engine's pool, which records, replays and profiles; None: it is elsewhere."""

    @property
    def host(self) -> _core.PoolHost | None:
        """Where envs in Python are, which knows their times; None: the envs are not in Python."""

    def finish(self, batch: tuple[Any, ...]) -> tuple[Any, ...]:
        """A batch of core_pool as the backend's own calls return it."""

    def close(self) -> None:
        """Ends the envs; may be called again."""

    @property
    def closed(self) -> bool:
        """Whether close() was called."""


# Call it when the interpreter ends, before pools are closed: daemon threads that use a pool then
# end in silence.
end_interpreter: Callable[[], None] = _core.end_interpreter
