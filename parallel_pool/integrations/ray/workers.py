"""The workers of a pool: an actor for each shard, and a thread that calls it."""

from __future__ import annotations

import dataclasses
import queue
import threading
import time
from typing import Any

import ray
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from parallel_pool.integrations.ray.actor import Answer, RemoteActor
from parallel_pool.integrations.ray.placement import reserve
from parallel_pool.integrations.shards import batches
from parallel_pool.integrations.shards.options import OwnOptions
from parallel_pool.integrations.shards.split import Shard

_END_SECONDS = 30.0  # in which the threads of a closed pool must end


def connection() -> str:
    """The id of this program's connection to Ray; "" if there is none.

    Ray connects again by itself at any call after ray.shutdown(), and may start a cluster for it.
    Code that may run after ray.shutdown() compares this id first.
    """
    if not ray.is_initialized():
        return ""
    context = ray.get_runtime_context()
    return f"{context.get_session_name()} {context.get_job_id()}"


@dataclasses.dataclass
class Message:
    """A message of a worker.

    Attributes:
        worker: the number of the worker.
        life: how often it was started again before.
        ticket: the ticket of the call; None: of the start.
        kind: the first of an Answer; "built" and "died" also say how the start has ended.
        value: the second; of "died" the cause.
    """

    worker: int
    life: int
    ticket: int | None
    kind: str
    value: Any


@dataclasses.dataclass
class _Call:
    """The arguments of ActorClient.send()."""

    ticket: int
    message: tuple[Any, ...]
    into: batches.Named


class ActorClient:
    """One life of an actor.

    Its thread sends the calls and waits for their answers, one after another, so that an answer is
    copied out of Ray's memory while other workers still compute.
    """

    def __init__(
        self, number: int, life: int, actor: Any, messages: queue.SimpleQueue[Message]
    ) -> None:
        """Starts the thread.

        Args:
            number: of the worker.
            life: how often it was started again.
            actor: an ActorHandle of RemoteActor.
            messages: where its messages go.
        """
        self.life = life
        self._number, self._actor = number, actor
        self._connection = connection()
        self._messages = messages
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"ray worker {number}", daemon=True)
        self._thread.start()

    def send(self, ticket: int, call: tuple[Any, ...], into: batches.Named) -> None:
        """Sends a call: the name of a method of the backend, and its arguments.

        Arrays of the answer are copied into those of `into`, whose rows they have.
        """
        self._calls.put(_Call(ticket, call, into))

    def request(self, call: tuple[Any, ...], timeout: float | None) -> Answer:
        """The answer of a call of idle envs; ("died", cause) if it does not come."""
        try:
            answer: Answer = ray.get(self._actor.call.remote(call), timeout=timeout)
            return answer
        except ray.exceptions.GetTimeoutError:
            return "died", f"it did not answer within {timeout:g} s"
        except Exception as error:
            return self._failure(error)

    def stop(self) -> None:
        """Ends the thread after the calls that it has."""
        self._calls.put(None)

    def end(self) -> None:
        """Ends the process; calls that are not answered are answered by "died"."""
        self.stop()
        if self._is_connected():  # else it has ended with Ray
            ray.kill(self._actor)

    def has_ended(self, timeout: float) -> bool:
        """Whether the thread, too, has ended, at most `timeout` seconds later."""
        if self._thread is not threading.current_thread():  # which may collect the pool's garbage
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _is_connected(self) -> bool:
        return connection() == self._connection

    def _run(self) -> None:
        kind, value = "built", None
        try:
            ray.get(self._actor.call.remote(("built",)))
        except Exception as error:
            kind, value = self._failure(error)
        self._say(None, kind, value)
        while (call := self._calls.get()) is not None:
            self._say(call.ticket, *self._answer(call))
            del call  # and with it the arrays

    def _say(self, ticket: int | None, kind: str, value: Any) -> None:
        self._messages.put(Message(self._number, self.life, ticket, kind, value))

    def _answer(self, call: _Call) -> Answer:
        if not self._is_connected():
            return "died", "Ray was shut down"
        try:
            kind, value = ray.get(self._actor.call.remote(call.message))
        except Exception as error:
            return self._failure(error)
        if kind == "result":  # Ray's memory is read-only
            return kind, batches.copied(value, call.into)
        if kind == "failed":
            text, env_ids, batch = value
            return kind, (text, env_ids, batches.copied(batch, call.into))
        return kind, value

    def _failure(self, error: Exception) -> Answer:
        """("raised", ...) if the actor lives, else ("died", cause)."""
        if isinstance(error, ray.exceptions.RayTaskError):
            return "raised", (type(error.cause).__name__, str(error.cause))
        lines = str(error).strip().splitlines()
        return "died", lines[0] if lines else type(error).__name__


