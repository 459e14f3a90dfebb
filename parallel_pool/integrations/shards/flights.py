"""The debts of a pool's workers: calls in flight, and rows that wait for a batch."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from parallel_pool.core import _core
from parallel_pool.integrations.shards import batches
from parallel_pool.integrations.shards.rows import ReceivedRows
from parallel_pool.python.errors import EnvError
from parallel_pool.python.options.pool_options import of_engine
from parallel_pool.python.specs.spec import Spec

Ids = np.ndarray[Any, Any]  # env ids, int32


@dataclasses.dataclass(frozen=True)
class Part:
    """The envs of a call that are of one worker.

    Attributes:
        worker: the worker.
        env_ids: the envs, by their numbers in the pool.
        places: where they stand in the call.
        local: their numbers in the worker's shard.
    """

    worker: int
    env_ids: Ids
    places: Ids
    local: Ids


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of a worker that gives rows.

    Attributes:
        part: the envs.
        life: how often the worker was started again before.
        send: the number of the send.
        since: time.monotonic() of the call.
        into: arrays for some of the rows; see batches.copied().
    """

    part: Part
    life: int
    send: int
    since: float
    into: batches.Named


class Flights:
    """The envs of a pool as the user's process knows them.

    Attributes:
        envs: checks calls, and knows which envs are idle.
        num_batches: batches that were received.
        is_sync: whether a batch has all envs.
    """

    def __init__(self, spec: Spec, shards: Sequence[Ids]) -> None:
        """Nothing is in flight yet.

        Args:
            spec: of the pool.
            shards: the env ids of each worker.
        """
        self._spec, self._shards = spec, shards
        self._num_envs = sum(map(len, shards))
        self._batch_size: int = spec.config["batch_size"]
        self.is_sync: bool = self._batch_size == self._num_envs
        self.envs: _core.RemoteEnvs = _core.RemoteEnvs(
            spec.setup, of_engine(spec.config) | {"num_envs": self._num_envs}
        )
        self.num_batches: int = 0
        self._worker_of = np.empty(self._num_envs, np.int64)
        self._local = np.empty(self._num_envs, np.int32)
        for k, env_ids in enumerate(shards):
            self._worker_of[env_ids] = k
            self._local[env_ids] = np.arange(len(env_ids))
        self._of_players = batches.player_paths(spec)
        self._calls: dict[int, Call] = {}  # by ticket
        self._tickets = itertools.count()
        self._rows: list[ReceivedRows] = []
        self._sends: list[list[int]] = []  # sync pools: the env ids of each send
        self._sent = 0

    def parts(self, ids: Ids) -> Iterator[Part]:
        """The envs of a call, by worker."""
        for k in np.unique(self._worker_of[ids]).tolist():
            places = np.flatnonzero(self._worker_of[ids] == k)
            yield Part(k, ids[places], places, self._local[ids[places]])

    def send(self, ids: Ids, lives: Sequence[int]) -> dict[int, Call]:
        """The calls that give the rows of some envs, by ticket.

        Args:
            ids: what `envs` has returned.
            lives: how often each worker was started again.
        """
        calls = {}
        # The rows of a sync pool's worker are copied to their places as soon as they are there.
        whole = batches.observations(self._spec, len(ids)) if self.is_sync else {}
        for part in self.parts(ids):
            first, last = int(part.places[0]), int(part.places[-1]) + 1
            is_block = last - first == len(part.places)
            into = {path: rows[first:last] for path, rows in whole.items()} if is_block else {}
            life = lives[part.worker]
            calls[next(self._tickets)] = Call(part, life, self._sent, time.monotonic(), into)
        self._calls |= calls
        if self.is_sync:
            self._sends.append(ids.tolist())
        self._sent += 1
        return calls

    def take(self, ticket: int) -> Call | None:
        """A call that was answered; None if it was taken before."""
        return self._calls.pop(ticket, None)

    def late(self, limit_of: Callable[[int], float | None]) -> Iterator[tuple[Call, float]]:
        """Takes the calls that last longer than the limit of their worker, in seconds."""
        now = time.monotonic()
        for ticket, call in list(self._calls.items()):
            limit = limit_of(call.part.worker)
            if limit is not None and now - call.since > limit:
                del self._calls[ticket]
                yield call, limit

    def answer(
        self, call: Call, batch: batches.Batch, failed: Sequence[int] = (), text: str = ""
    ) -> None:
        """The rows of a call.

        Args:
            call: the call.
            batch: the worker's.
            failed: the envs that threw, by their numbers in the shard.
            text: the message of their EnvError.
        """
        env_ids = self._shards[call.part.worker]
        own = [int(env_ids[env]) for env in failed]
        if own:
            text = text.replace(f" env {failed[0]} ", f" env {own[0]} ", 1)
        arrays = batches.named(batch, env_ids)
        self._rows.append(ReceivedRows(call.part.env_ids.tolist(), call.send, arrays, own, text))

    def lose(self, call: Call, cause: str, raises: bool) -> None:
        """Rows that do not come: zeros, truncated; with `raises` the batch is an EnvError."""
        ids = call.part.env_ids.tolist()
        text = f"{self._spec.task_id} env {ids[0]}: {cause}"
        arrays = batches.lost(self._spec, ids)
        self._rows.append(ReceivedRows(ids, call.send, arrays, ids if raises else [], text))

    def is_ready(self, most: int | None = None) -> bool:
        """Whether the rows of the next batch are there; of an async pool at most `most` rows."""
        if self.is_sync:
            return not any(call.send == self._first_send for call in self._calls.values())
        return sum(len(rows.env_ids) for rows in self._rows) >= self._size(most)

    def _size(self, most: int | None) -> int:
        return self._batch_size if most is None else min(most, self._batch_size)

    @property
    def _first_send(self) -> int:
        return self._sent - len(self._sends)

    def batch(self, most: int | None = None) -> batches.Batch:
        """The next batch, of an async pool with at most `most` rows; its envs are idle then.

        Raises:
            EnvError: envs of it have failed.
        """
        size = self._size(most)
        chosen, order = self._next_of_sync() if self.is_sync else self._next_of_async(size)
        batch = batches.join([rows.arrays for rows in chosen], order, self._of_players)
        flags_of_players = (2,) in self._of_players
        running = np.ones(len(order), bool) if flags_of_players else ~(batch[2] | batch[3])
        owners = batch[4]["players"]["env_id"] if self._of_players else order
        players = np.bincount(owners, minlength=self._num_envs)[order]
        self.envs.receive(order, running, players)
        self.num_batches += 1
        failed = [env for rows in chosen for env in rows.failed]
        if failed:
            message = next(rows.message for rows in chosen if rows.failed)
            raise EnvError(message, failed, batch)
        return batch

    def _next_of_sync(self) -> tuple[list[ReceivedRows], list[int]]:
        first = self._first_send
        chosen = [rows for rows in self._rows if rows.send == first]
        self._rows = [rows for rows in self._rows if rows.send != first]
        return chosen, self._sends.pop(0)

    def _next_of_async(self, size: int) -> tuple[list[ReceivedRows], list[int]]:
        chosen: list[ReceivedRows] = []
        order: list[int] = []
        while len(order) < size:
            rows = self._rows.pop(0)
            room = size - len(order)
            if len(rows.env_ids) > room:  # the others are for the next batch
                rows, later = rows.split(room, self._of_players)
                self._rows.insert(0, later)
            chosen.append(rows)
            order += rows.arrays[batches.ENV_ID].tolist()
        return chosen, order
