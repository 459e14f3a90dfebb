"""Ray actors as the backend of a pool."""

from __future__ import annotations

import atexit
import contextlib
import math
import queue
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from parallel_pool.integrations.ray.refusals import Refusals
from parallel_pool.integrations.ray.workers import ActorGroup, Message
from parallel_pool.integrations.shards.flights import Call, Flights, Ids, Part
from parallel_pool.integrations.shards.options import SentOptions
from parallel_pool.integrations.shards.split import Shard
from parallel_pool.python.errors import EnvError, closed_because
from parallel_pool.python.options.env_options import EnvSetup
from parallel_pool.python.specs.spec import Spec

_SLICE = 0.2  # seconds between two looks for workers that do not answer
_SHUT_DOWN = "its workers have ended with Ray, by ray.shutdown()"

_open_backends: weakref.WeakSet[RayBackend] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Ends the threads of all pools, before Ray and the interpreter end."""
    for backend in list(_open_backends):
        backend.close()


class RayBackend(Refusals):
    """The envs of a spec in actors; a parallel_pool.python.backend.Backend."""

    def __init__(
        self,
        spec: Spec,
        shards: list[Shard],
        cpus: float,
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
            timeout: seconds until all actors must be placed and have built their envs.
            recv_timeout: seconds in which a worker must answer; None: no limit.
            max_restarts: restarts of each worker; -1: no limit.
            strict: whether a death is an EnvError.

        Raises:
            TimeoutError: Ray cannot place the actors, or they do not build their envs in time.
            ValueError: an env cannot be built.
        """
        self.closed: bool = True  # until the actors are there
        self._task_id = spec.task_id
        self._timeout, self._recv_timeout = timeout, recv_timeout
        self._max_restarts, self._strict = max_restarts, strict
        self._flights = Flights(spec, [shard.env_ids for shard in shards])
        self._envs = self._flights.envs
        self._loads = 0  # calls of load()
        self._interrupted = False  # whether Ctrl-C has ended the last wait
        self._options = SentOptions(spec, shards)
        self._is_up = [True] * len(shards)
        self._closed_because = ""
        self._actors = ActorGroup(self._task_id, shards, cpus, timeout)
        self.restarts: list[int] = self._actors.restarts
        self.closed = False
        _open_backends.add(self)

    def __del__(self) -> None:
        """Closes the pool."""
        self.close()

    def _died(self, k: int, cause: str) -> None:
        """Starts worker k again; closes the pool if that happened too often."""
        self._actors.workers[k].end()
        self._is_up[k] = False
        if not self._actors.is_connected:
            self._closed_because = _SHUT_DOWN
            return
        if 0 <= self._max_restarts <= self.restarts[k]:
            self._closed_because = (
                f"worker {k} has ended {self.restarts[k] + 1} times, max_restarts is "
                f"{self._max_restarts}; the last: {cause}"
            )
            return
        self._actors.restart(k, self._options.of_restart(k))

    def check_usable(self) -> None:
        """RuntimeError if the pool is closed, or Ray has ended."""
        if not self.closed and not self._actors.is_connected:
            self._closed_because = _SHUT_DOWN
        if self._closed_because:
            self.close()
            raise closed_because(self._task_id, self._closed_because)
        if self.closed:
            raise RuntimeError(f"{self._task_id}: the pool is closed")

    # Sending.

    def _send(self, ids: Ids, name: str, args_of: Callable[[Part], Sequence[Any]]) -> None:
        """Calls each worker that has some of the envs."""
        for ticket, call in self._flights.send(ids, self.restarts).items():
            message = (name, *args_of(call.part))
            self._actors.workers[call.part.worker].send(ticket, message, call.into)

    def send(self, action: Any, env_id: Any) -> None:
        """See Backend."""
        self.check_usable()
        ids = self._envs.send(action, env_id)
        self._send(ids, "step", lambda part: (self._envs.action_of(part.env_ids), part.local))

    def send_reset(
        self, env_id: Any, seeds: list[int] | None, mask: list[bool] | None = None
    ) -> None:
        """See Backend."""
        self.check_usable()
        if env_id is None and mask is None:
            self._drop_in_flight()
        self._send_reset(env_id, seeds, mask, [], [])

    @property
    def ended(self) -> list[bool]:
        """See Backend."""
        return self._envs.ended

    @property
    def in_flight(self) -> int:
        """See Backend."""
        return self._envs.in_flight

    @property
    def moves(self) -> int:
        """See Backend."""
        return self._flights.num_batches + self._loads

    def _send_reset(
        self,
        env_id: Any,
        seeds: list[int] | None,
        mask: list[bool] | None,
        options: list[Any],
        env_options: list[EnvSetup],
    ) -> None:
        def args(part: Part) -> Sequence[Any]:
            places = part.places
            own_seeds = None if seeds is None else [seeds[i] for i in places]
            own_mask = None if mask is None else [mask[i] for i in places]
            own = [env_options[i] for i in places] if env_options else []
            return part.local, own_seeds, own_mask, options, self._options.values(part.local, own)

        ids = self._envs.send_reset(env_id)
        self._send(ids, "reset", args)
        self._options.keep(ids, env_options, mask)

    # Receiving.

    def recv(self, timeout: float | None, partial: bool = False) -> tuple[Any, ...]:
        """See Backend."""
        self.check_usable()
        seconds = self._envs.check_recv(timeout, partial)
        deadline = time.monotonic() + (math.inf if seconds is None else seconds)
        rows = self._envs.in_flight if partial else None
        while not self._flights.is_ready(rows):
            left = min(_SLICE, deadline - time.monotonic())
            message = None
            try:
                message = self._actors.messages.get(timeout=max(0.0, left))
            except KeyboardInterrupt:
                self._interrupted = True
                raise
            except queue.Empty:
                pass
            if message is not None:
                self._take(message)
                continue
            self.check_usable()
            for call, limit in self._flights.late(self._limit_of):
                self._lose(call, f"it did not answer within {limit:g} s")
            if seconds is not None and time.monotonic() >= deadline:
                self._envs.time_out(seconds)
        self._interrupted = False
        return self._flights.batch(rows)

    def _limit_of(self, k: int) -> float | None:
        """The longest time of a call of worker k in seconds, or None."""
        return self._recv_timeout if self._is_up[k] else self._timeout

    def _drop_in_flight(self) -> None:
        """Before a reset of all envs: drops what is in flight; in a sync pool after a Ctrl-C."""
        while (self._interrupted or not self._flights.is_sync) and self._envs.in_flight:
            with contextlib.suppress(EnvError):
                self.recv(None, partial=True)
            self._interrupted = True
        self._interrupted = False

    def _take(self, message: Message) -> None:
        """Keeps the rows of a worker's answer, or those that it has lost."""
        k = message.worker
        if message.ticket is None:  # of its start; a death shows at its first call
            is_now = message.life == self.restarts[k]
            self._is_up[k] = self._is_up[k] or (is_now and message.kind == "built")
            return
        call = self._flights.take(message.ticket)
        if call is None:  # it was late
            return
        kind, value = message.kind, message.value
        if kind == "died":
            self._lose(call, value)
        elif kind == "raised":
            name, text = value
            self._flights.lose(call, f"{name}: {text}", raises=True)
        elif kind == "failed":
            text, failed, batch = value
            self._flights.answer(call, batch, failed, text)
        else:
            self._flights.answer(call, value)

    def _lose(self, call: Call, cause: str) -> None:
        """Loses the rows of a call whose worker has ended; starts the worker again."""
        k = call.part.worker
        # Other calls of the same life are lost, too, and say so themselves.
        if call.life == self.restarts[k] and not self._closed_because:
            self._died(k, cause)
        raises = self._strict or bool(self._closed_because)
        self._flights.lose(call, f"worker {k} has ended: {cause}", raises)

    def step(self, action: Any, env_id: Any) -> tuple[Any, ...]:
        """See Backend."""
        self.send(action, env_id)
        return self.recv(None)

    def reset(
        self,
        env_id: Any,
        seeds: list[int] | None,
        mask: list[bool] | None,
        options: list[Any],
        env_options: list[Any],
    ) -> tuple[Any, ...]:
        """See Backend."""
        self.check_usable()
        if env_id is None and mask is None:
            self._drop_in_flight()
        self._send_reset(env_id, seeds, mask, options, env_options)
        return self.recv(None)

    # Calls of idle envs.

    def _request(self, ids: Ids, name: str, args_of: Callable[[Part], Sequence[Any]]) -> list[Any]:
        """A value for each env of a call that gives one."""
        answers: list[Any] = [None] * len(ids)
        for part in self._flights.parts(ids):
            k = part.worker
            kind, value = self._actors.workers[k].request(
                (name, *args_of(part)), self._recv_timeout
            )
            if kind == "died":
                self._died(k, value)
                raise RuntimeError(f"{self._task_id}: worker {k} has ended: {value}")
            if kind == "raised":
                errors: dict[str, type[Exception]] = {"ValueError": ValueError}
                raise errors.get(value[0], RuntimeError)(value[1])
            for i, place in enumerate(part.places):
                answers[place] = None if value is None else value[i]
        return answers

    def _idle(self, env_id: Any) -> Ids:
        self.check_usable()
        ids: Ids = self._envs.idle(env_id)
        return ids

    def save(self, env_id: Any) -> list[bytes]:
        """See Backend."""
        return self._request(self._idle(env_id), "save", lambda part: (part.local,))

    def load(self, states: list[bytes], env_id: Any, env_options: list[Any]) -> None:
        """See Backend."""
        ids = self._idle(env_id)

        def args(part: Part) -> Sequence[Any]:
            own = [env_options[i] for i in part.places] if env_options else []
            own_states = [states[i] for i in part.places]
            return own_states, part.local, self._options.values(part.local, own)

        self._request(ids, "load", args)
        self._options.keep(ids, env_options, None)
        self._envs.begin(ids)
        self._loads += 1

    @property
    def env_options(self) -> list[Any]:
        """See Backend."""
        return self._options.setups

    def render(self, env_id: Any) -> Any:
        """See Backend."""
        return np.stack(self._request(self._idle(env_id), "render", lambda part: (part.local,)))

    def render_text(self, env_id: Any) -> tuple[str, ...]:
        """See Backend."""
        return tuple(self._request(self._idle(env_id), "render_text", lambda part: (part.local,)))

    def request(self, envs: list[int], name: str, *args: Any) -> list[Any]:
        """Sends each env in Python a message: PythonEnvs.request(). An env in flight answers, too.

        Raises:
            RuntimeError: a worker has ended, or an env threw.
            ValueError: the env refuses.
        """
        return self._request(
            np.array(envs), "request", lambda part: (part.local.tolist(), name, *args)
        )

    def stats(self) -> dict[str, int]:
        """See Backend. A worker that was started again tells of its present life only."""
        self.check_usable()
        total = {"steps": 0, "resets": 0, "episodes": 0, "batches": self._flights.num_batches}
        for worker in self._actors.workers:
            kind, value = worker.request(("stats",), self._recv_timeout)
            if kind == "result":
                for name in ("steps", "resets", "episodes"):
                    total[name] += value[name]
        return total

    def close(self) -> None:
        """Ends the actors; may be called again."""
        if self.closed:
            return
        self.closed = True
        self._actors.close()
