"""The engine as the backend of a pool, and what a pool asks of any backend."""

from typing import Any, Protocol

from parallel_pool.core import _core
from parallel_pool.python.config import AUTORESET_MODES, seeds_of
from parallel_pool.python.spec import Spec


class Backend(Protocol):
    """What runs the envs of a pool: the methods of _core.Pool.

    Results are (obs, reward, terminated, truncated, info), followed by (discount, step_type) if the
    backend was opened with timing.
    """

    def send(self, action: Any, env_id: Any) -> None: ...
    def recv(self, timeout: float | None) -> tuple[Any, ...]: ...
    def step(self, action: Any, env_id: Any) -> tuple[Any, ...]: ...
    def reset(
        self, env_id: Any, seeds: list[int] | None, mask: list[bool] | None, options: list[Any]
    ) -> tuple[Any, ...]: ...
    def send_reset(self, env_id: Any, seeds: list[int] | None) -> None: ...
    def save(self, env_id: Any) -> list[bytes]: ...
    def load(self, states: list[bytes], env_id: Any) -> None: ...
    def render(self, env_id: Any) -> Any: ...
    def render_text(self, env_id: Any) -> tuple[str, ...]: ...
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...


def open_native(spec: Spec, *, with_timing: bool = False) -> Backend:
    """Builds the envs of `spec` in the engine.

    Args:
        spec: the task with its options.
        with_timing: whether results have discount and step_type, as dm_env wants them.

    Raises:
        ValueError: an env cannot be built.
        MemoryError: there is no room for so many.
    """
    config = spec.config
    spec.setup.check_memory(config["num_envs"])  # before anything is as long as there are envs
    return _core.Pool(
        spec.setup,
        config["num_envs"],
        config["batch_size"],
        config["num_threads"],
        config["max_episode_steps"],
        config["thread_affinity_offset"],
        seeds_of(spec.task_id, config["seed"], config["num_envs"]),
        AUTORESET_MODES.index(config["autoreset_mode"]),
        float64_rewards=config["reward_dtype"] == "float64",
        with_timing=with_timing,
    )
