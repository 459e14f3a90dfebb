"""The engine as the backend of a pool, and the methods of any backend."""

from collections.abc import Callable
from typing import Any, Protocol

from parallel_pool.core import _core
from parallel_pool.python.config import seeds_of
from parallel_pool.python.env_options import EnvOptions
from parallel_pool.python.pool_options import of_engine, of_single_envs


class Backend(Protocol):
    """A backend runs the envs of a pool: the methods of _core.Pool.

    A batch is (obs, reward, terminated, truncated, info), followed by (discount, step_type) if the
    backend was opened with timing. `env_id` is None for all envs. Errors are those of the methods
    of gymnasium_api.Pool.
    """

    def send(self, action: Any, env_id: Any) -> None:
        """Sends each env its action; returns at once."""

    def recv(self, timeout: float | None) -> tuple[Any, ...]:
        """The next batch; `timeout` in seconds."""

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

    def send_reset(self, env_id: Any, seeds: list[int] | None) -> None:
        """Sends each env a reset; returns at once."""

    def save(self, env_id: Any) -> list[bytes]:
        """The state of each env."""

    def load(
        self, states: list[bytes], env_id: Any, env_options: list[tuple[_core.Setup, int]]
    ) -> None:
        """Puts the envs into states of save(), after reset()'s `env_options`."""

    @property
    def env_options(self) -> list[tuple[_core.Setup, int]]:
        """The setup and the time limit of each env of the pool."""

    def render(self, env_id: Any) -> Any:
        """Pictures of the envs: uint8, shape (rows, height, width, 3)."""

    def render_text(self, env_id: Any) -> tuple[str, ...]:
        """The envs as text."""

    def stats(self) -> dict[str, int]:
        """The numbers of steps, resets, episodes and batches; see base.Base.stats()."""

    def close(self) -> None:
        """Ends the envs; may be called again."""

    @property
    def closed(self) -> bool:
        """Whether close() was called."""


# Call it when the interpreter ends, before pools are closed: daemon threads that use a pool then
# end in silence.
end_interpreter: Callable[[], None] = _core.end_interpreter


class Configured(Protocol):
    """What the engine must know of a parallel_pool.python.spec.Spec; see there."""

    @property
    def task_id(self) -> str: ...  # noqa: D102
    @property
    def config(self) -> dict[str, Any]: ...  # noqa: D102
    @property
    def setup(self) -> _core.Setup: ...  # noqa: D102
    @property
    def envs(self) -> EnvOptions: ...  # noqa: D102
    @property
    def max_episode_steps(self) -> int: ...  # noqa: D102
    @property
    def is_single(self) -> bool: ...  # noqa: D102


def open_native(spec: Configured, env_type: str, texts_are_str: bool = False) -> Backend:
    """Builds the envs of `spec` in the engine.

    Args:
        spec: the task with its options.
        env_type: the API: results for dm_env have discount and step_type.
        texts_are_str: a text in a batch is a tuple of str, not an array of bytes. A single env's is
            always a str.

    Raises:
        ValueError: an env cannot be built.
        MemoryError: there is no memory for so many envs.
        RuntimeError: pin_memory without a GPU of NVIDIA, or its driver cannot lock the pages.
    """
    options = of_engine(spec.config) | {"max_episode_steps": spec.max_episode_steps}
    if spec.is_single:
        options |= of_single_envs() | {"num_envs": 1}
        if env_type == "dm":  # a step after the last TimeStep begins the next episode
            options["autoreset_mode"] = "next_step"
    num_envs = options["num_envs"]
    spec.setup.check_memory(num_envs)  # before any list has num_envs elements
    return _core.Pool(
        spec.setup,
        options,
        seeds_of(spec.task_id, spec.config["seed"], num_envs),
        spec.envs.native(),
        with_timing=env_type == "dm",
        unbatched=spec.is_single,
        texts_are_str=texts_are_str or spec.is_single,
    )
