"""Ray actors as the backend of a pool."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import itertools
import queue
import time
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from parallel_pool.integrations.ray import batches
from parallel_pool.integrations.ray.actions import read_actions, read_env_ids, take
from parallel_pool.integrations.ray.options import SentOptions
from parallel_pool.integrations.ray.rows import Rows
from parallel_pool.integrations.ray.shards import Shard
from parallel_pool.integrations.ray.workers import Crew, Message
from parallel_pool.python.env_options import EnvSetup
from parallel_pool.python.errors import EnvError
from parallel_pool.python.spec import Spec

_SLICE = 0.2  # seconds between two looks for workers that do not answer
# Ray sends smaller results with the message of the call; larger ones go through its object store,
# which costs milliseconds (100 KiB, RayConfig::max_direct_call_object_size).
_INLINE_BYTES = 100 << 10
_JUDGED_STEPS = 100  # step() warns after so many if one process would be faster
_MESSAGE_BYTES = 64 << 10  # of a graph's message, besides the arrays
_SHUT_DOWN = "its workers have ended with Ray, by ray.shutdown()"

_open_backends: weakref.WeakSet[RayBackend] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Ends the threads of all pools, before Ray and the interpreter end."""
    for backend in list(_open_backends):
        backend.close()


@dataclasses.dataclass
class _Call:
    """A call of a worker that gives rows."""

    worker: int
    life: int  # the restarts of the worker before the call
    env_ids: list[int]  # of the whole pool
    send: int  # the number of the send
    since: float


