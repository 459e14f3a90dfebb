"""The calls of a backend that a RayPool does not have."""

from typing import Any


class Refusals:
    """The methods of Backend for queue(), for statistics, and for what only one process has."""

    _task_id: str
    core_pool: None = None
    host: None = None

    def finish(self, batch: tuple[Any, ...]) -> tuple[Any, ...]:
        """See Backend."""
        return batch

    def queue(self, env_id: Any, seeds: Any, options: Any, env_options: Any) -> None:
        """See Backend.

        Raises:
            RuntimeError: always: the workers reset their envs without asking.
        """
        raise RuntimeError(
            f"{self._task_id}: a RayPool has no queue(); use reset(env_id, seed=...)"
        )

    def save_queued(self, env_id: Any) -> list[bytes]:
        """See Backend. Nothing is queued."""
        return []

    def load_queued(self, queued: list[bytes], env_id: Any, env_options: Any) -> None:
        """See Backend; RuntimeError as of queue()."""
        self.queue(env_id, None, [], env_options)

    def statistics(self) -> list[tuple[str, Any, Any, float]]:
        """See Backend. RayPool refuses the options that have statistics."""
        return []

    def load_statistics(self, statistics: list[tuple[str, Any, Any, float]]) -> None:
        """See Backend."""
