"""Ray actors as the backend of a pool."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import ray
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from parallel_pool.integrations.ray import batches
from parallel_pool.integrations.ray.actions import read_actions, take
from parallel_pool.integrations.ray.shards import Shard
from parallel_pool.python.errors import EnvError
from parallel_pool.python.spec import Spec

_SLICE = 0.2  # seconds between two looks for workers that do not answer
_DEATHS = (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError)


class _Worker:
    """The pool of a shard; an actor."""

    def __init__(self, shard: Shard, seeds: list[int]) -> None:
        self._native = shard.spec(seeds).open("gymnasium")

    def where(self) -> str:
        """The node, when the envs are built."""
        return str(ray.util.get_node_ip_address())

    def call(self, name: str, *args: Any) -> tuple[str, Any]:
        """A method of the backend: ("result", value), or ("failed", ...), or ("raised", ...)."""
        try:
            return "result", getattr(self._native, name)(*args)
        except EnvError as error:
            return "failed", (str(error), error.env_ids, error.result)
        except Exception as error:
            return "raised", (type(error).__name__, str(error))


@dataclasses.dataclass
class _Call:
    """A call of a worker that gives rows."""

    worker: int
    life: int  # the restarts of the worker before the call
    env_ids: list[int]  # of the whole pool
    send: int  # the number of the send
    since: float


@dataclasses.dataclass
class _Rows:
    """Rows that a worker has given and that the user has not received."""

    env_ids: list[int]
    send: int
    arrays: batches.Named
    failed: list[int]  # env ids
    message: str


class RayBackend:
    """The envs of a spec in actors; a parallel_pool.python.native.Backend."""

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
        self._spec, self._shards = spec, shards
        self._task_id = spec.task_id
        self._cpus, self._timeout, self._recv_timeout = cpus, timeout, recv_timeout
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
        self._calls: dict[Any, _Call] = {}  # by Ray's reference
        self._rows: list[_Rows] = []
        self._sends: list[list[int]] = []  # sync pools: the env ids of each send
        self._sent = 0
        self.restarts = [0] * len(shards)
        self.closed = False
        self._closed_because = ""
        self._group = ray.util.placement_group([{"CPU": cpus}] * len(shards), strategy="SPREAD")
        self._actors: list[Any] = []
        self._is_up = [False] * len(shards)
        try:
            self._place()
            self._actors = [self._start(k) for k in range(len(shards))]
            self._await_start()
        except BaseException:
            self.close()
            raise

    # The workers.

    def _place(self) -> None:
        ready, _ = ray.wait([self._group.ready()], timeout=self._timeout)
        if ready:
            return
        cpus = [node["Resources"].get("CPU", 0.0) for node in ray.nodes() if node["Alive"]]
        free = ray.available_resources().get("CPU", 0.0)
        raise TimeoutError(
            f"{self._task_id}: Ray could not place {len(self._shards)} workers of "
            f"{self._cpus:g} CPUs within {self._timeout:g} s: its nodes have "
            f"{', '.join(f'{n:g}' for n in cpus)} CPUs, of which {free:g} are free; give "
            "num_workers or num_cpus_per_worker"
        )

    def _start(self, k: int) -> Any:
        """A new actor for shard k."""
        placed = PlacementGroupSchedulingStrategy(self._group, placement_group_bundle_index=k)
        shard = self._shards[k]
        # An env of its own for each restart: no two envs of a run share a seed.
        seeds = [seed + self.restarts[k] * self._num_envs for seed in shard.seeds]
        actor = ray.remote(_Worker).options(
            num_cpus=self._cpus, scheduling_strategy=placed, max_restarts=0, max_task_retries=0
        )
        return actor.remote(shard, seeds)

    def _await_start(self) -> None:
        waiting = [actor.where.remote() for actor in self._actors]
        ready, late = ray.wait(waiting, num_returns=len(waiting), timeout=self._timeout)
        for reference in ready:
            try:
                ray.get(reference)
            except ray.exceptions.RayActorError as error:
                cause = str(error).strip().splitlines()[-1]
                raise ValueError(
                    f"{self._task_id}: a worker cannot build its envs: {cause}"
                ) from None
        if late:
            raise TimeoutError(
                f"{self._task_id}: {len(late)} of {len(waiting)} workers have not built their envs "
                f"within {self._timeout:g} s"
            )
        self._is_up = [True] * len(self._actors)

    def _died(self, k: int, cause: str) -> None:
        """Starts worker k again; closes the pool if that happened too often."""
        ray.kill(self._actors[k])
        self._is_up[k] = False
        if 0 <= self._max_restarts <= self.restarts[k]:
            self._closed_because = (
                f"worker {k} has ended {self.restarts[k] + 1} times, max_restarts is "
                f"{self._max_restarts}; the last: {cause}"
            )
            return
        self.restarts[k] += 1
        self._actors[k] = self._start(k)

    def _check_open(self) -> None:
        if self._closed_because:
            self.close()
            raise RuntimeError(f"{self._task_id}: the pool was closed: {self._closed_because}")
        if self.closed:
            raise RuntimeError(f"{self._task_id}: the pool is closed")

    # Sending.

    def _ids(self, env_id: Any, reset: bool) -> list[int]:
        """The checked env ids of a call."""
        what = f"{self._task_id}: env_id"
        if env_id is None:
            ids = np.arange(self._num_envs)
        else:
            ids = np.atleast_1d(env_id)
            if ids.dtype.kind not in "iu":
                raise TypeError(f"{what} must be integers, not {ids.dtype}")
            if ids.ndim != 1 or not len(ids):
                raise ValueError(f"{what} has shape {ids.shape}; it must be (rows,)")
        seen: set[int] = set()
        for i, env in enumerate(ids.tolist()):
            if not 0 <= env < self._num_envs:
                raise ValueError(
                    f"{what}[{i}] = {env}: there is no such env; allowed are 0 to "
                    f"{self._num_envs - 1}"
                )
            if env in seen:
                raise ValueError(
                    f"{what}[{i}] = {env} occurs twice: send an env one action at a time"
                )
            if self._in_flight[env]:
                raise ValueError(f"{what}[{i}] = {env} is in flight: recv() its result first")
            if self._disabled and not reset and not self._running[env]:
                raise ValueError(f"{what}[{i}] = {env}: its episode has ended; reset it first")
            seen.add(env)
        return [int(env) for env in ids]

    def _send(
        self, ids: list[int], name: str, args_of: Callable[[Any, Any], Sequence[Any]]
    ) -> None:
        """Calls each worker that has some of the envs; args_of(places in ids, local env ids)."""
        array = np.array(ids)
        for k in np.unique(self._worker_of[array]).tolist():
            places = np.flatnonzero(self._worker_of[array] == k)
            args = args_of(places, self._local[array[places]].astype(np.int32))
            reference = self._actors[k].call.remote(name, *args)
            own = array[places].tolist()
            self._calls[reference] = _Call(k, self.restarts[k], own, self._sent, time.monotonic())
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
        self._send_reset(self._ids(env_id, reset=True), seeds, None, [])

    def _send_reset(
        self, ids: list[int], seeds: list[int] | None, mask: list[bool] | None, options: list[Any]
    ) -> None:
        def args(places: Any, local: Any) -> Sequence[Any]:
            own_seeds = None if seeds is None else [seeds[i] for i in places]
            own_mask = None if mask is None else [mask[i] for i in places]
            return local, own_seeds, own_mask, options, []

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
        if flying < (1 if self._batch_size == self._num_envs else self._batch_size):
            raise RuntimeError(
                f"{self._task_id}: recv() would wait forever: {flying} of the {self._batch_size} "
                "rows of a batch are in flight; send() or async_reset() first"
            )
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._is_ready():
            left = _SLICE if deadline is None else min(_SLICE, deadline - time.monotonic())
            ready, _ = ray.wait(list(self._calls), timeout=max(0.0, left))
            for reference in ready:
                self._take(reference)
            self._end_late()
            if not ready and deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"{self._task_id}: no batch within {timeout} s")
        return self._batch()

    def _take(self, reference: Any) -> None:
        """Keeps the rows of a worker's answer, or those that it has lost."""
        call = self._calls.pop(reference)
        shard = self._shards[call.worker]
        try:
            kind, value = ray.get(reference)
        except _DEATHS as error:
            lines = str(error).strip().splitlines()
            self._lose(call, lines[0] if lines else type(error).__name__)
            return
        self._is_up[call.worker] = True
        if kind == "raised":
            name, text = value
            self._lose(call, f"{name}: {text}", died=False)
            return
        failed, message = [], ""
        if kind == "failed":
            message, local, value = value
            failed = [int(shard.env_ids[env]) for env in local]
            message = message.replace(f" env {local[0]} ", f" env {failed[0]} ", 1)
        arrays = batches.named(value, shard.env_ids)
        self._rows.append(_Rows(call.env_ids, call.send, arrays, failed, message))

    def _lose(self, call: _Call, cause: str, died: bool = True) -> None:
        """The rows of a call that was not answered."""
        arrays = batches.lost(self._spec, call.env_ids)
        where = f"worker {call.worker} has ended: {cause}" if died else cause
        raises = self._strict or not died
        failed = call.env_ids if raises else []
        message = f"{self._task_id} env {call.env_ids[0]}: {where}"
        self._rows.append(_Rows(call.env_ids, call.send, arrays, failed, message))
        # Other calls of the same life are lost, too, and say so themselves.
        if died and call.life == self.restarts[call.worker] and not self._closed_because:
            self._died(call.worker, cause)
            if self._closed_because:
                self._rows[-1].failed = call.env_ids

    def _end_late(self) -> None:
        """Ends workers that take too long."""
        now = time.monotonic()
        for reference, call in list(self._calls.items()):
            limit = self._recv_timeout if self._is_up[call.worker] else self._timeout
            if limit is not None and now - call.since > limit:
                del self._calls[reference]
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
                    rows, later = self._split(rows, room)
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
        failed = [env for rows in chosen for env in rows.failed]
        if failed:
            message = next(rows.message for rows in chosen if rows.failed)
            raise EnvError(message, failed, batch)
        return batch

    def _split(self, rows: _Rows, count: int) -> tuple[_Rows, _Rows]:
        """The first `count` envs, and the others."""
        ids = rows.arrays[4, "env_id"]
        first = set(ids[:count].tolist())

        def part(keep: Callable[[int], bool]) -> _Rows:
            masks = {
                path: np.array([keep(int(env)) for env in rows.arrays[path]], bool)
                for path in ((4, "env_id"), (4, "players", "env_id"))
            }
            own = {
                path: array[
                    masks[4, "players", "env_id"]
                    if path in self._of_players or path == (4, "players", "env_id")
                    else masks[4, "env_id"]
                ]
                for path, array in rows.arrays.items()
            }
            failed = [env for env in rows.failed if keep(env)]
            return _Rows([e for e in rows.env_ids if keep(e)], rows.send, own, failed, rows.message)

        return part(lambda env: env in first), part(lambda env: env not in first)

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
        self._check_open()
        if env_options:
            raise ValueError(f"{self._task_id}: over Ray, per_env cannot change after make()")
        self._send_reset(self._ids(env_id, reset=True), seeds, mask, options)
        return self.recv(None)

    # Calls of idle envs.

    def _ask(
        self, env_id: Any, name: str, args_of: Callable[[Any, Any], Sequence[Any]]
    ) -> list[Any]:
        """A value for each env of a call that gives one."""
        self._check_open()
        ids = np.array(self._ids(env_id, reset=True))
        answers: list[Any] = [None] * len(ids)
        for k in np.unique(self._worker_of[ids]).tolist():
            places = np.flatnonzero(self._worker_of[ids] == k)
            args = args_of(places, self._local[ids[places]].astype(np.int32))
            try:
                kind, value = ray.get(self._actors[k].call.remote(name, *args))
            except _DEATHS as error:
                self._died(k, str(error).splitlines()[0])
                raise RuntimeError(f"{self._task_id}: worker {k} has ended: {error}") from None
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
        if env_options:
            raise ValueError(f"{self._task_id}: over Ray, per_env cannot change after make()")
        ids = self._ids(env_id, reset=True)
        self._ask(ids, "load", lambda places, local: ([states[i] for i in places], local, []))
        self._running[ids] = True

    @property
    def env_options(self) -> list[Any]:
        """See Backend."""
        return self._spec.envs.native()

    def render(self, env_id: Any) -> Any:
        """See Backend."""
        return np.stack(self._ask(env_id, "render", lambda _, local: (local,)))

    def render_text(self, env_id: Any) -> tuple[str, ...]:
        """See Backend."""
        return tuple(self._ask(env_id, "render_text", lambda _, local: (local,)))

    def close(self) -> None:
        """Ends the actors; may be called again."""
        if self.closed:
            return
        self.closed = True
        _ignore(ray.kill(actor) for actor in self._actors)
        _ignore(ray.util.remove_placement_group(group) for group in (self._group,))


def _ignore(calls: Iterable[Any]) -> None:
    """Makes the calls; Ray may have been shut down before."""
    if ray.is_initialized():
        for _ in calls:
            pass