class RayBackend:
    """The envs of a spec in actors; a parallel_pool.python.native.Backend."""

    def __init__(
        self,
        spec: Spec,
        shards: list[Shard],
        cpus: float,
        transport: Literal["auto", "calls", "graph"],
        timeout: float,
        recv_timeout: float | None,
        max_restarts: int,
        strict: bool,
    ) -> None:
        """Starts an actor for each shard.

        Args:
            spec: of the whole pool.
            shards: its parts.
            cpus: what each actor takes of Ray's resource "CPU".
            transport: how the calls go; "auto": by a graph if the rows of a shard are large.
            timeout: seconds until all actors must be placed and have built their envs.
            recv_timeout: seconds in which a worker must answer; None: no limit.
            max_restarts: restarts of each worker; -1: no limit.
            strict: whether a death is an EnvError.

        Raises:
            TimeoutError: Ray cannot place the actors, or they do not build their envs in time.
            ValueError: an env cannot be built.
        """
        self.closed: bool = True  # until the actors are there
        self._spec, self._shards = spec, shards
        self._task_id = spec.task_id
        self._timeout, self._recv_timeout = timeout, recv_timeout
        self._max_restarts, self._strict = max_restarts, strict
        config = spec.config
        self._num_envs = sum(len(shard.env_ids) for shard in shards)
        self._batch_size = config["batch_size"]
        self._disabled = config["autoreset_mode"] == "disabled"
        self._worker_of = np.empty(self._num_envs, np.int64)
        self._local = np.empty(self._num_envs, np.int64)  # the env's number in its shard
        for k, shard in enumerate(shards):
            self._worker_of[shard.env_ids] = k
            self._local[shard.env_ids] = np.arange(len(shard.env_ids))
        self._of_players = batches.player_paths(spec)
        self._num_players = np.full(self._num_envs, spec.setup.most_players, np.int64)
        self._running = np.zeros(self._num_envs, bool)  # whether an episode runs
        self._in_flight = np.zeros(self._num_envs, bool)
        self._calls: dict[int, _Call] = {}  # by ticket
        self._tickets = itertools.count()
        self._rows: list[Rows] = []
        self._sends: list[list[int]] = []  # sync pools: the env ids of each send
        self._sent = 0
        self._steps, self._seconds = 0, 0.0  # of step()
        self._batches = 0  # that were received
        self._interrupted = False  # whether Ctrl-C has ended the last wait
        self._options = SentOptions(spec, shards)
        self._is_up = [True] * len(shards)
        self._closed_because = ""
        sizes = [batches.size(batches.lost(spec, shard.env_ids.tolist())) for shard in shards]
        self.is_graph: bool = transport == "graph" or (
            transport == "auto" and max(sizes) > _INLINE_BYTES
        )
        graph_bytes = [size + _MESSAGE_BYTES if self.is_graph else 0 for size in sizes]
        self._crew = Crew(self._task_id, shards, cpus, timeout, graph_bytes)
        self.restarts: list[int] = self._crew.restarts
        self.closed = False
        _open_backends.add(self)

    def __del__(self) -> None:
        """Closes the pool."""
        self.close()

    def _died(self, k: int, cause: str) -> None:
        """Starts worker k again; closes the pool if that happened too often."""
        self._crew.workers[k].end()
        self._is_up[k] = False
        if not self._crew.is_connected:
            self._closed_because = _SHUT_DOWN
            return
        if 0 <= self._max_restarts <= self.restarts[k]:
            self._closed_because = (
                f"worker {k} has ended {self.restarts[k] + 1} times, max_restarts is "
                f"{self._max_restarts}; the last: {cause}"
            )
            return
        self._crew.restart(k, self._options.of_restart(k))

    def _check_open(self) -> None:
        if not self.closed and not self._crew.is_connected:
            self._closed_because = _SHUT_DOWN
        if self._closed_because:
            self.close()
            raise RuntimeError(f"{self._task_id}: the pool was closed: {self._closed_because}")
        if self.closed:
            raise RuntimeError(f"{self._task_id}: the pool is closed")

    # Sending.

    def _ids(self, env_id: Any, reset: bool) -> list[int]:
        """The checked env ids of a call."""
        nobody = np.zeros(self._num_envs, bool)
        over = ~self._running if self._disabled and not reset else nobody
        return read_env_ids(self._task_id, env_id, self._in_flight, over)

    def _send(
        self, ids: list[int], name: str, args_of: Callable[[Any, Any], Sequence[Any]]
    ) -> None:
        """Calls each worker that has some of the envs; args_of(places in ids, local env ids)."""
        array = np.array(ids)
        # The rows of a sync pool's worker are copied to their places as soon as they are there.
        is_sync = self._batch_size == self._num_envs
        whole = batches.observations(self._spec, len(ids)) if is_sync else {}
        for k in np.unique(self._worker_of[array]).tolist():
            places = np.flatnonzero(self._worker_of[array] == k)
            first, last = int(places[0]), int(places[-1]) + 1
            is_block = last - first == len(places)
            into = {path: rows[first:last] for path, rows in whole.items()} if is_block else {}
            args = args_of(places, self._local[array[places]].astype(np.int32))
            own = array[places].tolist()
            ticket = next(self._tickets)
            self._calls[ticket] = _Call(k, self.restarts[k], own, self._sent, time.monotonic())
            self._crew.workers[k].send(ticket, (name, *args), into)
        self._in_flight[array] = True
        if self._batch_size == self._num_envs:
            self._sends.append(ids)
        self._sent += 1

    def send(self, action: Any, env_id: Any) -> None:
        """See Backend."""
        self._check_open()
        ids = self._ids(env_id, reset=False)
        players = self._num_players[ids]
        of_players = bool(self._spec.setup.most_players) and bool(
            self._spec.action_arrays[0].players
        )
        rows = int(players.sum()) if of_players else len(ids)
        checked = read_actions(self._task_id, action, self._spec.action_arrays, rows)
        owner = np.repeat(np.arange(len(ids)), players) if of_players else np.arange(len(ids))
        self._send(
            ids, "step", lambda places, local: (take(checked, np.isin(owner, places)), local)
        )

    def send_reset(self, env_id: Any, seeds: list[int] | None) -> None:
        """See Backend."""
        self._check_open()
        if env_id is None:
            self._take_back_interrupted()
        self._send_reset(self._ids(env_id, reset=True), seeds, None, [], [])

    def _send_reset(
        self,
        ids: list[int],
        seeds: list[int] | None,
        mask: list[bool] | None,
        options: list[Any],
        env_options: list[EnvSetup],
    ) -> None:
        def args(places: Any, local: Any) -> Sequence[Any]:
            own_seeds = None if seeds is None else [seeds[i] for i in places]
            own_mask = None if mask is None else [mask[i] for i in places]
            own = [env_options[i] for i in places] if env_options else []
            return local, own_seeds, own_mask, options, self._options.values(local, own)

        self._send(ids, "reset", args)

    # Receiving.

    def _is_ready(self) -> bool:
        if self._batch_size == self._num_envs:
            return not any(call.send == self._first_send() for call in self._calls.values())
        return bool(sum(len(rows.env_ids) for rows in self._rows) >= self._batch_size)

    def _first_send(self) -> int:
        return self._sent - len(self._sends)

    def recv(self, timeout: float | None) -> tuple[Any, ...]:
        """See Backend."""
        self._check_open()
        flying = int(self._in_flight.sum())
        if flying < self._least_rows():
            raise RuntimeError(
                f"{self._task_id}: recv() would wait forever: {flying} of the {self._batch_size} "
                "rows of a batch are in flight; send() or async_reset() first"
            )
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._is_ready():
            left = _SLICE if deadline is None else min(_SLICE, deadline - time.monotonic())
            try:
                self._take(self._crew.messages.get(timeout=max(0.0, left)))
            except KeyboardInterrupt:
                self._interrupted = True
                raise
            except queue.Empty:
                self._check_open()
                self._end_late()
                if deadline is not None and time.monotonic() >= deadline:
                    raise TimeoutError(f"{self._task_id}: no batch within {timeout} s") from None
        self._interrupted = False
        return self._batch()

    def _take_back_interrupted(self) -> None:
        """After a Ctrl-C in a step, receives what is in flight and drops it."""
        while self._interrupted and self._in_flight.sum() >= self._least_rows():
            with contextlib.suppress(EnvError):
                self.recv(None)
            self._interrupted = True
        self._interrupted = False

    def _least_rows(self) -> int:
        """How many rows must be in flight for a batch."""
        return 1 if self._batch_size == self._num_envs else self._batch_size

    def _take(self, message: Message) -> None:
        """Keeps the rows of a worker's answer, or those that it has lost."""
        k = message.worker
        if message.ticket is None:  # of its start; a death shows at its first call
            is_now = message.life == self.restarts[k]
            self._is_up[k] = self._is_up[k] or (is_now and message.kind == "built")
            return
        call = self._calls.pop(message.ticket, None)
        if call is None:  # it was late
            return
        kind, value = message.kind, message.value
        if kind == "died":
            self._lose(call, value)
            return
        if kind == "raised":
            name, text = value
            self._lose(call, f"{name}: {text}", died=False)
            return
        failed, text = [], ""
        if kind == "failed":
            text, local, value = value
            failed = [int(self._shards[k].env_ids[env]) for env in local]
            text = text.replace(f" env {local[0]} ", f" env {failed[0]} ", 1)
        arrays = batches.named(value, self._shards[k].env_ids)
        self._rows.append(Rows(call.env_ids, call.send, arrays, failed, text))

    def _lose(self, call: _Call, cause: str, died: bool = True) -> None:
        """The rows of a call that was not answered."""
        arrays = batches.lost(self._spec, call.env_ids)
        where = f"worker {call.worker} has ended: {cause}" if died else cause
        raises = self._strict or not died
        failed = call.env_ids if raises else []
        message = f"{self._task_id} env {call.env_ids[0]}: {where}"
        self._rows.append(Rows(call.env_ids, call.send, arrays, failed, message))
        # Other calls of the same life are lost, too, and say so themselves.
        if died and call.life == self.restarts[call.worker] and not self._closed_because:
            self._died(call.worker, cause)
            if self._closed_because:
                self._rows[-1].failed = call.env_ids

    def _end_late(self) -> None:
        """Ends workers that take too long."""
        now = time.monotonic()
        for ticket, call in list(self._calls.items()):
            limit = self._recv_timeout if self._is_up[call.worker] else self._timeout
            if limit is not None and now - call.since > limit:
                del self._calls[ticket]
                self._lose(call, f"it did not answer within {limit:g} s")

    def _batch(self) -> tuple[Any, ...]:
        if self._batch_size == self._num_envs:
            order = self._sends.pop(0)
            chosen = [rows for rows in self._rows if rows.send == self._first_send() - 1]
            self._rows = [rows for rows in self._rows if rows.send != self._first_send() - 1]
        else:
            chosen, order = [], []
            while len(order) < self._batch_size:
                rows = self._rows.pop(0)
                room = self._batch_size - len(order)
                if len(rows.env_ids) > room:  # the others are for the next batch
                    rows, later = rows.split(room, self._of_players)
                    self._rows.insert(0, later)
                chosen.append(rows)
                order += rows.arrays[4, "env_id"].tolist()
        batch = batches.join([rows.arrays for rows in chosen], order, self._of_players)
        self._in_flight[order] = False
        self._running[order] = True
        if not self._of_players or (2,) not in self._of_players:
            self._running[order] = ~(batch[2] | batch[3])
        if self._of_players:
            counts = np.bincount(batch[4]["players"]["env_id"], minlength=self._num_envs)
            self._num_players[order] = counts[order]
        self._batches += 1
        failed = [env for rows in chosen for env in rows.failed]
        if failed:
            message = next(rows.message for rows in chosen if rows.failed)
            raise EnvError(message, failed, batch)
        return batch

    def step(self, action: Any, env_id: Any) -> tuple[Any, ...]:
        """See Backend."""
        start = time.perf_counter()
        self.send(action, env_id)
        batch = self.recv(None)
        self._seconds += time.perf_counter() - start
        self._steps += 1
        if self._steps == _JUDGED_STEPS:
            self._warn_if_slower()
        return batch

    def _warn_if_slower(self) -> None:
        """Warns if one process would take less time than this pool."""
        answers = [worker.ask(("seconds",), self._recv_timeout) for worker in self._crew.workers]
        seconds = [value for kind, value in answers if kind == "result"]
        if len(seconds) == len(answers) and sum(seconds) < self._seconds:
            each, own = (1e3 * s / _JUDGED_STEPS for s in (self._seconds, sum(seconds)))
            warnings.warn(
                f"{self._task_id}: a step takes {each:.1f} ms over Ray, of which all envs together "
                f"take {own:.1f} ms: a pool of parallel_pool.make() in one process is faster",
                stacklevel=4,
            )

    def reset(
        self,
        env_id: Any,
        seeds: list[int] | None,
        mask: list[bool] | None,
        options: list[Any],
        env_options: list[Any],
    ) -> tuple[Any, ...]:
        """See Backend."""
        self._check_open()
        if env_id is None and mask is None:
            self._take_back_interrupted()
        ids = self._ids(env_id, reset=True)
        self._send_reset(ids, seeds, mask, options, env_options)
        self._options.keep(ids, env_options, mask)
        return self.recv(None)

    # Calls of idle envs.

    def _ask(
        self, env_id: Any, name: str, args_of: Callable[[Any, Any], Sequence[Any]]
    ) -> list[Any]:
        """A value for each env of a call that gives one."""
        self._check_open()
        return self._ask_workers(np.array(self._ids(env_id, reset=True)), name, args_of)

    def _ask_workers(
        self, ids: Any, name: str, args_of: Callable[[Any, Any], Sequence[Any]]
    ) -> list[Any]:
        answers: list[Any] = [None] * len(ids)
        for k in np.unique(self._worker_of[ids]).tolist():
            places = np.flatnonzero(self._worker_of[ids] == k)
            args = args_of(places, self._local[ids[places]].astype(np.int32))
            kind, value = self._crew.workers[k].ask((name, *args), self._recv_timeout)
            if kind == "died":
                self._died(k, value)
                raise RuntimeError(f"{self._task_id}: worker {k} has ended: {value}")
            if kind == "raised":
                errors: dict[str, type[Exception]] = {"ValueError": ValueError}
                raise errors.get(value[0], RuntimeError)(value[1])
            for i, place in enumerate(places):
                answers[place] = None if value is None else value[i]
        return answers

    def save(self, env_id: Any) -> list[bytes]:
        """See Backend."""
        return self._ask(env_id, "save", lambda _, local: (local,))

    def load(self, states: list[bytes], env_id: Any, env_options: list[Any]) -> None:
        """See Backend."""
        ids = self._ids(env_id, reset=True)

        def args(places: Any, local: Any) -> Sequence[Any]:
            own = [env_options[i] for i in places] if env_options else []
            return [states[i] for i in places], local, self._options.values(local, own)

        self._ask(ids, "load", args)
        self._options.keep(ids, env_options, None)
        self._running[ids] = True

    @property
    def env_options(self) -> list[Any]:
        """See Backend."""
        return self._options.setups

    def render(self, env_id: Any) -> Any:
        """See Backend."""
        return np.stack(self._ask(env_id, "render", lambda _, local: (local,)))

    def render_text(self, env_id: Any) -> tuple[str, ...]:
        """See Backend."""
        return tuple(self._ask(env_id, "render_text", lambda _, local: (local,)))

    def ask(self, envs: list[int], name: str, *args: Any) -> list[Any]:
        """Sends each env in Python a message; see PythonEnvs.ask(). An env in flight answers, too.

        Raises:
            RuntimeError: the pool is closed, a worker has ended, or an env threw.
            ValueError: the env refuses.
        """
        self._check_open()
        return self._ask_workers(
            np.array(envs), "ask", lambda _, local: (local.tolist(), name, *args)
        )

    def stats(self) -> dict[str, int]:
        """See Backend. A worker that was started again tells of its present life only."""
        self._check_open()
        total = {"steps": 0, "resets": 0, "episodes": 0, "batches": self._batches}
        for worker in self._crew.workers:
            kind, value = worker.ask(("stats",), self._recv_timeout)
            if kind == "result":
                for name in ("steps", "resets", "episodes"):
                    total[name] += value[name]
        return total

    def close(self) -> None:
        """Ends the actors; may be called again."""
        if self.closed:
            return
        self.closed = True
        self._crew.close()
