"""The Ray actor with the pool of a shard."""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import Any

import ray

from parallel_pool.integrations.ray.options import OwnOptions, ReceivedOptions
from parallel_pool.integrations.ray.shards import Shard
from parallel_pool.python.errors import EnvError

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
        self._options = ReceivedOptions(spec.envs)
        spec = dataclasses.replace(spec, envs=self._options.envs(own_options))
        self._native = spec.source.open(spec, "gymnasium", texts_are_str=False)
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
