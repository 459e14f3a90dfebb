"""The engine's calls for an env that are no steps, as messages to the env."""

from __future__ import annotations

import abc
import pickle
from typing import Any


class EnvCalls(abc.ABC):
    """The functions of EnvCalls (core/workers/processes.h).

    Attributes:
        picture: (height, width) of the envs' pictures.
    """

    picture: tuple[int, int] = (0, 0)

    @abc.abstractmethod
    def request(self, env: int, name: str, *args: Any) -> Any:
        """A message about an env (objects.EnvObjects), and its answer.

        Raises:
            RuntimeError: the env threw, or its process has ended.
            TypeError: an argument cannot be pickled.
            ValueError: the env refuses.
        """

    def set_reset_options(self, env: int, options: bytes) -> None:
        """Gives the env the options of its next reset, as a pickle; b"": none."""
        self.request(env, "set_options", pickle.loads(options) if options else None)

    def save(self, env: int) -> bytes:
        """The state of an env."""
        state: bytes = self.request(env, "save")
        return state

    def load(self, env: int, state: bytes) -> None:
        """Puts an env into a state."""
        self.request(env, "load", state)

    def render(self, env: int) -> bytes:
        """The picture of an env."""
        picture: bytes = self.request(env, "render", self.picture)
        return picture

    def render_text(self, env: int) -> str:
        """The env as text."""
        text: str = self.request(env, "render_text")
        return text

    @abc.abstractmethod
    def exit_reason(self, k: int) -> str:
        """How the process of worker k has ended; "" if that is not known."""
