"""Options of single envs, which go to the actors as values: a _core.Setup stays in its process."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from parallel_pool.integrations.shards.split import Shard
from parallel_pool.python.options.env_options import EnvSetup, OptionsOfEnvs
from parallel_pool.python.specs.spec import Spec

# An env that has options of its own: its number in the shard, the value of each option of its task,
# and its time limit.
OwnOptions = tuple[int, list[Any], int]


class SentOptions:
    """The options of all envs, in the user's process.

    Attributes:
        setups: of each env.
    """

    def __init__(self, spec: Spec, shards: Sequence[Shard]) -> None:
        """Those of make()."""
        self.setups: list[EnvSetup] = [
            (part.setup_of(env), part.time_limit(env))
            for part in spec.envs.parts
            for env in range(part.count)
        ]
        self._shards = shards
        self._changed = [False] * len(shards)

    @staticmethod
    def values(local: Any, setups: Sequence[EnvSetup]) -> list[OwnOptions]:
        """Options as an actor takes them.

        Args:
            local: the envs' numbers in its shard.
            setups: of each of these envs; [] if they do not change.
        """
        return [
            (int(env), setup.options, limit)
            for env, (setup, limit) in zip(local, setups, strict=False)
        ]

    def keep(self, env_ids: Any, setups: Sequence[EnvSetup], mask: list[bool] | None) -> None:
        """Keeps new options of envs (those whose mask is set), for restarts."""
        for i, setup in enumerate(setups):
            if mask is None or mask[i]:
                self.setups[env_ids[i]] = setup
                for k, shard in enumerate(self._shards):
                    self._changed[k] |= bool((shard.env_ids == env_ids[i]).any())

    def of_restart(self, k: int) -> list[OwnOptions]:
        """All options of a shard; [] if they are those of make()."""
        if not self._changed[k]:
            return []
        ids = self._shards[k].env_ids
        return self.values(np.arange(len(ids)), [self.setups[env] for env in ids])


class ReceivedOptions:
    """Makes what the engine takes of OwnOptions, in the actor."""

    def __init__(self, envs: OptionsOfEnvs) -> None:
        """Takes the options of make()."""
        self._envs = envs
        self._setups: dict[bytes, Any] = {}  # by task and values: envs share a _core.Setup

    def native(self, own: list[OwnOptions]) -> list[EnvSetup]:
        """The setup and time limit of each."""
        if own and not self._setups:
            for number, part in enumerate(self._envs.parts):
                self._setups |= {_key(number, setup.options): setup for setup in part.setups}
        return [(self._setup(env, values), limit) for env, values, limit in own]

    def envs(self, own: list[OwnOptions]) -> OptionsOfEnvs:
        """The options of all envs of the shard: those of make() if `own` is empty."""
        if not own:
            return self._envs
        return _Given(self._envs.parts, True, self.native(own))

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
class _Given(OptionsOfEnvs):
    """Options of each env that are known already."""

    given: list[EnvSetup] = dataclasses.field(default_factory=list)

    def native(self) -> list[EnvSetup]:
        return self.given
