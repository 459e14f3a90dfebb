"""Recordings and profiles of pools and single envs."""

import os
import warnings
import weakref

from parallel_pool.python.pools.profile import Profile
from parallel_pool.python.recordings.recording import Recording
from parallel_pool.python.specs.spec import Spec


class Observable:
    """The calls that watch a pool while it runs."""

    _pool_spec: Spec
    _recording: Recording | None = None

    def record(self, path: str | os.PathLike[str], *, view: bool = False) -> Recording:
        """Writes all that determines the run from now on to a file, for parallel_pool.replay().

        That is the task, its options, seeds, actions, resets and loaded states, without
        observations: a million steps of Pong-v5 take less than a megabyte.

        Args:
            path: the file; one of that name is replaced. A program that is killed leaves all but
                the last quarter of a second in it.
            view: shows episodes of the first four envs in the viewer Rerun while they are recorded:
                in a window, or without a display on a web page of this machine. Another process
                does it, which takes about 2 % of a processor; the viewer keeps at most 512 MB.

        Returns:
            The recording. It ends with stop_recording(), with close(), or with its `with` block.

        Raises:
            OSError: the file cannot be written.
            RuntimeError: it records already, or its envs are in the pools of other processes; or
                `view` is True, and Rerun is not installed or the envs are in Python.
            ValueError: an env is in flight; or the task cannot save its state, and the pool is not
                new.
        """
        if self._recording is not None and not self._recording.is_over:
            raise RuntimeError(
                f"{self._pool_spec.task_id}: it records to {self._recording.path} already: call "
                "stop_recording() first"
            )
        if self._recording is not None:
            self._recording.end_view()
        self._recording = Recording(path, self, view)
        weakref.finalize(self, self._recording.stop)  # before the envs are freed
        return self._recording

    def stop_recording(self) -> None:
        """Ends record().

        Raises:
            RuntimeError: it does not record.
            OSError: the file could not be written to its end.
        """
        if self._recording is None:
            raise RuntimeError(f"{self._pool_spec.task_id}: it does not record")
        self._recording.stop()

    def profile(self, seconds: float | None = None) -> Profile:
        """Measures where the time goes: the program, the threads, steps and resets.

        Without a profile nothing is measured; with one, steps are less than 2 % slower.

        Args:
            seconds: it ends at the end of the first call after so many seconds and prints its
                report; None: it ends with stop(), or with its `with` block.

        Raises:
            TypeError, ValueError: `seconds` is no number above 0.
            RuntimeError: the pool is closed, in a call of another thread, has a profile already, or
                its envs are in the pools of other processes.
        """
        return Profile(self, seconds)

    def _end_recording(self) -> None:
        """Ends record(), with a warning for its error."""
        if self._recording is not None:
            try:
                self._recording.stop()
            except OSError as error:
                warnings.warn(str(error), RuntimeWarning, stacklevel=3)
