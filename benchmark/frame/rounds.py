"""Peers of a comparison, each in its own processes, which take turns in rounds.

Other work of the machine slows all peers down, and medians over the rounds leave it out.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from tqdm import tqdm

_ROOT = pathlib.Path(__file__).parents[2]

Arm = TypeVar("Arm")  # a dataclass
Round = dict[str, float]  # "steps" of envs, "wall" seconds, "cpu" seconds


@dataclasses.dataclass(frozen=True)
class Job:
    """The job of a process (worker.py): a peer, a task and its options."""

    peer: str  # of peers/native.py or peers/python.py, or MODULE:FUNCTION of a question
    task: str
    num_envs: int
    batch_size: int  # async if it is less than num_envs
    options: dict[str, Any] = dataclasses.field(default_factory=dict)  # more for a pool's make()
    library: str = ""  # a library of envs for parallel_pool.load()
    cpus: tuple[int, ...] = ()  # processors that the process may use; none: all
    warm_up: float = 3.0  # seconds, at most; 0: none
    single: bool = False  # a single env of gymnasium.make(), without a batch axis


def program(module: str, function: str = "main") -> list[str]:
    """The options of a Python that calls a function of a module of the checkout."""
    # The installed packages come first: the checkout has the sources of parallel_pool, too.
    path = f"import sys; sys.path.append({str(_ROOT)!r})"
    return ["-I", "-W", "ignore", "-c", f"{path}; from {module} import {function}; {function}()"]


def play_arm(
    words: Sequence[str], arm: Any, python: str | None, *, limit: float
) -> dict[str, float]:
    """The numbers in the last line that a program prints, in JSON.

    Args:
        words: the program, whose argument is the arm in JSON.
        arm: a dataclass.
        python: the interpreter of the arm's environment.
        limit: the longest run in seconds.

    Raises:
        RuntimeError: it has failed, with what it printed, or took too long, or has no `python`.
    """
    if not python:
        raise RuntimeError(f"{arm}: its environment is missing")
    fields = json.dumps(dataclasses.asdict(arm), allow_nan=False)
    command = [python, *words, fields]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{arm}: it did not end within {limit:g} s") from None
    for line in reversed(run.stdout.splitlines()):
        if line.startswith('{"'):
            numbers: dict[str, float] = json.loads(line)
            return numbers
    raise RuntimeError(f"{arm}: {run.stderr[-2000:]}")


def take_turns(
    arms: Iterable[Arm], play: Callable[[Arm], float], rounds: int, title: str
) -> dict[Arm, list[float]]:
    """The numbers of each arm, round by round; one that fails is left out, and a line says so."""
    found: dict[Arm, list[float]] = {arm: [] for arm in arms}
    for _ in tqdm(range(rounds), desc=title, unit="round", disable=None):
        for arm in list(found):
            try:
                found[arm].append(play(arm))
            except RuntimeError as error:
                print(f"left out: {error}", file=sys.stderr)
                del found[arm]
    return found


class PeerProcess:
    """A job in its own process."""

    def __init__(self, job: Job) -> None:
        """Builds and warms the envs; RuntimeError if that fails."""
        self._peer = job.peer
        command = [sys.executable, *program("benchmark.frame.worker")]
        # Not in the checkout: PufferLib makes a link where it is imported, and workers of Ray would
        # import the sources of parallel_pool.
        self._folder = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(
            [*command, json.dumps(dataclasses.asdict(job), allow_nan=False)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            cwd=self._folder.name,
            start_new_session=True,  # close() ends the processes that it has started, too
        )
        try:
            # Seconds of make and reset, bytes of memory.
            self.start_up: dict[str, float] = self._read()
        except BaseException:
            self.close()
            raise

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._peer} ended with exit code {self._process.wait()}")
        return json.loads(line)

    def begin(self, seconds: float) -> None:
        """Starts a round of `seconds`."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seconds}\n")

    def end(self) -> Round:
        """Waits for the end of the round; returns its result."""
        answer: Round = self._read()
        return answer

    def close(self) -> None:
        """Ends the process and the processes that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._folder.cleanup()


@dataclasses.dataclass(frozen=True)
class Peer:
    """A peer of a comparison: jobs that play at the same time, each in its process."""

    name: str
    jobs: tuple[Job, ...]


def _play(workers: Sequence[PeerProcess], seconds: float) -> Round:
    """One round of all of a peer's workers."""
    for worker in workers:
        worker.begin(seconds)
    answers = [worker.end() for worker in workers]
    return {
        "steps": sum(answer["steps"] for answer in answers),
        "wall": max(answer["wall"] for answer in answers),
        "cpu": sum(answer["cpu"] for answer in answers),
    }


def measure(
    title: str, peers: Sequence[Peer], rounds: int, seconds: float, bar: Any
) -> list[list[Round]]:
    """The rounds of each peer, in the order of `peers`; each round advances the bar by one."""
    results: list[list[Round]] = [[] for _ in peers]
    with contextlib.ExitStack() as stack:
        workers_of_peers: list[list[PeerProcess]] = []
        for peer in peers:
            bar.set_postfix_str(f"{title} {peer.name}")
            workers_of_peers.append([])
            for job in peer.jobs:
                workers_of_peers[-1].append(PeerProcess(job))
                stack.callback(workers_of_peers[-1][-1].close)
        for _ in range(rounds):
            for peer, workers, runs in zip(peers, workers_of_peers, results, strict=True):
                bar.set_postfix_str(f"{title} {peer.name}")
                runs.append(_play(workers, seconds))
                bar.update()
    return results


def compare(
    loads: Mapping[str, Sequence[Peer]], rounds: int, seconds: float
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(workload, peer, its medians) of each peer; those of a workload take turns."""
    with tqdm(total=rounds * sum(map(len, loads.values())), unit="run", disable=None) as bar:
        for load, peers in loads.items():
            for peer, runs in zip(peers, measure(load, peers, rounds, seconds, bar), strict=True):
                yield load, peer.name, medians(runs)


def medians(runs: Sequence[Round]) -> dict[str, Any]:
    """The medians of a result's rounds, and the rounds themselves."""
    return {
        "steps_per_second": statistics.median(r["steps"] / r["wall"] for r in runs),
        "cpu_microseconds_per_step": statistics.median(1e6 * r["cpu"] / r["steps"] for r in runs),
        "rounds": list(runs),
    }
