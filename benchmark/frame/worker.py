"""Plays one job in its own process: rounds.py calls main() there and sends it rounds.

The first line of its output, in JSON, says that the envs are built and warm. It has the seconds
that it took to make and reset them, and the bytes that they added to the process. Each line of
input is the seconds of a round. The answer is a line of JSON: env steps, wall seconds, CPU
seconds.
"""

import contextlib
import importlib
import json
import os
import pathlib
import signal
import sys
import time

from benchmark.frame.rounds import Job
from benchmark.frame.steps import Step
from benchmark.peers.native import step_of, steps_of_a_call
from benchmark.peers.registry import MODULES

WARM_UP_CALLS = 200
# Their processes use the cores even between steps: they are stopped between rounds.
_RESTLESS = ("pufferlib",)


def play(step: Step, seconds: float, calls: int = sys.maxsize) -> int:
    """Calls step() for `seconds`, at most `calls` times; returns the number of calls."""
    end = time.perf_counter() + seconds
    done = 0
    while done < calls and time.perf_counter() < end:
        step()
        done += 1
    return done


def _descendants() -> list[int]:
    """The processes that this one has started, and those that these have started."""
    parents = {}
    for file in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parents[int(file.parent.name)] = int(file.read_text().rpartition(")")[2].split()[1])
    found = [os.getpid()]
    for ancestor in found:  # grows meanwhile
        found += [pid for pid, parent in parents.items() if parent == ancestor]
    return found[1:]


def cpu_seconds() -> float:
    """CPU time of this process and of the processes that it has started."""
    seconds = time.process_time()
    for pid in _descendants():
        with contextlib.suppress(OSError):  # it has ended
            # The id of another process's clock, as of clock_getcpuclockid.
            seconds += time.clock_gettime(~pid << 3 | 2)
    return seconds


def _signal_descendants(number: int) -> None:
    for pid in _descendants():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def resident_bytes() -> int:
    """The physical memory of this process."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def start(job: Job) -> tuple[Step, dict[str, float]]:
    """Makes and resets the envs of a job; the time and the memory that they took."""
    importlib.import_module(MODULES.get(job.peer, "gymnasium"))  # an import is not measured
    memory, began = resident_bytes(), time.perf_counter()
    step = step_of(job)
    seconds = time.perf_counter() - began
    return step, {"seconds": seconds, "bytes": resident_bytes() - memory}


def main() -> None:
    """Serves rounds; the argument of the process is a Job in JSON."""
    job = Job(**json.loads(sys.argv[-1]))
    if job.cpus:
        os.sched_setaffinity(0, job.cpus)  # before any thread or process starts
    out = sys.stdout
    sys.stdout = sys.stderr  # output of libraries must not mix with the answers
    step, start_up = start(job)
    play(step, job.warm_up, WARM_UP_CALLS)
    is_restless = job.peer in _RESTLESS
    if is_restless:
        _signal_descendants(signal.SIGSTOP)
    print(json.dumps(start_up, allow_nan=False), file=out, flush=True)
    for line in sys.stdin:
        if is_restless:
            _signal_descendants(signal.SIGCONT)
        wall, cpu = time.perf_counter(), cpu_seconds()
        calls = play(step, float(line))
        wall = time.perf_counter() - wall
        answer = {"steps": calls * steps_of_a_call(job), "wall": wall, "cpu": cpu_seconds() - cpu}
        if is_restless:
            _signal_descendants(signal.SIGSTOP)
        print(json.dumps(answer, allow_nan=False), file=out, flush=True)
