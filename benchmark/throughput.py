"""Measures steps a second of ParallelPool and its peers, in turns on one machine.

The peers of a workload live side by side, each in its own process, and take turns in rounds, so
that what the machine does besides hits all of them. The table shows medians over the rounds.
"""

import argparse
import dataclasses
import fnmatch
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
from typing import Any

from tabulate import tabulate
from tqdm import tqdm

_WORKER = pathlib.Path(__file__).with_name("worker.py")
_POOLS = ("parallel_pool", "envpool")


@dataclasses.dataclass(frozen=True)
class Workload:
    """One task with one shape of pool; async if batch_size is not num_envs."""

    task: str
    num_envs: int
    batch_size: int
    peers: tuple[str, ...]
    frame_skip: int = 1

    @property
    def name(self) -> str:
        """Such as Pong-v5:64/16 (64 envs, batches of 16) or CartPole-v1:8 (sync)."""
        suffix = "" if self.batch_size == self.num_envs else f"/{self.batch_size}"
        return f"{self.task}:{self.num_envs}{suffix}"


def _workloads() -> list[Workload]:
    gymnasium = ("gymnasium_sync", "gymnasium_vector")
    found = [Workload("CartPole-v1", n, n, _POOLS + gymnasium) for n in (1, 8, 64, 1024)]
    found.append(Workload("CartPole-v1", 4096, 1024, _POOLS))
    for task in ("Pong-v5", "Breakout-v5", "MsPacman-v5"):
        for num_envs, batch_size in ((100, 100), (64, 16)):
            found.append(Workload(task, num_envs, batch_size, (*_POOLS, "ale_vector"), 4))
    return found


class Worker:
    """A peer in its own process."""

    def __init__(self, peer: str, load: Workload) -> None:
        """Builds and warms the envs; RuntimeError if that fails."""
        self.peer = peer
        arguments = [peer, load.task, str(load.num_envs), str(load.batch_size)]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-W", "ignore", str(_WORKER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._read()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.peer} ended with exit code {self._process.wait()}")
        return json.loads(line)

    def round(self, seconds: float) -> dict[str, float]:
        """Plays for `seconds`; returns env steps, wall and CPU seconds."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seconds}\n")
        answer: dict[str, float] = self._read()
        return answer

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()


def measure(load: Workload, peers: list[str], rounds: int, seconds: float, bar: Any) -> list[Any]:
    """Returns one row of results for each peer, in the order of `peers`."""
    workers: list[Worker] = []
    results: dict[str, list[dict[str, float]]] = {peer: [] for peer in peers}
    try:
        for peer in peers:
            bar.set_postfix_str(f"{load.name} {peer}")
            workers.append(Worker(peer, load))
        for _ in range(rounds):
            for worker in workers:
                bar.set_postfix_str(f"{load.name} {worker.peer}")
                results[worker.peer].append(worker.round(seconds))
                bar.update()
    finally:
        for worker in workers:
            worker.close()
    return [
        {
            "workload": load.name,
            "peer": peer,
            "steps_per_second": statistics.median(r["steps"] / r["wall"] for r in runs),
            "cpu_microseconds_per_step": statistics.median(
                1e6 * r["cpu"] / r["steps"] for r in runs
            ),
            "frame_skip": load.frame_skip,
            "rounds": runs,
        }
        for peer, runs in results.items()
    ]


def table(results: list[Any]) -> str:
    """The results as a table; the last column is the speed of parallel_pool over the peer's."""
    ours = {r["workload"]: r["steps_per_second"] for r in results if r["peer"] == "parallel_pool"}
    rows = []
    for r in results:
        speed = r["steps_per_second"]
        cells: list[Any] = [r["workload"], r["peer"], f"{speed:,.0f}"]
        cells.append(f"{speed * r['frame_skip']:,.0f}" if r["frame_skip"] > 1 else "")
        cells.append(f"{r['cpu_microseconds_per_step']:,.2f}")
        cells.append(f"x{ours[r['workload']] / speed:.2f}" if r["workload"] in ours else "")
        rows.append(cells)
    headers = ["workload", "peer", "steps/s", "frames/s", "CPU us/step", "parallel_pool is"]
    align = ("left", "left", "right", "right", "right", "right")
    return tabulate(rows, headers, tablefmt="github", colalign=align, disable_numparse=True)


def machine() -> dict[str, Any]:
    """What the numbers depend on."""
    cpu = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    cores = len(os.sched_getaffinity(0))
    return {"cpu": cpu, "cores": cores, "python": platform.python_version()}


def _arguments(names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = "workloads: " + " ".join(names)
    parser.epilog = known
    parser.add_argument("--workloads", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument("--peers", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each peer in each round")
    parser.add_argument("--json", type=pathlib.Path, help="write all rounds to this file")
    args = parser.parse_args()
    if not any(_matches(name, args.workloads) for name in names):
        parser.error(f"no workload is called {' or '.join(args.workloads)}; {known}")
    return args


def _matches(name: str, patterns: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def main() -> None:
    """Measures what the command line asks for."""
    everything = _workloads()
    args = _arguments([load.name for load in everything])
    chosen = []
    for load in everything:
        peers = [peer for peer in load.peers if _matches(peer, args.peers)]
        if peers and _matches(load.name, args.workloads):
            chosen.append((load, peers))

    results: list[Any] = []
    total = args.rounds * sum(len(peers) for _, peers in chosen)
    with tqdm(total=total, unit="run", disable=None) as bar:
        for load, peers in chosen:
            results += measure(load, peers, args.rounds, args.seconds, bar)
    about = machine()
    print(f"{about['cpu']}, {about['cores']} cores, Python {about['python']}")
    print(f"medians of {args.rounds} rounds of {args.seconds:g} s\n")
    print(table(results))
    if args.json:
        args.json.write_text(json.dumps({"machine": about, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
