"""A step of a pool in one process, next to RayPool on two Ray nodes on this machine.

The first table has the times. The second is a model of more and larger nodes that is made of these
times; --plot draws it.
"""

import dataclasses
import warnings
from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure
from tqdm import tqdm

from benchmark.frame import report
from benchmark.frame.rounds import Job, Peer, measure, medians
from benchmark.frame.steps import Step, sync

_NAME = "ray"
_WORKLOADS = (
    ("CartPole-v1", 64),
    ("CartPole-v1", 4096),
    ("Pong-v5", 16),
    ("Pong-v5", 64),
    ("Humanoid-v4", 256),
)
_SMALL_AND_LARGE = (0, 3)  # the workloads that the model is made of
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


def local(job: Job) -> Step:
    """A pool in this process."""
    import parallel_pool

    pool = parallel_pool.make(job.task, num_envs=job.num_envs, num_threads=THREADS)
    return sync(pool, job.num_envs, pool.action_space)


def remote(job: Job) -> Step:
    """RayPool with a worker on each of two nodes."""
    import ray

    from parallel_pool.integrations.ray import RayPool

    warnings.simplefilter("ignore")
    ray.init(job.options["address"], log_to_driver=False)
    options: Any = {"num_threads_per_worker": 1, "num_cpus_per_worker": 1}
    pool = RayPool(job.task, job.num_envs, 2, **options)
    return sync(pool, job.num_envs, pool.action_space)


_POOLS = (local, remote)


def _row_bytes(task: str) -> int:
    import parallel_pool

    with parallel_pool.make(task, num_envs=1) as pool:
        size: int = pool.reset()[0].nbytes
        return size


def _measure(rounds: int, seconds: float) -> Iterator[dict[str, Any]]:
    """A result for each workload; the pools take turns."""
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    for _ in range(2):
        cluster.add_node(num_cpus=2, include_dashboard=False)
    address = {"address": cluster.address}
    with tqdm(total=rounds * 2 * len(_WORKLOADS), unit="run", disable=None) as bar:
        for task, n in _WORKLOADS:
            jobs = {
                f.__name__: Job(f"{__name__}:{f.__name__}", task, n, n, address) for f in _POOLS
            }
            pools = [Peer(name, (job,)) for name, job in jobs.items()]
            runs = [medians(of) for of in measure(f"{task}:{n}", pools, rounds, seconds, bar)]
            times = [1e3 * n / of["steps_per_second"] for of in runs]
            found = Times(task, n, _row_bytes(task), *times)
            yield {**dataclasses.asdict(found), "rounds": [of["rounds"] for of in runs]}
    cluster.shutdown()


def times_of(data: report.Data) -> list[Times]:
    """The results."""
    fields = [field.name for field in dataclasses.fields(Times)]
    return [Times(**{name: result[name] for name in fields}) for result in data["results"]]


def model_of(results: list[Times]) -> Model:
    """The model of the workloads with small and with large rows."""
    return Model.of(*(results[k] for k in _SMALL_AND_LARGE))


def modelled(results: list[Times]) -> list[Times]:
    """The workloads of the model: the largest of each task, and SLOW."""
    return [*{times.task: times for times in results}.values(), SLOW]


def table(data: report.Data) -> str:
    """The times of a step, and env steps a second by the model."""
    results = times_of(data)
    model = model_of(results)
    rows = [[t.task, f"{t.num_envs:,}", f"{t.local:.2f}", f"{t.remote:.2f}"] for t in results]
    measured = report.table(["task", "envs", "one process, ms", "two nodes, ms"], rows, 1)
    rows = [
        [t.task, f"{1e3 * t.compute:.2f}", f"{t.row_bytes:,.0f}"]
        + [f"{model.speed(t, n):,.0f}" for n in NODES]
        for t in modelled(results)
    ]
    headers = [
        "task",
        "us of a core a step",
        "bytes a row",
        *(f"steps/s, nodes: {n}" for n in NODES),
    ]
    costs = f"a call {model.call:.2f} ms, a megabyte {model.megabyte:.2f} ms"
    return f"{measured}\n\n{costs}\n\n{report.table(headers, rows, 1)}"


def plot(data: report.Data) -> Figure:
    """The speed of each task by the number of nodes."""
    results = times_of(data)
    model = model_of(results)
    figure = Figure(figsize=(8, 4), layout="tight")
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
    return figure


def main() -> None:
    """Measures or reads the workloads, and shows the results."""
    parser = report.parser(_NAME, __doc__, "", seconds=1.0)
    args = parser.parse_args()

    def run() -> Iterator[dict[str, Any]]:
        return _measure(args.rounds, args.seconds)

    report.show(report.collect(_NAME, parser, args, run, lambda _: True), args, table, plot)
