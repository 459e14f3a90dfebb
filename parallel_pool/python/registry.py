"""The registry of tasks, and make_spec()."""

import ctypes
import errno
import functools
import os
import pathlib
import threading
from collections.abc import Sequence
from typing import Any

from parallel_pool._build_info import FAMILIES
from parallel_pool.core import _core
from parallel_pool.python.config import configure
from parallel_pool.python.gymnasium_ids import register
from parallel_pool.python.option import suggest
from parallel_pool.python.peer_names import id_hint
from parallel_pool.python.several_tasks import Entry, make_several
from parallel_pool.python.spec import Spec

_ROOT = pathlib.Path(__file__).parent.parent
_lock = threading.RLock()  # of the registry while it is made or changed


class Registry:
    """All tasks: those of this package's families and of the libraries that load() has loaded."""

    def __init__(self) -> None:
        self.tasks: dict[str, _core.Task] = {}
        self.failures: dict[str, str] = {}  # why a family could not be loaded
        self._libraries: dict[str, pathlib.Path] = {}  # by task
        self._stamps: dict[pathlib.Path, tuple[int, ...]] = {}  # by library, when it was loaded

    def add(self, library: pathlib.Path) -> list[str]:
        """Loads one family and returns its ids; after an error none of them is registered.

        Raises:
            RuntimeError: it cannot be loaded, or has changed since it was loaded.
            ValueError: an id is registered already.
        """
        with _lock:
            return self._add(library)

    def _add(self, library: pathlib.Path) -> list[str]:
        stamp = _stamp(library)
        # The loader would silently return the old code: it finds libraries by their file names. A
        # library cannot be unloaded while a pool runs its envs.
        if self._stamps.get(library, stamp) != stamp:
            raise RuntimeError(
                f"{library} has changed since this process loaded it, and a library stays until "
                "the process ends: start Python again"
            )
        try:
            found = _core.load_family(str(library))
        finally:
            if _is_loaded(library):
                self._stamps[library] = stamp
        taken = dict(self._libraries)
        for task in found:
            other = taken.get(task.id)
            if other is not None and self.tasks.get(task.id) is not task:
                raise ValueError(f"{library}: there is a task {task.id!r} already, of {other}")
            taken[task.id] = library
        self.tasks.update((task.id, task) for task in found)
        self._libraries.update((task.id, library) for task in found)
        for task in found:
            register(task)
        return [task.id for task in found]

    def library(self, task_id: str) -> str | None:
        """The library that load() needs for the task; None for this package's own tasks."""
        library = self._libraries[task_id]
        return None if library.is_relative_to(_ROOT) else str(library)

    def family(self, task_id: str) -> str:
        """The family of this package that has the task; empty if another library has it."""
        library = self._libraries[task_id]
        return library.parent.name if library.is_relative_to(_ROOT) else ""

    def find(self, task_id: str) -> _core.Task:
        """The task; ValueError with the nearest ids if there is none."""
        if not isinstance(task_id, str):
            raise TypeError(f"task_id must be a str such as 'CartPole-v1', not {task_id!r}")
        if task_id in self.tasks:
            return self.tasks[task_id]
        hint = id_hint(task_id, self.tasks) or suggest(task_id, self.tasks)
        failures = "".join(f"; no family {name}: {why}" for name, why in self.failures.items())
        raise ValueError(f"there is no task {task_id!r}{hint}{failures}")


def _stamp(library: pathlib.Path) -> tuple[int, ...]:
    """A stamp that changes with the file; empty if there is no file."""
    try:
        stat = library.stat()
    except OSError:
        return ()
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def _is_loaded(library: pathlib.Path) -> bool:
    """Whether the library is still mapped: dlclose() does not always unmap it."""
    try:
        ctypes.CDLL(str(library), os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return False
    return True


def registry() -> Registry:
    """The registry with this package's families."""
    with _lock:
        return _make_registry()


@functools.cache
def _make_registry() -> Registry:
    made = Registry()
    for family in FAMILIES:
        try:
            made.add(_ROOT / "envs" / family / "_family.so")
        except (RuntimeError, ValueError) as error:
            made.failures[family] = str(error)
    return made


def load(library: str | os.PathLike[str]) -> list[str]:
    """Loads a library of envs that was built elsewhere, so that make() has its tasks.

    docs/add_an_env.md shows how to write and build one. A second call for it does nothing.

    Args:
        library: the file, such as "my_env.so"; a relative path starts at the working directory.

    Returns:
        The ids of its tasks, in the order in which the library registers them.

    Raises:
        FileNotFoundError: there is no such file.
        RuntimeError: the system cannot load it, it has no PARALLEL_POOL_FAMILY, it was built with
            the headers of an incompatible version, or it has changed since this process loaded it.
        ValueError: another library has one of its ids. After any error no task is registered.
    """
    path = pathlib.Path(library).absolute()  # the system's loader searches for a bare name
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return registry().add(path)


def list_all_envs() -> list[str]:
    """The ids of all tasks, sorted."""
    return sorted(registry().tasks)


def make_spec(task_id: str | Sequence[Entry], **kwargs: Any) -> Spec:
    """The spaces, specs and options of a task, or of several in one pool, without building an env.

    It has make()'s keywords and raises its errors. A file that an option names, such as a model, is
    read now; make(spec) does not read it again.
    """
    if isinstance(task_id, list | tuple):
        return make_several(task_id, kwargs, make_spec)
    name: Any = task_id  # find() refuses all but a str
    task = registry().find(name)
    config, setup, envs = configure(task, kwargs)
    return Spec.of(task, config, setup, envs, registry().library(name), kwargs)
