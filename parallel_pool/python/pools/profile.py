"""pool.profile(): where the time of a pool goes, and what to change."""

import json
import os
import pathlib
import threading
import time
from typing import Any

import numpy as np

from parallel_pool.core import _core
from parallel_pool.python.options.option import as_float
from parallel_pool.python.pools.bottleneck import bottleneck_of, time_text
from parallel_pool.python.specs.spec import Spec

_NS = 1e-9
_BAR = "#"
_PAUSE = 0.01  # s between two attempts to end a profile


def _bucket_ns(index: int) -> float:
    """The lowest time of a bucket; core/engine/profile.h has the rule."""
    return float((4 + index % 4) * 2.0 ** (index // 4 - 2))


class Profile:
    """A profile of a pool. It ends with stop(), or with a `with` block.

    Its numbers are there when it has ended; before that, asking for one raises a RuntimeError.

    Attributes:
        spec: the pool's.
        is_sync: whether the pool is.
        num_workers: of envs in Python, the worker processes; None: the envs are not in Python.
        seconds: how long it took.
        calls: the number of steps, sends and resets that the program has called.
        program: the part of the time that the program spent outside of calls of the pool, 0 to 1;
            with in_calls, waited and own it adds up to 1.
        in_calls: the part in which a call read actions and made arrays.
        waited: the part in which it waited for other threads or processes.
        own: the part in which it ran envs itself, as a sync pool's first thread and as the thread
            that receives with num_workers=0; else 0.
        threads: the part of the time in which each thread, or worker process, ran envs, float64
            (num_threads,) or (num_workers,). A sync pool's first thread is the program's own.
        steps: of each task, a dict: "count", "mean", "p50", "p99" and "longest" in seconds.
            Zeros for envs in Python.
        resets: the same for resets.
        step_part: the part of the threads' work that steps took; "resets" took reset_part, and the
            rest went into observations and the engine.
        reset_part: see step_part.
        env_steps: float64 (num_envs,): the mean seconds of a step; NaN where none was measured.
        env_resets: the same for resets.
        delay: the mean seconds from a call to the beginning of its chunks of envs: the queue.
    """

    seconds: float
    calls: int
    program: float
    in_calls: float
    waited: float
    own: float
    threads: Any
    steps: list[dict[str, float]]
    resets: list[dict[str, float]]
    step_part: float
    reset_part: float
    env_steps: Any
    env_resets: Any
    delay: float

    def __init__(self, pool: Any, seconds: float | None = None) -> None:
        """Starts it; see BasePool.profile()."""
        self.spec: Spec = pool._pool_spec
        core = pool._native.core_pool
        if core is None:
            raise RuntimeError(
                f"{self.spec.task_id}: {type(pool).__name__} has its envs in the pools of other "
                "processes: profile one of these"
            )
        self._limit = _check_seconds(self.spec.task_id, seconds)
        self._core = core
        self._host: _core.PoolHost | None = pool._native.host
        self.num_workers: int | None = self._host and self.spec.config["num_workers"]
        self.is_sync: bool = not getattr(pool, "is_async", False)
        self._is_over = False
        self._times_before = self._host and self._host.times()
        self._began = time.monotonic()
        self._number = core.start_profile(self._limit)
        self._timer: threading.Thread | None = None
        if seconds is not None:
            self._timer = threading.Thread(target=self._print_at_end, daemon=True)
            self._timer.start()

    def stop(self) -> None:
        """Ends the profile; may be called again.

        Raises:
            RuntimeError: another thread is in a call of the pool.
        """
        if self._is_over:
            return
        self._core.stop_profile(self._number)
        self._read(self._core.read_profile(self._number))
        self._is_over = True

    def _print_at_end(self) -> None:
        time.sleep(self._limit)
        while not self._is_over:
            try:
                self.stop()
            except RuntimeError:  # the pool is in a call, at whose end the profile ends
                time.sleep(_PAUSE)
        print(self)

    def _check_over(self) -> None:
        if not self._is_over:
            raise RuntimeError(
                f"{self.spec.task_id}: the profile has no numbers before its end: call stop()"
                + ("" if self._timer is None else f", or wait {self._limit:g} s for its report")
            )

    def __getattr__(self, name: str) -> Any:
        """Says that a number is not there yet."""
        if name in Profile.__annotations__ and not self._is_over:
            self._check_over()
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _read(self, found: dict[str, Any]) -> None:
        ns = max(found["ns"], 1)
        threads = found["threads"]
        self._found = found
        self.seconds = ns * _NS
        self.calls = found["calls"]
        busy = np.array(
            [t["timed_ns"] * t["chunks"] / max(t["timed"], 1) for t in threads], np.float64
        )
        of_envs = [found["steps"][:, :2], found["resets"][:, :2]]
        if self._host is not None:
            took = self._host.times() - self._times_before
            of_envs = [took[:, :2], took[:, 2:]]
            busy = _of_workers(took[:, 1] + took[:, 3], max(self.num_workers or 0, 1))
        wait_ns = found["wait_ns"]
        own_ns = min(busy[0], wait_ns) if self.num_workers in (None, 0) and self.is_sync else 0.0
        self.program = found["program_ns"] / ns
        self.own = float(own_ns / ns)
        self.waited = float((wait_ns - own_ns) / ns)
        self.in_calls = max(1.0 - self.program - self.own - self.waited, 0.0)
        self.threads = np.minimum(busy / ns, 1.0)
        apart = max(sum(thread["apart_ns"] for thread in threads), 1)
        self.step_part = sum(thread["step_ns"] for thread in threads) / apart
        self.reset_part = sum(thread["reset_ns"] for thread in threads) / apart
        self.steps = self._of_tasks("steps")
        self.resets = self._of_tasks("resets")
        with np.errstate(invalid="ignore", divide="ignore"):
            self.env_steps, self.env_resets = (x[:, 1] / x[:, 0] * _NS for x in of_envs)
        chunks = max(sum(thread["timed"] for thread in threads), 1)
        self.delay = sum(thread["delay_ns"] for thread in threads) / chunks * _NS

    def _of_tasks(self, what: str) -> list[dict[str, float]]:
        counts = sum(thread[what] for thread in self._found["threads"])
        longest, first = self._found[what][:, 2], 0
        tasks = []
        for task, row in zip(self.spec.tasks, counts, strict=False):
            end = first + int(task.config["num_envs"] or 1)
            tasks.append(_summary(row, longest[first:end].max()))
            first = end
        return tasks

    @property
    def bottleneck(self) -> str:
        """One or two sentences: what limits the speed, and what to change."""
        return bottleneck_of(self)

    def as_dict(self) -> dict[str, Any]:
        """All numbers by name, for JSON."""
        return {
            "bottleneck": self.bottleneck,
            "seconds": self.seconds,
            "calls": self.calls,
            "program": self.program,
            "in_calls": self.in_calls,
            "waited": self.waited,
            "own": self.own,
            "threads": self.threads.tolist(),
            "step_part": self.step_part,
            "reset_part": self.reset_part,
            "delay": self.delay,
            "tasks": [task.task_id for task in self.spec.tasks],
            "steps": self.steps,
            "resets": self.resets,
        }

    def scalars(self, prefix: str = "pool/") -> dict[str, float]:
        """Numbers for TensorBoard: writer.add_scalar(name, value, step) of each."""
        named = {
            "program": self.program,
            "in_calls": self.in_calls,
            "waited": self.waited,
            "own": self.own,
            "threads_busy": float(np.mean(self.threads)),
            "step_part": self.step_part,
            "reset_part": self.reset_part,
            "calls_per_second": self.calls / self.seconds,
        }
        for task, steps, resets in zip(self.spec.tasks, self.steps, self.resets, strict=True):
            named[f"{task.task_id}/step_us"] = steps["mean"] * 1e6
            named[f"{task.task_id}/reset_us"] = resets["mean"] * 1e6
        return {prefix + name: float(value) for name, value in named.items()}

    def save_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the first 20,000 chunks of each thread for chrome://tracing and Perfetto.

        Raises:
            OSError: the file cannot be written.
        """
        self._check_over()
        events: list[dict[str, Any]] = []
        rows = [("program", self._found["caller_events"])]
        rows += [(f"thread {k}", t["events"]) for k, t in enumerate(self._found["threads"])]
        for number, (name, spans) in enumerate(rows):
            fields = {"ph": "M", "pid": 1, "tid": number, "name": "thread_name"}
            events.append(fields | {"args": {"name": name}})
            for begin, end, envs in spans.tolist():
                what = f"{envs} envs" if number else "your program"
                span = {"ts": begin / 1e3, "dur": (end - begin) / 1e3}
                events.append({"ph": "X", "pid": 1, "tid": number, "name": what, **span})
        pathlib.Path(path).write_text(json.dumps({"traceEvents": events}, allow_nan=False))

    def histogram(self, what: str = "steps", task: int = 0) -> list[tuple[float, int]]:
        """How often steps or resets took how long: (seconds, count), where the count is not 0.

        Args:
            what: "steps" or "resets".
            task: the index of a task of several.
        """
        self._check_over()
        counts = sum(thread[what] for thread in self._found["threads"])[task]
        return [(_bucket_ns(int(k)) * _NS, int(counts[k])) for k in np.flatnonzero(counts)]

    def __str__(self) -> str:
        """A report for people. The rows of the calling thread add up to 100 %."""
        if not self._is_over:
            runs = (
                f"{self.spec.task_id}: a profile runs since {time.monotonic() - self._began:.1f} s;"
            )
            if self._timer is None:
                return f"{runs} stop() ends it."
            return f"{runs} it ends and prints its report after {self._limit:g} s."
        runs_envs = self.num_workers in (None, 0) and self.is_sync
        rows = [("your program", self.program), ("in calls", self.in_calls)]
        rows += [("waiting", self.waited)]
        rows += [("your thread's envs", self.own)] if runs_envs else []
        what = "worker" if self.num_workers else "thread"
        rows += [(f"{what} {k}", x) for k, x in enumerate(self.threads) if k > 0 or not runs_envs]
        lines = [self.bottleneck, f"  {self.calls:,} calls in {self.seconds:.2f} s"]
        lines += [f"  {name:<20}{part:6.1%}  {_bar(part)}".rstrip() for name, part in rows]
        for task, steps, resets in zip(self.spec.tasks, self.steps, self.resets, strict=False):
            for name, times in (("steps", steps), ("resets", resets)):
                if times["count"]:
                    lines.append(
                        f"  {task.task_id} {name}: mean {time_text(times['mean'])}, half below "
                        f"{time_text(times['p50'])}, 99 % below {time_text(times['p99'])}, longest "
                        f"{time_text(times['longest'])}"
                    )
        return "\n".join(lines)

    def __enter__(self) -> "Profile":
        """Returns itself; the end of a `with` block ends the profile."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Ends it."""
        self.stop()


def _check_seconds(task_id: str, seconds: float | None) -> float:
    if seconds is None:
        return float("inf")
    value = as_float(f"{task_id}: profile: seconds", seconds)
    if not 0 < value < float("inf"):
        raise ValueError(
            f"{task_id}: profile: seconds is {seconds!r}; allowed: above 0, or None for no limit"
        )
    return value


def _of_workers(ns_of_envs: Any, workers: int) -> Any:
    """The time of each worker: the sum of its envs, as core/engine/homes.h shares them out."""
    first = [k * len(ns_of_envs) // workers for k in range(workers)]
    return np.add.reduceat(ns_of_envs, first).astype(np.float64)


def _summary(counts: Any, longest_ns: int) -> dict[str, float]:
    total = int(counts.sum())
    if total == 0:
        return {"count": 0, "mean": 0.0, "p50": 0.0, "p99": 0.0, "longest": 0.0}
    middles = np.array([(_bucket_ns(k) + _bucket_ns(k + 1)) / 2 for k in range(len(counts))])
    below = np.cumsum(counts)

    def quantile(part: float) -> float:
        return _bucket_ns(int(np.searchsorted(below, part * total)) + 1) * _NS

    return {
        "count": total,
        "mean": float((counts * middles).sum() / total) * _NS,
        "p50": quantile(0.5),
        "p99": quantile(0.99),
        "longest": float(longest_ns) * _NS,
    }


def _bar(part: float) -> str:
    return _BAR * round(40 * min(part, 1.0))
