"""The Ray actor with the pool of a shard."""

from __future__ import annotations

import dataclasses
from typing import Any

import ray

from parallel_pool.integrations.shards.options import OwnOptions, ReceivedOptions
from parallel_pool.integrations.shards.split import Shard
from parallel_pool.python.apis.gymnasium_api import Pool
from parallel_pool.python.errors import EnvError

# The result of a call: ("result", value), ("failed", (message, env ids, batch)) of an EnvError, or
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
        kind: Any = spec.source.pool_classes.get(Pool, Pool)
        self._native = spec.source.open(spec, kind)

    def call(self, message: tuple[Any, ...]) -> Answer:
        """Calls a method of the backend: the message is its name and its arguments.

        "built" only returns: the envs are built then.
        """
        name, *args = message
        if name == "built":
            return "result", None
        try:
            if name in ("reset", "load"):
                args[-1] = self._options.native(args[-1])
            return "result", getattr(self._native, name)(*args)
        except EnvError as error:
            return "failed", (str(error), error.env_ids, error.result)
        except Exception as error:
            return "raised", (type(error).__name__, str(error))


RemoteActor: Any = ray.remote(Actor)
