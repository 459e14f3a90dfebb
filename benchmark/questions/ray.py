"""A step of a pool in one process, next to RayPool on two Ray nodes on this machine."""

import warnings
from collections.abc import Iterator
from typing import Any

from benchmark.frame import report
from benchmark.frame.rounds import Job, Peer, compare
from benchmark.frame.steps import Step, sync

_NAME = "ray"
_WORKLOADS = (
    ("CartPole-v1", 64),
    ("CartPole-v1", 4096),
    ("Pong-v5", 16),
    ("Pong-v5", 64),
    ("Humanoid-v4", 256),
)
_NODES = 2  # each has a worker with one thread; the pool in one process has two threads


def local(job: Job) -> Step:
    """A pool in this process."""
    import parallel_pool

    pool = parallel_pool.make(job.task, num_envs=job.num_envs, num_threads=_NODES)
    return sync(pool, job.num_envs, pool.action_space)


def remote(job: Job) -> Step:
    """RayPool with a worker on each node."""
    import ray

    from parallel_pool.integrations.ray import RayPool

    warnings.simplefilter("ignore")
    ray.init(job.options["address"], log_to_driver=False)
    options: Any = {"num_threads_per_worker": 1, "num_cpus_per_worker": 1}
    pool = RayPool(job.task, job.num_envs, _NODES, **options)
    return sync(pool, job.num_envs, pool.action_space)


_PEERS = {"one process": local, "two nodes": remote}


def _measure(rounds: int, seconds: float) -> Iterator[dict[str, Any]]:
    """A result for each workload and pool; the pools take turns."""
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    for _ in range(_NODES):
        cluster.add_node(num_cpus=2, include_dashboard=False)
    address = {"address": cluster.address}
    compared = {
        f"{task}:{n}": [
            Peer(name, (Job(f"{__name__}:{f.__name__}", task, n, n, address),))
            for name, f in _PEERS.items()
        ]
        for task, n in _WORKLOADS
    }
    for load, pool, found in compare(compared, rounds, seconds):
        yield {"workload": load, "pool": pool, **found}
    cluster.shutdown()


def table(data: report.Data) -> str:
    """A row for each workload: milliseconds of a step of all envs."""
    times: dict[str, list[str]] = {}
    for r in data["results"]:
        num_envs = int(r["workload"].partition(":")[2])
        times.setdefault(r["workload"], []).append(f"{1e3 * num_envs / r['steps_per_second']:.2f}")
    headers = ["workload", *(f"{name}, ms" for name in _PEERS)]
    return report.table(headers, [[load, *of] for load, of in times.items()], text_columns=1)


def main() -> None:
    """Measures or reads the workloads, and prints the table."""
    report.main(_NAME, __doc__, _measure, table, seconds=1.0)
