"""pool.profile(): where the time of a pool goes, and what to change."""

import json
import os
import pathlib
import threading
from typing import Any

import numpy as np

from parallel_pool.core import _core
from parallel_pool.python.pools.bottleneck import bottleneck_of, time_text
from parallel_pool.python.specs.spec import Spec

_NS = 1e-9
_BAR = "#"


def _bucket_ns(index: int) -> float:
    """The lowest time of a bucket; core/engine/profile.h has the rule."""
    return float((4 + index % 4) * 2.0 ** (index // 4 - 2))


class Profile:
    """A profile of a pool. It ends with stop(), or with a `with` block.

    Attributes:
        spec: the pool's.
        is_sync: whether the pool is.
        is_hosted: whether its envs are in Python.
        seconds: how long it took.
        calls: the number of steps, sends and resets that the program has called.
        program: the part of the time that the program spent between calls of the pool, 0 to 1.
        waited: the part that it spent in the pool without running envs itself.
        threads: the part of the time in which each thread ran envs, float64 (num_threads,). A sync
            pool's first thread is the program's own.
        steps: of each task, a dict: "count", "mean", "p50", "p99" and "longest" in seconds.
        resets: the same for resets.
        step_part: the part of the threads' work that steps took; "resets" took reset_part, and the
            rest went into observations and the engine.
        reset_part: see step_part.
        env_steps: float64 (num_envs,): the mean seconds of a step; NaN where none was measured.
        env_resets: the same for resets.
        delay: the mean seconds from a call to the beginning of its chunks of envs: the queue.
    """

    def __init__(self, pool: Any, seconds: float | None = None) -> None:
        """Starts it; see BasePool.profile()."""
        self.spec: Spec = pool._pool_spec
        native = pool._native
        core = getattr(native, "core_pool", native)
        if not isinstance(core, _core.Pool):
            raise RuntimeError(
                f"{self.spec.task_id}: {type(pool).__name__} has its envs in the pools of other "
                "processes: profile one of these"
            )
        self._core = core
        self.is_hosted: bool = native is not core
        self._workers = self._worker_time(native)
        self._native = native
        self.is_sync: bool = not getattr(pool, "is_async", False)
        self._is_over = False
        core.start_profile()
        self._timer: threading.Timer | None = None
        if seconds is not None:
            self._timer = threading.Timer(seconds, self._stop_and_print)
            self._timer.daemon = True
            self._timer.start()

    @staticmethod
    def _worker_time(native: Any) -> float:
        """The seconds that worker processes have stepped so far."""
        step_time = getattr(getattr(native, "_host", None), "step_time", None)
        return float(step_time()[1]) if step_time is not None else 0.0

    def stop(self) -> None:
        """Ends the profile; may be called again."""
        if self._is_over:
            return
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
        self._core.stop_profile()
        self._read(self._core.read_profile())

    def _stop_and_print(self) -> None:
        while not self._is_over:
            try:
                self.stop()
            except RuntimeError:  # the pool is in a call; its next pause is near
                self._is_over = False
                continue
        print(self)

    def _read(self, found: dict[str, Any]) -> None:
        ns = max(found["ns"], 1)
        threads = found["threads"]
        self._found = found
        self.seconds: float = ns * _NS
        self.calls: int = found["calls"]
        self.program: float = found["program_ns"] / ns
        busy = np.array(
            [t["timed_ns"] * t["chunks"] / max(t["timed"], 1) for t in threads], np.float64
        )
        own = busy[0] if self.is_sync and not self.is_hosted else 0.0
        self.waited: float = max(found["wait_ns"] - own, 0.0) / ns
        if self.is_hosted:  # only the sum of the workers is known
            workers = max(int(self.spec.config.get("num_workers") or 0), 1)
            took = (self._worker_time(self._native) - self._workers) / _NS
            busy = np.full(workers, took / workers)
        self.threads: Any = np.minimum(busy / ns, 1.0)
        apart = max(sum(thread["apart_ns"] for thread in threads), 1)
        self.step_part: float = sum(thread["step_ns"] for thread in threads) / apart
        self.reset_part: float = sum(thread["reset_ns"] for thread in threads) / apart
        self.steps: list[dict[str, float]] = self._of_tasks("steps")
        self.resets: list[dict[str, float]] = self._of_tasks("resets")
        with np.errstate(invalid="ignore", divide="ignore"):
            self.env_steps: Any = found["steps"][:, 1] / found["steps"][:, 0] * _NS
            self.env_resets: Any = found["resets"][:, 1] / found["resets"][:, 0] * _NS
        chunks = max(sum(thread["timed"] for thread in threads), 1)
        self.delay: float = sum(thread["delay_ns"] for thread in threads) / chunks * _NS

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
        """One sentence: what limits the speed, and what to change."""
        return bottleneck_of(self)

    def as_dict(self) -> dict[str, Any]:
        """All numbers by name, for JSON."""
        return {
            "bottleneck": self.bottleneck,
            "seconds": self.seconds,
            "calls": self.calls,
            "program": self.program,
            "waited": self.waited,
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
            "waited": self.waited,
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
        counts = sum(thread[what] for thread in self._found["threads"])[task]
        return [(_bucket_ns(int(k)) * _NS, int(counts[k])) for k in np.flatnonzero(counts)]

    def __str__(self) -> str:
        """A report for people."""
        lines = [self.bottleneck, f"  {self.calls:,} calls in {self.seconds:.2f} s"]
        for name, part in (("your program", self.program), ("waiting", self.waited)):
            lines.append(f"  {name:<14}{part:6.0%}  {_bar(part)}")
        for k, part in enumerate(self.threads):
            lines.append(f"  {f'thread {k}':<14}{part:6.0%}  {_bar(part)}")
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
