"""Compares a pool in this process with RayPool on a cluster of two nodes on this machine.

    python -m benchmark.ray_pool

It needs Ray. The pools step in turn, so other work of the machine slows both down. The table has
the median times of a step of all envs, and what moving the arrays adds.
"""

import statistics
import time
import warnings
from typing import Any

import numpy as np
from tabulate import tabulate

import parallel_pool
from parallel_pool.integrations.ray import RayPool

WORKLOADS = (("CartPole-v1", 64), ("CartPole-v1", 4096), ("Pong-v5", 16), ("Pong-v5", 64))
ROUNDS, STEPS = 7, 20


def milliseconds(pool: Any, actions: Any) -> float:
    """The time of a step, of STEPS."""
    start = time.perf_counter()
    for _ in range(STEPS):
        pool.step(actions)
    return 1e3 * (time.perf_counter() - start) / STEPS


def main() -> None:
    """Measures, and prints the table."""
    import ray
    from ray.cluster_utils import Cluster

    warnings.simplefilter("ignore")
    cluster = Cluster()
    for _ in range(2):
        cluster.add_node(num_cpus=1, include_dashboard=False)
    ray.init(cluster.address, log_to_driver=False)
    rows = []
    for task, num_envs in WORKLOADS:
        with (
            parallel_pool.make(task, num_envs=num_envs) as local,
            RayPool(task, num_envs, 2, num_threads_per_worker=1) as remote,
        ):
            actions = np.zeros(num_envs, int)
            for pool in (local, remote):
                pool.reset()
                milliseconds(pool, actions)
            times = [
                (milliseconds(local, actions), milliseconds(remote, actions)) for _ in range(ROUNDS)
            ]
        one, other = (statistics.median(column) for column in zip(*times, strict=True))
        rows.append([task, num_envs, f"{one:.2f}", f"{other:.2f}", f"{other - one:.2f}"])
    headers = ["task", "envs", "one process, ms", "two nodes, ms", "difference"]
    print(tabulate(rows, headers, tablefmt="pipe"))
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
