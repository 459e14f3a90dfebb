"""A recorded run: what is in its file, and the spec of its envs."""

import os
import warnings
from typing import Any

import numpy as np

from parallel_pool._build_info import VERSION
from parallel_pool.python.recordings import file
from parallel_pool.python.recordings.recording import FORMAT, describe
from parallel_pool.python.specs.registry import registry, spec_again
from parallel_pool.python.specs.spec import Spec
from parallel_pool.python_envs.make_python import make_python_spec

# Options that change no result.
FREE = ("num_threads", "thread_affinity_offset", "pin_memory", "num_workers", "start_method")

_LEVEL = 4  # of the stack, from a warning to the caller of replay()


class Run:
    """A file of pool.record().

    Attributes:
        path: of the file.
        header: what was recorded, by name: "task", "version", "env_type", "config", ...
        damage: what is wrong with the file; empty if nothing.
        results: the number of results.
        digests: by number; each of the 64 results that end with this one.
        has_old_digests: whether they are of each 64th result alone, as in format 1.
        setups: the options of envs that were built again: (index of the task, options).
        spec: the pool's, without the options that change no result.
        is_async: whether the pool was.
    """

    def __init__(
        self, path: str | os.PathLike[str], env: Any, num_threads: int, render_mode: str | None
    ) -> None:
        """Opens a file; arguments and errors are those of replay()."""
        self.path: str = os.fspath(path)
        self._reader = file.Reader(self.path)
        self.header: dict[str, Any] = file.from_bytes(self._reader.header)
        if not 1 <= self.header["format"] <= FORMAT:
            raise ValueError(f"{self.path} is a recording of another version of ParallelPool")
        if self.header["version"] != VERSION:
            warnings.warn(
                f"{self.path} was recorded with ParallelPool {self.header['version']}, this is "
                f"{VERSION}: digests show whether its results are equal",
                stacklevel=_LEVEL,
            )
        self.has_old_digests: bool = self.header["format"] == 1
        self.digests: dict[int, int] = {}
        self.setups: list[tuple[int, list[Any]]] = []
        self._index()
        if self.damage:
            warnings.warn(f"{self.path}: {self.damage}", stacklevel=_LEVEL)
        self.spec: Spec = self._make_spec(env, num_threads, render_mode)
        config = self.header["config"]
        self.is_async: bool = not self.spec.is_single and config["batch_size"] != config["num_envs"]

    def _index(self, since: int = 0) -> None:
        """Reads the records from number `since` on, but no calls."""
        reader = self._reader
        self.damage: str = reader.damage
        self._parts = reader.find(file.CALLS, file.KEYFRAME)
        self._keyframes = {number for number, _ in reader.find(file.KEYFRAME)}
        for record in reader.all(file.DIGESTS, since):
            pairs: list[int] = np.frombuffer(record, np.uint64).tolist()
            self.digests.update(zip(pairs[::2], pairs[1::2], strict=True))
        for record in reader.all(file.SETUPS, since):
            self.setups += file.from_bytes(record)
        self.results: int = reader.results

    def look_again(self) -> None:
        """Reads what was appended to the file since."""
        self._index(self._reader.look_again())

    @property
    def has_ended(self) -> bool:
        """Whether the file has its end; if not, the program was killed or is still running."""
        return self._reader.has_end

    def _make_spec(self, env: Any, num_threads: int, render_mode: str | None) -> Spec:
        header = self.header
        config = {n: v for n, v in header["config"].items() if n not in FREE}
        config["render_mode"] = render_mode
        if header["libraries"] is None:
            if env is None:
                raise ValueError(
                    f"{self.path} is of a pool of make_python(): give its envs by env=..., as "
                    "make_python() took them"
                )
            if not config.pop("step_timeout", 0):  # which needs workers
                config["num_workers"] = 0
            spec = make_python_spec(env, **config)
        else:
            for task_id, library in header["libraries"].items():
                if library is None:
                    registry().find(task_id)  # its error names the nearest
            if config["num_envs"] is not None:
                config["num_threads"] = num_threads
            spec = spec_again(header["libraries"], config)
        if describe(spec.setup) != header["arrays"]:
            raise ValueError(
                f"{self.path}: {header['task']} has other arrays in this version than in that of "
                f"the run, {header['version']}"
            )
        return spec

    @property
    def parts(self) -> int:
        """The number of parts of its calls."""
        return len(self._parts)

    def begins_keyframe(self, part: int) -> bool:
        """Whether a replay can start with this part."""
        return self._parts[part][0] in self._keyframes

    def first(self, part: int) -> int:
        """The number of the first result of a part."""
        return self._parts[part][1]

    def calls(self, part: int) -> bytes | None:
        """The calls of a part, for _core.Replayer; None, with a warning, if it is damaged."""
        try:
            return self._reader.read(self._parts[part][0])
        except ValueError as error:
            self.damage = str(error)
            warnings.warn(f"{self.path}: {error}; the replay ends there", stacklevel=_LEVEL)
            return None

    def check(self) -> str:
        """Reads all calls; returns the damage of the file."""
        for part in range(self.parts):
            if self.damage or self.calls(part) is None:
                break
        return self.damage

    def close(self) -> None:
        """Closes the file."""
        self._reader.close()
