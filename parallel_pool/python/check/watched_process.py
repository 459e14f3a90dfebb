"""Runs a check in a process of its own, which an env may end, or keep for all time."""

import mmap
import os
import pickle
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from parallel_pool.python.options.option import as_float

_POLL = 0.05  # s
# EnvMark of core/engine/guarded.h.
_DOING = (
    "",
    "while it is made",
    "in {turn}",
    "in Observe() after {turn}",
)

# OpenGL's words for a copy of a process that has drawn (envs/mujoco/rendering/gl.cc).
_NO_COPY = "this process was forked from one that had drawn"

Marks = np.ndarray[Any, Any]  # int32 (envs, 3): an EnvMark for each env


def can_watch() -> bool:
    """Whether this system can copy the process, with all the libraries that it has loaded."""
    return hasattr(os, "fork") and sys.platform != "darwin"


def check_limit(seconds: Any) -> float:
    """The option step_timeout of check().

    Raises:
        TypeError, ValueError: it is no number above 0.
    """
    limit = as_float("check: step_timeout", seconds)
    if not 0 < limit < float("inf"):
        raise ValueError(f"check: step_timeout is {seconds!r}; allowed: a number above 0")
    return limit


def run_watched(
    run: Callable[[Marks | None, bool], None], task_id: str, envs: int, limit: float
) -> None:
    """Calls run(marks, one_by_one) in a copy of this process, and raises what it raises.

    Where the envs draw by OpenGL and this process has drawn before, no copy can: then it calls
    run(None, False) here.

    Args:
        run: plays pools whose setups are _core.guarded(setup, marks, one_by_one).
        task_id: begins the errors.
        envs: the most envs of a pool.
        limit: the longest time of a step, a reset or the making of an env, in seconds.

    Raises:
        AssertionError: the process has ended, or an env has exceeded the limit.
    """
    marks = np.frombuffer(mmap.mmap(-1, 12 * envs), np.int32).reshape(envs, 3)
    try:
        fault = _run(lambda: run(marks, False), marks, limit)
    except ValueError as error:
        if _NO_COPY not in str(error):
            raise
        return run(None, False)
    if not fault:
        return
    where = _where(marks)
    if (marks[:, 0] > 0).sum() > 1:  # of a chunk: once more, to know the one
        marks[:] = 0
        if again := _run(lambda: run(marks, True), marks, limit):
            fault, where = again, _where(marks)
    raise AssertionError(f"{task_id}: {where}{fault}")


def _run(run: Callable[[], None], marks: Marks, limit: float) -> str:
    """The end of a sentence on how the process has failed; "" if it has not."""
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    with warnings.catch_warnings():  # the copy uses no thread, and no pool, of this process
        warnings.simplefilter("ignore")
        pid = os.fork()
    if pid == 0:
        _be_the_copy(run, writer)
    os.close(writer)
    try:
        answer = _answer(reader, marks, limit)
    finally:
        os.close(reader)
        os.kill(pid, signal.SIGKILL)  # nothing, if it has ended
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if answer is None:
        return f"it did not come back within {limit:g} s (step_timeout)"
    if not answer:
        how = signal.Signals(-ended).name if ended < 0 else f"exit code {ended}"
        return f"the process has ended by {how}"
    error = pickle.loads(answer)
    if error is not None:
        raise error
    return ""


def _answer(reader: int, marks: Marks, limit: float) -> bytes | None:
    """The bytes that the copy writes until it ends; None if an env takes longer than `limit`."""
    answer, seen, changed = b"", b"", time.monotonic()
    while True:
        if select.select([reader], [], [], _POLL)[0]:
            part = os.read(reader, 1 << 16)
            if not part:
                return answer
            answer += part
        if (now := marks.tobytes()) != seen:
            seen, changed = now, time.monotonic()
        if marks[:, 0].any() and time.monotonic() - changed > limit:
            return None


def _be_the_copy(run: Callable[[], None], writer: int) -> None:
    error: BaseException | None = None
    try:
        run()
    except BaseException as raised:
        error = raised
    try:
        answer = pickle.dumps(error)
    except Exception:
        answer = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(answer)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _where(marks: Marks) -> str:
    """The envs that were doing something, and that: "env 3, in step 12: "."""
    places = []
    for env in np.flatnonzero(marks[:, 0]).tolist():
        doing, turn = marks[env, :2].tolist()
        text = _DOING[doing].format(turn="its first reset" if turn <= 0 else f"step {turn}")
        places.append(f"env {env}, {text}")
    return " or ".join(places) + ": " if places else ""
