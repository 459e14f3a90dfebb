"""Compares a pool in this process with RayPool on a cluster of two nodes on this machine.

    make bench-ray [BENCH="--plot PICTURE"]

The pools step in turn, so other work of the machine slows all down. The first table
has the median times of a step of all envs. The second has the cost model of docs/more_machines.md
for more nodes, made of these times; --plot draws it.
"""

import argparse
import dataclasses
import statistics
import time
import warnings
from typing import Any

import numpy as np
import ray
from ray.cluster_utils import Cluster
from tabulate import tabulate

import parallel_pool
from parallel_pool.integrations.ray import RayPool

WORKLOADS = (
    ("CartPole-v1", 64),
    ("CartPole-v1", 4096),
    ("Pong-v5", 16),
    ("Pong-v5", 64),
    ("Humanoid-v4", 256),
)
TRANSPORTS: tuple[Any, ...] = ("calls", "graph")
ROUNDS, STEPS = 7, 20
NODES = (1, 2, 4, 8, 16, 32)


@dataclasses.dataclass
class Times:
    """Milliseconds of a step of all envs of a workload.

    Attributes:
        task: the task.
        num_envs: its envs.
        local: of a pool in this process, whose threads are the two nodes' CPUs.
        remote: of a RayPool over two nodes, by transport.
    """

    task: str
    num_envs: int
    local: float
    remote: dict[str, float]

    def overhead(self) -> float:
        """What each node costs the one that learns: its call, and the copies of its rows."""
        return max(0.0, min(self.remote.values()) - self.local) / 2

    def predicted(self, nodes: int) -> float:
        """The time of a step of nodes * num_envs envs: the nodes compute at once.

        The node that learns makes the calls and copies the rows one after another.
        """
        return self.local + (nodes * self.overhead() if nodes > 1 else 0.0)

    def speed(self, nodes: int) -> float:
        """Env steps per second by predicted()."""
        return 1e3 * nodes * self.num_envs / self.predicted(nodes)


def milliseconds(pool: Any, actions: Any) -> float:
    """The time of a step, of STEPS."""
    start = time.perf_counter()
    for _ in range(STEPS):
        pool.step(actions)
    return 1e3 * (time.perf_counter() - start) / STEPS


def measure(task: str, num_envs: int) -> Times:
    """The median times of ROUNDS rounds."""
    options: Any = {"num_threads_per_worker": 1, "num_cpus_per_worker": 1}
    pools: list[Any] = [parallel_pool.make(task, num_envs=num_envs)]
    pools += [RayPool(task, num_envs, 2, transport=t, **options) for t in TRANSPORTS]
    space = pools[0].action_space
    actions = np.zeros((num_envs, *space.shape), space.dtype)
    for pool in pools:
        pool.reset()
        milliseconds(pool, actions)
    times = [[milliseconds(pool, actions) for pool in pools] for _ in range(ROUNDS)]
    for pool in pools:
        pool.close()
    local, *remote = (statistics.median(column) for column in zip(*times, strict=True))
    return Times(task, num_envs, local, dict(zip(TRANSPORTS, remote, strict=True)))


def draw(results: list[Times], path: str) -> None:
    """Draws the speed of each workload by the number of nodes."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for times in results:
        factors = [times.speed(nodes) / times.speed(1) for nodes in NODES]
        axes.plot(NODES, factors, marker="o", label=f"{times.task}, {times.num_envs:,} envs a node")
    axes.plot(NODES, NODES, color="0.7", linestyle="--", label="as many as there are nodes")
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel="speed, times that of one node")
    axes.set_xticks(NODES, [str(n) for n in NODES])
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measures, and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="PICTURE", help="draw the cost model; needs Matplotlib")
    plot = parser.parse_args().plot
    warnings.simplefilter("ignore")
    cluster = Cluster()
    for _ in range(2):
        cluster.add_node(num_cpus=2, include_dashboard=False)
    ray.init(cluster.address, log_to_driver=False)
    results = [measure(*workload) for workload in WORKLOADS]
    rows = [
        [t.task, t.num_envs, *(f"{ms:.2f}" for ms in (t.local, *t.remote.values()))]
        for t in results
    ]
    headers = ["task", "envs", "one process, ms", *(f"two nodes, {t}, ms" for t in TRANSPORTS)]
    print(tabulate(rows, headers, tablefmt="pipe"), "\n")
    model = [[t.task, t.num_envs, *(f"{t.speed(n):,.0f}" for n in NODES)] for t in results]
    headers = ["steps/s of", "envs a node", *(f"{n} nodes" if n > 1 else "1 node" for n in NODES)]
    print(tabulate(model, headers, tablefmt="pipe"))
    if plot:
        draw(results, plot)
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
