"""RayPool: the pool over all workers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import ray

from parallel_pool.integrations.ray.backend import RayBackend
from parallel_pool.integrations.shards.split import split
from parallel_pool.python.apis.gymnasium_api import Pool
from parallel_pool.python.specs.registry import make_spec
from parallel_pool.python.specs.several_tasks import Entry
from parallel_pool.python.specs.spec import Spec
from parallel_pool.python_envs.pool import TupleSpaces
from parallel_pool.python_envs.spec import PythonTask


class RayPool(Pool):
    """A pool whose envs are in Ray actors, each with a pool of its own.

    It has the functions of a Gymnasium pool, sync or async, with `env_id` of the whole pool. Each
    env equals that of a pool in this process by its seed, bit for bit. A call costs about a
    millisecond and the copies of the arrays, so tasks whose batch takes less are faster in one
    process.

    A worker that dies loses only its own rows: they are zero and truncated, and set in the mask
    `info["lost"]`, which is there only then. It is started again with other seeds, and the next
    step resets its envs.
    """

    _native: Any = None  # a RayBackend

    def __new__(cls, task: Any, *_: Any, **__: Any) -> RayPool:
        """A pool of envs in Python has get_attr(), set_attr() and call() of the envs."""
        is_python = isinstance(task, Spec) and isinstance(task.source, PythonTask)
        made: RayPool = super().__new__(_OfPythonEnvs if is_python and cls is RayPool else cls)
        return made

    def __init__(
        self,
        task: str | Sequence[Entry] | Spec,
        num_envs: int | Sequence[int] = 1,
        num_workers: int | Literal["nodes"] = "nodes",
        *,
        num_cpus_per_worker: float | None = None,
        num_threads_per_worker: int = 0,
        batch_size: int = 0,
        timeout: float = 60.0,
        recv_timeout: float | None = None,
        max_restarts: int = -1,
        strict: bool = False,
        **options: Any,
    ) -> None:
        """Starts the workers.

        Args:
            task: as of parallel_pool.make(); or a spec, such as of make_python_spec().
            num_envs: envs of all workers; several tasks may have a number each.
            num_workers: the number of actors; "nodes": one for each node of the cluster.
            num_cpus_per_worker: what Ray reserves for each; None: the CPUs of the smallest node.
            num_threads_per_worker: threads of each pool; 0: as many as its machine can run at once.
            batch_size: rows that recv() returns; 0 means num_envs (sync). Less: the rows of those
                workers that were done first.
            timeout: seconds in which Ray must place the workers, and they must build their envs.
            recv_timeout: seconds in which a worker must answer; then it is ended. None: no limit.
            max_restarts: restarts of each worker, after which the pool is closed; -1: no limit.
            strict: whether the death of a worker is an EnvError.
            **options: those of parallel_pool.make(); of a spec none. Without `seed`, here or in the
                spec, the system draws one.

        Raises:
            TimeoutError: Ray cannot place the workers within `timeout`; the message names the
                resources.
            TypeError, ValueError: as of parallel_pool.make(); or the cluster has fewer CPUs than
                the workers need, even if all were free, and does not grow.
        """
        if isinstance(task, Spec):
            if options or num_envs != 1:
                raise TypeError(
                    f"{task.task_id}: the spec has all options already; give them to what made it"
                )
            spec = task
        else:
            options = options | {"num_envs": num_envs, "batch_size": batch_size}
            spec = make_spec(task, **options)
        spec = spec.with_own_seed()
        if spec.config["pin_memory"]:
            raise ValueError(
                f"{spec.task_id}: pin_memory is True; a RayPool cannot have it: Ray has "
                "the memory of its batches"
            )
        for name in ("normalize_observation", "normalize_reward"):
            if spec.config[name]:
                raise ValueError(
                    f"{spec.task_id}: {name} is True; a RayPool cannot have it: each worker would "
                    "count only the rows of its own envs"
                )
        if not ray.is_initialized():
            ray.init()
        nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        workers = len(nodes) if num_workers == "nodes" else num_workers
        if not isinstance(workers, int) or workers < 1:
            raise ValueError(
                f"{spec.task_id}: num_workers is {num_workers!r}; it must be a number from 1 on, "
                "or 'nodes'"
            )
        cpus = num_cpus_per_worker
        if cpus is None:
            per_node = -(-workers // len(nodes))
            cpus = max(1.0, min(node["Resources"]["CPU"] for node in nodes) // per_node)
        shards = split(spec, workers, num_threads_per_worker)
        if len(nodes) == 1:
            warnings.warn(
                f"{spec.task_id}: Ray has one node: a pool of parallel_pool.make() is faster there",
                stacklevel=2,
            )
        backend = RayBackend(spec, shards, cpus, timeout, recv_timeout, max_restarts, strict)
        super().__init__(spec, backend)

    @property
    def lost(self) -> list[int]:
        """How often each worker was started again."""
        return list(self._native.restarts)

    @property
    def num_workers(self) -> int:
        """The number of actors."""
        return len(self._native.restarts)

    def close(self, **kwargs: Any) -> None:
        """Ends the workers; may be called again. Arrays stay valid.

        Nothing of the pool calls Ray afterwards, so that ray.shutdown() may follow.
        """
        if self._native is not None:  # the constructor may have failed
            super().close()
        self.closed = True

    def __reduce__(self) -> tuple[Any, ...]:
        """TypeError: the actors belong to this program."""
        raise TypeError(f"{self._pool_spec.task_id}: a RayPool cannot be pickled or copied")

    def __repr__(self) -> str:
        """The call that makes such a pool, in short."""
        closed = " (closed)" if self._native.closed else ""
        return (
            f"RayPool({self._pool_spec.task_id!r}, num_envs={self.num_envs}, "
            f"num_workers={self.num_workers}){closed}"
        )


class _OfPythonEnvs(TupleSpaces, RayPool):
    """A RayPool of envs in Python."""

    __repr__ = RayPool.__repr__
