"""The time to make and reset many envs, and the memory of each env.

Each run of a peer has its own process. The imports of libraries are not measured. The memory is
what the process has gained after the reset, divided by the number of envs.
"""

import argparse
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.figure import Figure
from tqdm import tqdm

from benchmark.frame import report
from benchmark.frame.ratios import OURS, Panel, draw
from benchmark.frame.rounds import Job, PeerProcess
from benchmark.peers.native import PEERS, without_missing

_NAME = "start_up"
_POOLS = ("parallel_pool", "envpool")
# The peers of each task.
_TASKS = {
    "Pong-v5": (*_POOLS, "ale_vector"),
    "CartPole-v1": (*_POOLS, "gymnasium_sync"),
    "Ant-v5": (*_POOLS, "gymnasium_sync"),
    "HumanoidRun-v1": _POOLS,
}
_NUM_ENVS = 1000
_FEWER_ENVS = {"HumanoidRun-v1": 256}  # those of EnvPool take 12 MB each


def _run(peer: str, task: str, num_envs: int) -> dict[str, float]:
    """Seconds and KiB an env of one start in a new process."""
    worker = PeerProcess(Job(peer, task, num_envs, num_envs, warm_up=0.0))
    worker.close()
    found = worker.start_up
    return {"seconds": found["seconds"], "kib_per_env": found["bytes"] / 1024 / num_envs}


def _measure(
    tasks: Sequence[str], peers: Sequence[str], num_envs: int | None, rounds: int
) -> Iterator[dict[str, Any]]:
    """A result for each task and peer; the peers take turns. num_envs=None: the task's default."""
    chosen = {task: [peer for peer in _TASKS[task] if peer in peers] for task in tasks}
    total = rounds * sum(map(len, chosen.values()))
    with tqdm(total=total, unit="run", disable=None) as bar:
        for task, names in chosen.items():
            envs = num_envs or _FEWER_ENVS.get(task, _NUM_ENVS)
            runs: dict[str, list[dict[str, float]]] = {peer: [] for peer in names}
            for _ in range(rounds):
                for peer in names:
                    bar.set_postfix_str(f"{task} {peer}")
                    runs[peer].append(_run(peer, task, envs))
                    bar.update()
            for peer, of_peer in runs.items():
                of = {"task": task, "num_envs": envs, "peer": peer, "rounds": of_peer}
                fields = ("seconds", "kib_per_env")
                yield {**of, **{f: statistics.median(run[f] for run in of_peer) for f in fields}}


def _ours(data: report.Data) -> dict[str, Any]:
    """The results of parallel_pool by task."""
    return {r["task"]: r for r in data["results"] if r["peer"] == OURS}


def table(data: report.Data) -> str:
    """A row for each result; the last two columns are the peer's numbers over parallel_pool's."""
    ours = _ours(data)
    rows = []
    for r in data["results"]:
        own = ours.get(r["task"])
        ratios = [f"x{r[f] / own[f]:.2f}" if own else "" for f in ("seconds", "kib_per_env")]
        numbers = [f"{r['seconds']:.3f}", f"{r['kib_per_env']:,.1f}", *ratios]
        rows.append([r["task"], r["peer"], f"{r['num_envs']:,}", *numbers])
    headers = ["task", "peer", "envs", "seconds", "KiB an env", "times the seconds"]
    return report.table([*headers, "times the memory"], rows, text_columns=2)


def panels(data: report.Data) -> list[Panel]:
    """Start-up time and memory: the peer's numbers over parallel_pool's, over all tasks."""
    ours = _ours(data)
    titles = {
        "seconds": "Start-up: make and reset",
        "kib_per_env": "Memory of an env",
    }
    made = []
    for field, title in titles.items():
        ratios: dict[str, list[float]] = {}
        for r in data["results"]:
            if r["peer"] != OURS and r["task"] in ours:
                ratios.setdefault(r["peer"], []).append(r[field] / ours[r["task"]][field])
        if ratios:
            made.append(Panel(title, ratios))
    return made


def plot(data: report.Data) -> Figure:
    """Bars of the ratios."""
    return draw("Start-up and memory: the peer's over ParallelPool's", data, panels(data))


def _parser() -> argparse.ArgumentParser:
    known = f"tasks: {' '.join(_TASKS)}\npeers: {' '.join(PEERS)}"
    parser = report.parser(_NAME, __doc__, known, seconds=0.0, rounds=3)
    parser.add_argument("--tasks", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument("--peers", nargs="+", default=["*"], help="names or patterns")
    fewer = ", ".join(f"of {task} {n}" for task, n in _FEWER_ENVS.items())
    parser.add_argument(
        "--num-envs", type=report.positive, metavar="N", help=f"default: {_NUM_ENVS}, {fewer}"
    )
    return parser


def main() -> None:
    """Measures or reads the tasks of the command line, and shows the results."""
    parser = _parser()
    args = parser.parse_args()

    def run() -> Iterator[dict[str, Any]]:
        tasks = [task for task in _TASKS if report.matches(task, args.tasks)]
        named = [p for p in PEERS if any(p in _TASKS[task] for task in tasks)]
        peers = without_missing([p for p in named if report.matches(p, args.peers)])
        return _measure(tasks, peers, args.num_envs, args.rounds)

    def keep(result: Any) -> bool:
        return report.matches(result["task"], args.tasks) and report.matches(
            result["peer"], args.peers
        )

    data = report.collect(_NAME, parser, args, run, keep)
    report.show(data, args, table, plot)
