"""The cost of recording, profiling, normalizing and of several tasks in one pool.

Each row is a pool next to another, in turns: the first of a workload does without. For several
tasks, this is a pool for each of them, which step in turn, so that both keep the same memory busy.
"""

import functools
import itertools
import statistics
import tempfile
from collections.abc import Iterator
from typing import Any

from benchmark.frame import report
from benchmark.frame.rounds import Job, Peer, compare
from benchmark.frame.steps import ACTIONS, Step

_NAME = "costs"
_OBSERVATION = {"normalize_observation": True, "clip_observation": 10.0}
_REWARD = {"normalize_reward": True, "clip_reward": 10.0}
_NORMALIZED: dict[str, dict[str, Any]] = {
    "observations normalized": _OBSERVATION,
    "rewards normalized": _REWARD,
    "both normalized": _OBSERVATION | _REWARD,
}
_WATCHED = {"CartPole-v1": 1024, "Pong-v5": 64, "HalfCheetah-v5": 64}
# The tasks, the envs of each, and how they share spaces.
_PADDED = {"action_padding": True, "observation_padding": True}
_MIXED: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("CartPole-v1 Ant-v5 Pong-v5", 64, {"separate_spaces": True}),
    ("CheetahRun-v1 WalkerWalk-v1 CartpoleSwingup-v1", 64, _PADDED),
    ("Pong-v5 Breakout-v5 Qbert-v5", 32, {"full_action_space": True}),
    ("CartPole-v1 Acrobot-v1", 512, _PADDED),
)


def _sampled(pool: Any) -> Step:
    """A call of the step of all envs, with the pool's own random actions."""
    pool.reset()
    actions = itertools.cycle([pool.sample_actions() for _ in range(ACTIONS)])
    return lambda: pool.step(next(actions))


def _make(job: Job, tasks: Any, num_envs: int, options: dict[str, Any]) -> Any:
    import parallel_pool

    return parallel_pool.make(tasks, num_envs=num_envs, **options)


def plain(job: Job) -> Step:
    """A pool of one task."""
    return _sampled(_make(job, job.task, job.num_envs, job.options))


def recorded(job: Job) -> Step:
    """The same, which writes a recording."""
    return _watched(job, lambda pool, folder: pool.record(f"{folder}/run.ppr"))


def profiled(job: Job) -> Step:
    """The same with a profile."""
    return _watched(job, lambda pool, folder: pool.profile())


def _watched(job: Job, watch: Any) -> Step:
    pool, folder = _make(job, job.task, job.num_envs, job.options), tempfile.TemporaryDirectory()
    step = _sampled(pool)
    watching = watch(pool, folder.name)
    watching.__enter__()
    return functools.partial(lambda *_: step(), folder, watching)  # both live as long as the step


def together(job: Job) -> Step:
    """One pool of several tasks."""
    return _sampled(_make(job, job.task.split(), job.num_envs, job.options))


def apart(job: Job) -> Step:
    """A pool for each task; they step in turn."""
    tasks = job.task.split()
    own = {n: v for n, v in job.options.items() if n == "full_action_space"}
    pools = [_make(job, task, job.num_envs // len(tasks), own) for task in tasks]
    steps = [_sampled(pool) for pool in pools]
    return lambda: [step() for step in steps]


def _peer(name: str, function: Any, task: str, num_envs: int, options: dict[str, Any]) -> Peer:
    peer = f"{__name__}:{function.__name__}"
    return Peer(name, (Job(peer, task, num_envs, num_envs, options),))


def workloads() -> dict[str, list[Peer]]:
    """The pools of each workload."""
    found = {}
    one = functools.partial(_peer, function=plain, task="CartPole-v1", num_envs=1024)
    pools = {"plain": {}, **_NORMALIZED}
    found["CartPole-v1:1024 t1"] = [
        one(name=name, options=options | {"num_threads": 1}) for name, options in pools.items()
    ]
    for task, num_envs in _WATCHED.items():
        found[f"{task}:{num_envs}"] = [
            _peer(f.__name__, f, task, num_envs, {}) for f in (plain, recorded, profiled)
        ]
    for tasks, num_envs, options in _MIXED:
        count = num_envs * len(tasks.split())
        found[f"{tasks.replace(' ', '+')}:{count}"] = [
            _peer(f.__name__, f, tasks, count, options) for f in (apart, together)
        ]
    return found


def _over(runs: list[Any], first: list[Any], field: str) -> float:
    """The median over the rounds of the time of a step, over that of the first pool."""
    of, base = ([run[field] / run["steps"] for run in each] for each in (runs, first))
    return statistics.median(float(a / b) for a, b in zip(of, base, strict=True))


def table(data: report.Data) -> str:
    """A row for each pool: its steps a second, and what it costs more than the first."""
    rows, first = [], dict[str, Any]()
    for r in data["results"]:
        runs = r["rounds"]
        base = first.setdefault(r["workload"], runs)
        costs = [f"{_over(runs, base, field) - 1:+.1%}" for field in ("wall", "cpu")]
        speed = [f"{r['steps_per_second']:,.0f}", f"{r['cpu_microseconds_per_step']:,.3f}"]
        rows.append([r["workload"], r["pool"], *speed, *costs])
    headers = ["workload", "pool", "steps/s", "CPU us/step", "more time", "more CPU time"]
    return report.table(headers, rows, text_columns=2)


def main() -> None:
    """Measures or reads the workloads of the command line, and prints the table."""
    known = f"workloads: {' '.join(workloads())}"
    parser = report.parser(_NAME, __doc__, known, seconds=1.0, draws=False, rounds=20)
    parser.add_argument("--workloads", nargs="+", default=["*"], help="names or patterns")
    args = parser.parse_args()

    def wanted(load: str) -> bool:
        return report.matches(load, args.workloads)

    def run() -> Iterator[dict[str, Any]]:
        chosen = {load: peers for load, peers in workloads().items() if wanted(load)}
        for load, pool, found in compare(chosen, args.rounds, args.seconds):
            yield {"workload": load, "pool": pool, **found}

    data = report.collect(_NAME, parser, args, run, lambda r: wanted(r["workload"]))
    report.show(data, args, table)