class ActorGroup:
    """Places the workers of a pool on the nodes, and starts them, also again."""

    def __init__(self, task_id: str, shards: list[Shard], cpus: float, timeout: float) -> None:
        """Reserves the CPUs, and starts the workers.

        Args:
            task_id: for errors.
            shards: one for each worker.
            cpus: what each takes of Ray's resource "CPU".
            timeout: seconds until all must be placed and have built their envs.

        Raises:
            TimeoutError: Ray cannot place them, or they do not build their envs in time.
            ValueError: an env cannot be built, or the cluster has too few CPUs for the workers.
        """
        self.restarts: list[int] = [0] * len(shards)
        self.messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self.workers: list[ActorClient] = []
        self._ended: list[ActorClient] = []  # former lives, whose threads may still run
        self._connection = connection()
        self._task_id, self._shards, self._cpus = task_id, shards, cpus
        self._num_envs = sum(len(shard.env_ids) for shard in shards)
        self._group = reserve(task_id, len(shards), cpus, timeout)
        try:
            self.workers = [self._start(k, []) for k in range(len(shards))]
            self._await_start(timeout)
        except BaseException:
            self.close()
            raise

    def restart(self, k: int, own_options: list[OwnOptions]) -> None:
        """Starts worker k again, whose envs have these options; [] if they do not differ."""
        self._ended = [worker for worker in self._ended if not worker.has_ended(0)]
        self._ended.append(self.workers[k])
        self.restarts[k] += 1
        self.workers[k] = self._start(k, own_options)

    @property
    def is_connected(self) -> bool:
        """Whether Ray is still the one that the workers were started in."""
        return connection() == self._connection

    def close(self) -> None:
        """Ends the workers and their threads: nothing of the pool calls Ray afterwards."""
        for worker in self.workers:
            worker.stop()
        for worker in self.workers:
            worker.end()
        if self.is_connected:
            ray.util.remove_placement_group(self._group)
        self._await_end(_END_SECONDS)

    def _await_end(self, timeout: float) -> None:
        """Waits for all threads, at most so many seconds."""
        deadline = time.monotonic() + timeout
        for worker in self._ended + self.workers:
            worker.has_ended(max(0.0, deadline - time.monotonic()))

    def _start(self, k: int, own_options: list[OwnOptions]) -> ActorClient:
        placed = PlacementGroupSchedulingStrategy(self._group, placement_group_bundle_index=k)
        shard = self._shards[k]
        # An env of its own for each restart: no two envs of a run share a seed.
        seeds = [seed + self.restarts[k] * self._num_envs for seed in shard.seeds]
        actor = RemoteActor.options(
            num_cpus=self._cpus, scheduling_strategy=placed, max_restarts=0, max_task_retries=0
        ).remote(shard, seeds, own_options)
        return ActorClient(k, self.restarts[k], actor, self.messages)

    def _await_start(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        for done in range(len(self.workers)):
            try:
                message = self.messages.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError(
                    f"{self._task_id}: {len(self.workers) - done} of {len(self.workers)} workers "
                    f"have not built their envs within {timeout:g} s"
                ) from None
            if message.kind != "built":
                raise ValueError(
                    f"{self._task_id}: a worker cannot build its envs: {message.value}"
                )
