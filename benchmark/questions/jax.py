"""The CPU time of a pool in jax.lax.scan, of a loop over NumPy, and of EnvPool's xla().

Each pool has one thread. The time is of a step of all envs, of all threads.
"""

import statistics
from collections.abc import Callable, Iterator
from typing import Any

from benchmark.frame import report
from benchmark.frame.rounds import Job, Peer, compare
from benchmark.frame.steps import ACTIONS, Step
from benchmark.peers.native import without_missing

_NAME = "jax"
_WORKLOADS = {"CartPole-v1": (8, 256, 4096), "Pong-v5": (8, 64)}
_OPTIONS: dict[str, Any] = {"num_threads": 1, "seed": 1}


def loop(job: Job) -> Step:
    """ACTIONS calls of the pool's own step."""
    import numpy as np

    import parallel_pool

    pool = parallel_pool.make(job.task, num_envs=job.num_envs, **_OPTIONS)
    pool.reset()
    action = np.zeros(job.num_envs, np.int32)
    return lambda: [pool.step(action) for _ in range(ACTIONS)]


def scan(job: Job) -> Step:
    """A program of ACTIONS steps."""
    import parallel_pool
    from parallel_pool.jax import from_pool

    pool = parallel_pool.make(job.task, num_envs=job.num_envs, **_OPTIONS)
    pool.reset()
    state, step, _ = from_pool(pool)
    return _program(state, step, job.num_envs)


def envpool(job: Job) -> Step:
    """The same of EnvPool."""
    import envpool as library

    pool = library.make(job.task, env_type="gymnasium", num_envs=job.num_envs, **_OPTIONS)
    pool.reset()
    handle, _, _, step = pool.xla()
    return _program(handle, step, job.num_envs)


def _program(first: Any, step: Callable[..., Any], num_envs: int) -> Step:
    """ACTIONS steps in one program, which reads every reward."""
    import jax
    import jax.numpy as jnp

    action = jnp.zeros(num_envs, jnp.int32)

    def body(state: Any, _: Any) -> Any:
        state, batch = step(state, action)
        return state, batch[1].sum()

    program = jax.jit(lambda state: jax.lax.scan(body, state, None, ACTIONS))
    states = [first]

    def play() -> None:
        states[0], rewards = program(states[0])
        rewards.block_until_ready()

    return play


_PEERS = {"a loop over NumPy": loop, "scan": scan, "EnvPool's scan": envpool}


def _measure(rounds: int, seconds: float) -> Iterator[dict[str, Any]]:
    """A result for each task, number of envs and peer."""
    peers = [name for name, f in _PEERS.items() if f is not envpool or without_missing(["envpool"])]
    compared = {
        f"{task}:{n}": [
            Peer(name, (Job(f"{__name__}:{_PEERS[name].__name__}", task, n, n * ACTIONS),))
            for name in peers
        ]
        for task, counts in _WORKLOADS.items()
        for n in counts
    }
    for load, peer, found in compare(compared, rounds, seconds):
        task, _, num_envs = load.partition(":")
        yield {"task": task, "num_envs": int(num_envs), "peer": peer, **found}


def table(data: report.Data) -> str:
    """A row for each peer: us of a step of all envs, and how many times those of the scan."""
    of = {(r["task"], r["num_envs"], r["peer"]): r["rounds"] for r in data["results"]}
    rows = []
    for (task, n, peer), runs in of.items():
        times = [1e6 * n * run["cpu"] / run["steps"] for run in runs]
        scans = [1e6 * n * run["cpu"] / run["steps"] for run in of[task, n, "scan"]]
        ratio = statistics.median(a / b for a, b in zip(times, scans, strict=True))
        rows.append([task, f"{n:,}", peer, f"{statistics.median(times):,.1f}", f"x{ratio:.2f}"])
    headers = ["task", "envs", "steps in", "CPU us", "CPU us, to the scan's"]
    return report.table(headers, rows, text_columns=3)


def main() -> None:
    """Measures or reads the workloads, and prints the table."""
    report.main(_NAME, __doc__, _measure, table, seconds=1.0, rounds=7)
