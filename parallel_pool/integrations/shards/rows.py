"""Rows that workers have given and that the user has not received."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from parallel_pool.integrations.shards import batches


@dataclasses.dataclass
class ReceivedRows:
    """The rows of a call.

    Attributes:
        env_ids: the envs.
        send: the number of the send.
        arrays: see batches.
        failed: the envs that threw, or whose worker has ended.
        message: why, if there are some.
    """

    env_ids: list[int]
    send: int
    arrays: batches.Named
    failed: list[int]
    message: str

    def split(
        self, count: int, of_players: Collection[tuple[Any, ...]]
    ) -> tuple[ReceivedRows, ReceivedRows]:
        """The first `count` envs, and the others; see batches.player_paths()."""
        first = set(self.arrays[batches.ENV_ID][:count].tolist())
        return (
            self._part(lambda env: env in first, of_players),
            self._part(lambda env: env not in first, of_players),
        )

    def _part(
        self, keep: Callable[[int], bool], of_players: Collection[tuple[Any, ...]]
    ) -> ReceivedRows:
        masks = {
            path: np.array([keep(int(env)) for env in self.arrays[path]], bool)
            for path in (batches.ENV_ID, batches.OWNER)
        }
        arrays = {
            path: array[masks[batches.row_path(path, of_players)]]
            for path, array in self.arrays.items()
        }
        env_ids, failed = ([e for e in ids if keep(e)] for ids in (self.env_ids, self.failed))
        return ReceivedRows(env_ids, self.send, arrays, failed, self.message)
