"""The writer of a recording: a thread that takes the calls of a pool and appends them to a file."""

import errno
import importlib
import os
import threading
import time
import warnings
from typing import IO, Any

import numpy as np

from parallel_pool._build_info import VERSION
from parallel_pool.core import _core
from parallel_pool.python.recordings import file, live_view

_SECONDS = 0.25  # between two looks
_COST = 0.005  # the part of the time that keyframes may take
_LEAST_RESULTS = 1000  # between two keyframes

FORMAT = 2


def describe(setup: _core.Setup) -> str:
    """The arrays of an env, which a replay compares."""
    return repr((setup.action_arrays, setup.state_arrays))


class Recording:
    """A recording that is being written. It ends with stop(), or with a `with` block.

    Attributes:
        path: the file.
        is_over: whether it has ended.
    """

    def __init__(self, path: str | os.PathLike[str], envs: Any, view: bool = False) -> None:
        """Opens the file; see Base.record()."""
        self.path: str = os.fspath(path)
        self._envs = envs._envs
        self._pid = os.getpid()
        spec = envs._pool_spec
        core = envs._native.core_pool
        if core is None:
            raise RuntimeError(
                f"{spec.task_id}: {type(envs).__name__} cannot be recorded: its envs are in "
                "the pools of other processes"
            )
        self._core = core
        header = _header(envs, spec)
        if view:
            _check_view(spec, envs)
        core.start_recording()  # an error leaves a file of that name alone
        try:
            # Without a buffer: a write that fails leaves nothing to write again.
            self._file: IO[bytes] = open(self.path, "wb", buffering=0)  # noqa: SIM115
            self._file.write(file.MAGIC)
            file.write(self._file, file.HEADER, header)
        except BaseException:
            core.stop_recording()
            raise
        # Keyframes of envs in Python would be pickled by them, in the middle of a step.
        self._has_keyframes = envs._native.host is None
        self._error: OSError | MemoryError | None = None
        self.is_over: bool = False
        self._results = 0
        self._bytes_since = 0  # in the file, of calls since the last keyframe
        self._keyframe_bytes = 0
        self._keyframe_results = 0
        self._keyframe_due = time.monotonic()
        self._lock = threading.Lock()  # of the file
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="parallel_pool recording")
        self._thread.daemon = True
        self._write()
        self._thread.start()
        self._view = live_view.start(self.path) if view else None

    def _run(self) -> None:
        while not self._end.wait(_SECONDS):
            self._write()

    def _write(self) -> None:
        """Appends what was recorded; after an error, drops it."""
        with self._lock:
            if self.is_over:
                return
            try:
                if self._error is None:
                    self._append()
                else:
                    self._core.take_recording()
            except (OSError, MemoryError) as error:
                if self._error is None:
                    self._error = error
                    warnings.warn(
                        f"{self.path}: the recording ends at result {self._results}: {error}",
                        RuntimeWarning,
                        stacklevel=2,
                    )

    def _append(self) -> None:
        begun = time.monotonic()
        parts, setups, self._results, keyframe_seconds = self._core.take_recording()
        if setups:
            file.write(self._file, file.SETUPS, self._described(setups))
        digests: list[tuple[int, int]] = []
        ends = [first for first, *_ in parts[1:]] + [self._results]
        for (first, begins_keyframe, calls, of_part), end in zip(parts, ends, strict=False):
            digests += of_part
            if not calls:
                continue
            kind = file.KEYFRAME if begins_keyframe else file.CALLS
            size = file.write(self._file, kind, calls, first, end)
            if begins_keyframe:
                self._bytes_since, self._keyframe_bytes = 0, size
                self._keyframe_results = self._results
            else:
                self._bytes_since += size
        if digests:
            file.write(self._file, file.DIGESTS, np.array(digests, np.uint64).tobytes())
        now = time.monotonic()
        if keyframe_seconds:
            self._keyframe_due = now + (keyframe_seconds + now - begun) / _COST
        is_due = (
            now >= self._keyframe_due
            and self._bytes_since >= self._keyframe_bytes
            and self._results - self._keyframe_results >= _LEAST_RESULTS
        )
        if is_due and self._has_keyframes:
            self._keyframe_due = float("inf")  # until it is written
            self._core.request_keyframe()

    def _described(self, setups: list[tuple[int, _core.Setup]]) -> bytes:
        places = [(self._envs.place(env)[0], setup.options) for env, setup in setups]
        return file.to_bytes(places)

    def stop(self) -> None:
        """Ends the recording; may be called again.

        Raises:
            OSError: the file could not be written to its end.
            RuntimeError: another thread is in a call of the pool; call it again.
        """
        if self.is_over or os.getpid() != self._pid:  # after a fork, the file is the parent's
            return
        self._end.set()
        if self._thread is not threading.current_thread():
            self._thread.join()
        self._write()
        self._core.stop_recording()
        self.is_over = True
        if self._error is None:
            try:
                file.write(self._file, file.END, b"", self._results, self._results)
            except OSError as error:
                self._error = error
        self._file.close()
        if self._error is not None:
            raise OSError(
                getattr(self._error, "errno", None) or errno.ENOMEM,
                f"the recording ends at result {self._results}: {self._error}",
                self.path,
            )

    def end_view(self) -> None:
        """Ends the view of record(view=True), if there is one: the recording goes on."""
        if self._view is not None and self._view.stdin is not None:
            self._view.stdin.close()
            self._view.wait()
            self._view = None

    def to_rerun(self, path: str | os.PathLike[str] | None = None, **choice: Any) -> Any:
        """Writes what is recorded so far for the viewer Rerun.

        See parallel_pool.integrations.rerun.to_rerun(), which has the same for any file.

        Args:
            path: the .rrd file; None: the stream that is returned holds everything, for its
                notebook_show().
            **choice: envs, episode, steps, pictures and env of to_rerun().

        Returns:
            The rerun.RecordingStream.

        Raises:
            RuntimeError: Rerun is not installed.
            OSError, ValueError: those of to_rerun().
        """
        live_view.need_rerun()
        integration = importlib.import_module("parallel_pool.integrations.rerun")
        return integration.to_rerun(self.path, path, **choice)

    def __enter__(self) -> "Recording":
        """Returns itself; the end of a `with` block stops the recording."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Stops it."""
        self.stop()


def _check_view(spec: Any, envs: Any) -> None:
    """RuntimeError if the run cannot be shown while it is recorded."""
    live_view.need_rerun()
    if envs._native.host is not None:
        raise RuntimeError(
            f"{spec.task_id}: view=True plays the run again, and a recording has no code of envs "
            "in Python; record it, and show it later with Recording.to_rerun(path, env=...)"
        )


def _header(envs: Any, spec: Any) -> bytes:
    libraries = spec.source.remake()[1]
    return file.to_bytes(
        {
            "format": FORMAT,
            "version": VERSION,
            "task": spec.task_id,
            "env_type": envs.env_type,
            "libraries": libraries if isinstance(libraries, dict) else None,
            "config": envs.config,
            "arrays": describe(spec.setup),
        }
    )
