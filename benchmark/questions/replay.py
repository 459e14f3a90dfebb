"""Replay buffers: parallel_pool.ReplayBuffer next to those of four libraries.

Each keeps the same steps of 64 envs, which were recorded before, and samples batches of 256. A
buffer is a process of its own, and they take turns. Bytes are those by which the process has grown.
"""

import dataclasses
import functools
import itertools
import json
import os
import pathlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmark.frame import report
from benchmark.frame.rounds import play_arm, program, take_turns

_NAME = "replay"
_ENVS, _BATCH, _RECORDED = 64, 256, 24
# Workloads: a task, and the transitions that are kept.
_WORKLOADS = {"HalfCheetah-v5": 102_400, "Pong-v5": 19_200}


@dataclasses.dataclass(frozen=True)
class Arm:
    """A library and a workload."""

    library: str
    task: str
    seconds: float


@dataclasses.dataclass(frozen=True)
class Buffer:
    """A buffer, as two calls that keep a recorded step and sample a batch."""

    add: Callable[[int], object]
    sample: Callable[[], object]


class _Recorded:
    """A pool whose steps were made before."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self.batches = _recorded(pool)
        self._next = itertools.cycle([batch for _, batch in self.batches])

    def step(self, action: Any, env_id: Any) -> Any:
        return next(self._next)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)


@functools.cache
def _recorded(pool: Any) -> list[Any]:
    """Actions, and the batches that followed."""
    _, info = pool.reset()
    steps = []
    for _ in range(_RECORDED):
        action = pool.sample_actions(info)
        steps.append((action, pool.step(action)))
    return steps


def _ours(pool: Any, capacity: int) -> Buffer:
    import parallel_pool

    buffer = parallel_pool.ReplayBuffer(pool, capacity)
    buffer.reset()
    buffer.pool = recorded = _Recorded(pool)
    buffer.resume()
    actions = [action for action, _ in recorded.batches]
    return Buffer(lambda i: buffer.step(actions[i % _RECORDED]), lambda: buffer.sample(_BATCH))


def _sb3(pool: Any, capacity: int) -> Buffer:
    from stable_baselines3.common.buffers import ReplayBuffer

    spaces = pool.single_observation_space, pool.single_action_space
    buffer = ReplayBuffer(capacity, *spaces, device="cpu", n_envs=_ENVS)
    steps = _Recorded(pool).batches
    infos: list[dict[str, Any]] = [{} for _ in range(_ENVS)]

    def add(i: int) -> object:
        action, (obs, reward, terminated, truncated, _) = steps[i % _RECORDED]
        action = action.reshape(_ENVS, -1)
        return buffer.add(obs, obs, action, reward, terminated | truncated, infos)

    return Buffer(add, lambda: buffer.sample(_BATCH))


def _torchrl(pool: Any, capacity: int) -> Buffer:
    import torch
    from tensordict import TensorDict
    from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer

    buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(capacity), batch_size=_BATCH)
    steps = _Recorded(pool).batches

    def add(i: int) -> object:
        action, (obs, reward, terminated, truncated, _) = steps[i % _RECORDED]
        columns = {
            "observation": obs,
            "action": action,
            "next": {
                "observation": obs,
                "reward": reward[:, None],
                "terminated": terminated[:, None],
                "truncated": truncated[:, None],
                "done": (terminated | truncated)[:, None],
            },
        }
        return buffer.extend(TensorDict(columns, batch_size=[_ENVS]))

    torch.set_num_threads(os.cpu_count() or 1)
    return Buffer(add, buffer.sample)


def _tianshou(pool: Any, capacity: int) -> Buffer:
    from tianshou.data import Batch, VectorReplayBuffer

    is_stack = len(pool.single_observation_space.shape) == 3
    frames = {"stack_num": 4, "ignore_obs_next": True, "save_only_last_obs": True}
    buffer = VectorReplayBuffer(capacity, _ENVS, **(frames if is_stack else {}))
    steps = _Recorded(pool).batches

    def add(i: int) -> object:
        action, (obs, reward, terminated, truncated, info) = steps[i % _RECORDED]
        return buffer.add(
            Batch(
                obs=obs,
                act=action,
                rew=reward,
                terminated=terminated,
                truncated=truncated,
                obs_next=obs,
                info=Batch(env_id=info["env_id"]),
            )
        )

    return Buffer(add, lambda: buffer.sample(_BATCH))


def _cpprb(pool: Any, capacity: int) -> Buffer:
    from cpprb import ReplayBuffer

    space, actions = pool.single_observation_space, pool.single_action_space
    obs = {"shape": space.shape, "dtype": space.dtype}
    columns = {
        "obs": obs,
        "next_obs": obs,
        "act": {"shape": actions.shape or 1, "dtype": actions.dtype},
        "rew": {},
        "done": {},
    }
    buffer = ReplayBuffer(capacity, columns)
    steps = _Recorded(pool).batches

    def add(i: int) -> object:
        action, (obs, reward, terminated, _, _) = steps[i % _RECORDED]
        return buffer.add(obs=obs, act=action, rew=reward, next_obs=obs, done=terminated)

    return Buffer(add, lambda: buffer.sample(_BATCH))


_LIBRARIES = {
    "ParallelPool": _ours,
    "SB3": _sb3,
    "torchrl": _torchrl,
    "Tianshou": _tianshou,
    "cpprb": _cpprb,
}


def _bytes_of_process() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _microseconds(call: Callable[[int], object], seconds: float) -> float:
    """The median time of a call."""
    times, end = [], time.perf_counter() + seconds
    for i in itertools.count():
        begin = time.perf_counter()
        if begin > end and i > 20:
            break
        call(i)
        times.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times)


def play() -> None:
    """Plays the arm of the command line; prints microseconds of calls and bytes of a transition."""
    import parallel_pool

    arm = Arm(**json.loads(sys.argv[-1]))
    capacity = _WORKLOADS[arm.task]
    pool = parallel_pool.make(arm.task, num_envs=_ENVS, seed=1)
    _LIBRARIES[arm.library](pool, 20 * _ENVS).add(0)  # imports the library
    before = _bytes_of_process()
    buffer = _LIBRARIES[arm.library](pool, capacity)
    for i in range(capacity // _ENVS):
        buffer.add(i)
    found = {"bytes": (_bytes_of_process() - before) / capacity}
    found["sample"] = _microseconds(lambda i: buffer.sample(), arm.seconds)
    found["add"] = _microseconds(buffer.add, arm.seconds)
    print(json.dumps(found, allow_nan=False), flush=True)
    os._exit(0)


def _measure(libraries: Sequence[str], rounds: int, seconds: float) -> Iterator[dict[str, Any]]:
    words = program(__name__, "play")
    for task in _WORKLOADS:
        arms = [Arm(library, task, seconds) for library in libraries]
        found: dict[str, list[dict[str, float]]] = {library: [] for library in libraries}

        def alone(arm: Arm, found: Any = found) -> float:
            found[arm.library].append(play_arm(words, arm, sys.executable, limit=600))
            return float(found[arm.library][-1]["sample"])

        take_turns(arms, alone, rounds, task)
        for library in libraries:
            yield {"workload": task, "library": library, "rounds": found[library]}


def table(data: report.Data) -> str:
    """A row for each library: medians, and how many times ours they are."""
    results = data["results"]
    ours = {r["workload"]: r["rounds"] for r in results if r["library"] == "ParallelPool"}
    rows = []
    for result in results:
        row = [result["workload"], result["library"]]
        for name in ("sample", "add", "bytes"):
            values = [each[name] for each in result["rounds"]]
            own = [each[name] for each in ours[result["workload"]]]
            ratio = statistics.median(a / b for a, b in zip(values, own, strict=True))
            row += [f"{statistics.median(values):,.0f}", f"x{ratio:.1f}"]
        rows.append(row)
    titles = ["task", "buffer", f"sample {_BATCH}: us", "", f"add {_ENVS}: us", ""]
    return report.table([*titles, "bytes a transition", ""], rows, text_columns=2)


def main() -> None:
    """Measures or reads the libraries of the command line, and prints the table."""
    parser = report.parser(_NAME, __doc__, "libraries: " + " ".join(_LIBRARIES), 2.0, draws=False)
    parser.add_argument(
        "--libraries", nargs="+", default=list(_LIBRARIES), choices=list(_LIBRARIES)
    )
    args = parser.parse_args()
    if "ParallelPool" not in args.libraries:
        parser.error("--libraries needs ParallelPool: the others are next to it")
    data = report.collect(
        _NAME,
        parser,
        args,
        lambda: _measure(args.libraries, args.rounds, args.seconds),
        lambda result: result["library"] in args.libraries,
    )
    report.show(data, args, table)
