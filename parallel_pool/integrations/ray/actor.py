"""The Ray actor with the pool of a shard."""

from __future__ import annotations

import dataclasses
import pickle
import threading
import time
from typing import Any

import ray

from parallel_pool.integrations.ray.shards import Shard
from parallel_pool.python.env_options import EnvOptions, EnvSetup
from parallel_pool.python.errors import EnvError

# What an env that has options of its own has: its number in the shard, the value of each option of
# its task, and its time limit. An EnvSetup cannot leave its process.
OwnOptions = tuple[int, list[Any], int]

# What a call gives: ("result", value), ("failed", (message, env ids, batch)) of an EnvError, or
# ("raised", (type, message)) of any other exception.
Answer = tuple[str, Any]


class Actor:
    """The pool of a shard."""

    def __init__(self, shard: Shard, seeds: list[int], own_options: list[OwnOptions]) -> None:
        """Builds the envs.

        Args:
            shard: the shard.
            seeds: one for each env; other ones than the shard's after a restart.
            own_options: of each env, if they differ; else [].
        """
        spec = shard.spec(seeds)
        self._options = _Options(spec.envs)
        if own_options:
            given = self._options.native(own_options)
            spec = dataclasses.replace(spec, envs=_Given(spec.envs.parts, True, given))
        self._native = spec.open("gymnasium")
        self._seconds = 0.0
        self._lock = threading.Lock()  # a compiled graph calls in a thread of its own

    def call(self, message: tuple[Any, ...]) -> Answer:
        """Calls a method of the backend: the message is its name and its arguments.

        "built" only returns: the envs are built then. "seconds" returns those of all steps so far.
        """
        name, *args = message
        if name == "built":
            return "result", None
        if name == "seconds":
            return "result", self._seconds
        with self._lock:
            start = time.perf_counter()
            try:
                if name in ("reset", "load"):
                    args[-1] = self._options.native(args[-1])
                return "result", getattr(self._native, name)(*args)
            except EnvError as error:
                return "failed", (str(error), error.env_ids, error.result)
            except Exception as error:
                return "raised", (type(error).__name__, str(error))
            finally:
                self._seconds += time.perf_counter() - start if name == "step" else 0.0


RemoteActor: Any = ray.remote(Actor)


class _Options:
    """Makes what the engine takes of options that came from another process."""

    def __init__(self, envs: EnvOptions) -> None:
        self._envs = envs
        self._setups: dict[bytes, Any] = {}  # by task and values: envs share them

    def native(self, own: list[OwnOptions]) -> list[EnvSetup]:
        if own and not self._setups:
            for number, part in enumerate(self._envs.parts):
                self._setups |= {_key(number, setup.options): setup for setup in part.setups}
        return [(self._setup(env, values), limit) for env, values, limit in own]

    def _setup(self, env: int, values: list[Any]) -> Any:
        number, _ = self._envs.place(env)
        part = self._envs.parts[number]
        key = _key(number, values)
        if key not in self._setups:
            self._setups[key] = part.task.configure(values, part.setup)
        return self._setups[key]


def _key(number: int, values: list[Any]) -> bytes:
    return pickle.dumps((number, values))


@dataclasses.dataclass
class _Given(EnvOptions):
    """Options of each env that are known already."""

    given: list[EnvSetup] = dataclasses.field(default_factory=list)

    def native(self) -> list[EnvSetup]:
        return self.given
