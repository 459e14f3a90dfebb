"""Compares a pool in this process with RayPool on a cluster of two nodes on this machine.

    make bench-ray [BENCH="--plot PICTURE"]

The pools take turns, so other work of the machine slows all down. The first table has the median
times of a step of all envs. The second is a model of more and larger nodes that is made of these
times; --plot draws it.
"""

import argparse
import dataclasses
import statistics
import time
import warnings
from typing import Any

import numpy as np
import ray
from matplotlib.figure import Figure
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
SMALL_AND_LARGE = (0, 3)  # the workloads that the model is made of
ROUNDS, WARM_UP, STEPS = 5, 20, 100
THREADS = 2  # of the local pool; a RayPool has as many in all
NODES = (1, 2, 4, 8, 16, 32)  # of the model; each has
CORES, ENVS = 16, 1024


@dataclasses.dataclass
class Times:
    """Milliseconds of a step of all envs of a workload.

    Attributes:
        task: the task.
        num_envs: its envs.
        row_bytes: the bytes of a row of the batch.
        local: of a pool in this process.
        remote: of a RayPool over two nodes.
    """

    task: str
    num_envs: int
    row_bytes: float
    local: float
    remote: float

    @property
    def compute(self) -> float:
        """Milliseconds of a core for a step of an env."""
        return self.local * THREADS / self.num_envs

    @property
    def overhead(self) -> float:
        """Milliseconds that each of the two nodes adds to a step, by its call and its copies."""
        return max(0.0, self.remote - self.local) / 2


@dataclasses.dataclass
class Model:
    """The time of a step of all nodes: they compute at once, the learner copies one by one.

    Attributes:
        call: milliseconds of a call.
        megabyte: milliseconds of a megabyte of rows.
    """

    call: float
    megabyte: float

    @classmethod
    def of(cls, small: Times, large: Times) -> "Model":
        """The model of a workload with small rows and one with large ones."""
        megabytes = large.row_bytes * large.num_envs / 2e6
        return cls(small.overhead, max(0.0, large.overhead - small.overhead) / megabytes)

    def speed(self, times: Times, nodes: int) -> float:
        """Env steps per second of a task on `nodes` nodes; one node has a pool without Ray."""
        compute = times.compute * ENVS / CORES
        copies = self.call + self.megabyte * times.row_bytes * ENVS / 1e6
        return 1e3 * nodes * ENVS / (compute + (nodes * copies if nodes > 1 else 0.0))


# An env that is not measured, for comparison: 5 ms of a core, and small rows.
SLOW = Times("an env of 5 ms", num_envs=THREADS, row_bytes=100.0, local=5.0, remote=5.0)


def milliseconds(pool: Any, actions: Any) -> float:
    """The median time of a step."""
    pool.reset()
    times = []
    for _ in range(WARM_UP + STEPS):
        start = time.perf_counter()
        pool.step(actions)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times[WARM_UP:])


def measure(task: str, num_envs: int) -> Times:
    """The median times of ROUNDS rounds; one pool is open at a time."""
    options: Any = {"num_threads_per_worker": 1, "num_cpus_per_worker": 1}
    local, remote = [], []
    row_bytes = 0.0
    for _ in range(ROUNDS):
        with parallel_pool.make(task, num_envs=num_envs, num_threads=THREADS) as pool:
            space = pool.action_space
            actions = np.zeros((num_envs, *space.shape), space.dtype)
            local.append(milliseconds(pool, actions))
            row_bytes = pool.step(actions)[0].nbytes / num_envs
        with RayPool(task, num_envs, 2, **options) as pool:
            remote.append(milliseconds(pool, actions))
    return Times(task, num_envs, row_bytes, statistics.median(local), statistics.median(remote))


def modelled(results: list[Times]) -> list[Times]:
    """The workloads of the model: the largest of each task, and SLOW."""
    return [*{times.task: times for times in results}.values(), SLOW]


def draw(model: Model, results: list[Times], path: str) -> None:
    """Draws the speed of each task by the number of nodes."""
    figure = Figure(figsize=(8, 4))
    axes = figure.add_subplot()
    for times in modelled(results):
        factors = [model.speed(times, nodes) / model.speed(times, 1) for nodes in NODES]
        axes.plot(NODES, factors, marker="o", label=times.task)
    axes.plot(NODES, NODES, color="0.7", linestyle="--", label="without any overhead")
    axes.set(xscale="log", yscale="log", ylabel="speed, times that of one node without Ray")
    axes.set_xlabel(f"nodes, each with {CORES} cores and {ENVS:,} envs")
    axes.set_xticks(NODES, [str(n) for n in NODES], minor=False)
    axes.minorticks_off()
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measures, and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="PICTURE", help="draw the cost model")
    plot = parser.parse_args().plot
    warnings.simplefilter("ignore")
    cluster = Cluster()
    for _ in range(2):
        cluster.add_node(num_cpus=2, include_dashboard=False)
    ray.init(cluster.address, log_to_driver=False)
    results = [measure(*workload) for workload in WORKLOADS]
    rows: list[list[Any]] = [
        [t.task, t.num_envs, f"{t.local:.2f}", f"{t.remote:.2f}"] for t in results
    ]
    headers = ["task", "envs", "one process, ms", "two nodes, ms"]
    print(tabulate(rows, headers, tablefmt="pipe"), "\n")
    model = Model.of(*(results[k] for k in SMALL_AND_LARGE))
    print(f"a call {model.call:.2f} ms, a megabyte {model.megabyte:.2f} ms\n")
    model_rows: list[list[Any]] = [
        [t.task, f"{1e3 * t.compute:.2f}", f"{t.row_bytes:,.0f}"]
        + [f"{model.speed(t, n):,.0f}" for n in NODES]
        for t in modelled(results)
    ]
    headers = ["task", "us of a core a step", "bytes a row"]
    headers += [f"steps/s, {n} nodes" if n > 1 else "steps/s, 1 node" for n in NODES]
    print(tabulate(model_rows, headers, tablefmt="pipe"))
    if plot:
        draw(model, results, plot)
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
