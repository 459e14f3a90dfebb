"""The registry of tasks, and make_spec()."""

import errno
import functools
import os
import pathlib
import threading
from collections.abc import Sequence
from typing import Any

from parallel_pool._build_info import FAMILIES
from parallel_pool.core import _core
from parallel_pool.python.options.option import suggest
from parallel_pool.python.options.other_libraries import id_hint
from parallel_pool.python.specs.config import configure
from parallel_pool.python.specs.gymnasium_ids import register, unregister
from parallel_pool.python.specs.library_file import (
    copy_of,
    delete_old_copies,
    is_loaded,
    stamp_of,
)
from parallel_pool.python.specs.names import names
from parallel_pool.python.specs.native import NativeTask
from parallel_pool.python.specs.several_tasks import Entry, make_several
from parallel_pool.python.specs.spec import Spec
from parallel_pool.python.specs.versions import as_saved, versions_of

_ROOT = pathlib.Path(__file__).parents[2]
_lock = threading.RLock()  # of the registry while it is made or changed


class TaskRegistry:
    """All tasks: those of this package's families and of the libraries that load() has loaded."""

    def __init__(self) -> None:
        self.tasks: dict[str, _core.Task] = {}
        self.failures: dict[str, str] = {}  # why a family could not be loaded
        self.left_out: list[str] = []  # families that this wheel was built without
        self._libraries: dict[str, pathlib.Path] = {}  # by task
        self._stamps: dict[pathlib.Path, tuple[int, ...]] = {}  # by library, when it was loaded
        self._builds: dict[pathlib.Path, dict[str, _core.Task]] = {}  # of other versions: by id

    def add(self, library: pathlib.Path, replace: bool = False) -> list[str]:
        """Loads one family and returns its ids; after an error the registry is as before.

        Args:
            library: the file.
            replace: whether it may take the place of what the file was before.

        Raises:
            RuntimeError: it cannot be loaded, or has changed since it was loaded.
            ValueError: an id is registered already.
        """
        with _lock:
            return self._add(library, replace)

    def _add(self, library: pathlib.Path, replace: bool) -> list[str]:
        stamp = stamp_of(library)
        known = [task_id for task_id, other in self._libraries.items() if other == library]
        has_changed = self._stamps.get(library, stamp) != stamp
        if has_changed and not replace:
            raise RuntimeError(
                f"{library} has changed since this process loaded it: "
                "load(path, replace=True) loads it again, for new pools"
            )
        if known and not has_changed:
            return known
        found = self._replace(library) if has_changed else self._load(library, stamp)
        taken = {
            task_id: other
            for task_id, other in self._libraries.items()
            if not (has_changed and other == library)
        }
        for task in found:
            other = taken.get(task.id)
            if other is not None and self.tasks.get(task.id) is not task:
                raise ValueError(f"{library}: there is a task {task.id!r} already, of {other}")
            taken[task.id] = library
        for task_id in self._libraries.keys() - taken.keys():
            del self.tasks[task_id]
            unregister(task_id)
        self.tasks.update((task.id, task) for task in found)
        self._libraries = taken
        self._stamps[library] = stamp
        for task in found:
            register(task, replace=has_changed)
        return [task.id for task in found]

    def _load(self, library: pathlib.Path, stamp: tuple[int, ...]) -> list[_core.Task]:
        try:
            return _core.load_family(str(library))
        finally:
            if is_loaded(library):
                self._stamps[library] = stamp

    @staticmethod
    def _replace(library: pathlib.Path) -> list[_core.Task]:
        """The tasks of the file as it is now. The old code stays: pools and specs have it."""
        with copy_of(library) as copy:
            try:
                return _core.load_family(str(copy))
            except RuntimeError as error:
                raise RuntimeError(str(error).replace(str(copy), str(library))) from None

    def library(self, task_id: str) -> str | None:
        """The library that load() needs for the task; None for this package's own tasks."""
        library = self._libraries[task_id]
        return None if library.is_relative_to(_ROOT) else str(library)

    def family(self, task_id: str) -> str:
        """The family of this package that has the task; empty if there is none."""
        library = self._libraries.get(task_id)
        return library.parent.name if library and library.is_relative_to(_ROOT) else ""

    def suite(self, task_id: str) -> str:
        """The suite of the task within its family, such as "dm_control"; else the family."""
        return self.tasks[task_id].suite or self.family(task_id)

    def suites(self) -> list[str]:
        """All suites, sorted."""
        return sorted({self.suite(task_id) for task_id in self.tasks} - {""})

    def twin_of(self, task_id: str) -> str:
        """The task that pages name in its place; empty: they name this one."""
        return self.tasks[task_id].twin_of

    def find(self, task_id: str) -> NativeTask:
        """The task; ValueError with the nearest ids if there is none."""
        if not isinstance(task_id, str):
            raise TypeError(f"task_id must be a str such as 'CartPole-v1', not {task_id!r}")
        if task_id in self.tasks:
            return source_of(self.tasks[task_id], self.library(task_id))
        known = [*self.tasks, *names()]
        hint = id_hint(task_id, self.tasks) or suggest(
            task_id, known, "parallel_pool.list_all_envs() names all"
        )
        failures = "".join(f"; no family {name}: {why}" for name, why in self.failures.items())
        if self.left_out:
            failures += (
                f"; this wheel is without the families {', '.join(self.left_out)}: "
                "`make wheel` builds one with all"
            )
        raise ValueError(f"there is no task {task_id!r}{hint}{failures}")

    def in_version(
        self, task: NativeTask, options: dict[str, Any]
    ) -> tuple[NativeTask, dict[str, Any]]:
        """The task as the version of its simulator that `options` mean has it, and the options.

        Raises:
            ValueError: the version is unknown, or this wheel is without it.
            TypeError: the option that chooses it has a wrong type.
        """
        versions = versions_of(self.family(task.id))
        if versions is None:
            return task, options
        version = versions.choose(task.id, options)
        if version == versions.default:
            named = versions.option in options
            return task, options | {versions.option: version} if named else options
        library = self._libraries[task.id].parent / versions.libraries[version]
        if not library.exists():
            raise ValueError(
                f"{task.id}: {versions.option} is {version!r}, which this wheel is without; it has "
                f"{versions.default!r}"
            )
        with _lock:
            if library not in self._builds:
                self._builds[library] = {t.id: t for t in _core.load_family(str(library))}
        native = self._builds[library][task.id]
        return source_of(native, task.library), {**options, versions.option: version}


@functools.cache
def source_of(task: _core.Task, library: str | None) -> NativeTask:
    """The source of the specs of a task."""
    return NativeTask.of(task, library, spec_again)


def registry() -> TaskRegistry:
    """The registry with this package's families."""
    with _lock:
        return _make_registry()


@functools.cache
def _make_registry() -> TaskRegistry:
    made = TaskRegistry()
    for family in FAMILIES:
        library = _ROOT / "envs" / family / "_family.so"
        if not library.parent.exists():
            made.left_out.append(family)
            continue
        try:
            made.add(library)
        except (RuntimeError, ValueError) as error:
            made.failures[family] = str(error)
    return made


def load(library: str | os.PathLike[str], *, replace: bool = False) -> list[str]:
    """Loads a library of envs that was built elsewhere, so that make() has its tasks.

    docs/add_an_env.md shows how to write and build one. A second call for it does nothing.

    Args:
        library: the file, such as "my_env.so"; a relative path starts at the working directory.
        replace: True: if the file was built again since this process loaded it, make() has its new
            tasks from now on. Pools and specs that exist go on with their old code, which stays in
            memory until the process ends. On Windows, rename the loaded file before the build: the
            system lets no program write to it.

    Returns:
        The ids of its tasks, in the order in which the library registers them.

    Raises:
        FileNotFoundError: there is no such file.
        RuntimeError: the system cannot load it, it has no PARALLEL_POOL_FAMILY, it was built with
            the headers of an incompatible version, or it has changed since this process loaded it
            and `replace` is False.
        ValueError: another library has one of its ids. After any error the tasks are as before.
    """
    path = pathlib.Path(library).absolute()  # the system's loader searches for a bare name
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    delete_old_copies(path)
    return registry().add(path, replace)


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
    if isinstance(task_id, str) and task_id not in registry().tasks and task_id in names():
        tasks, options = names()[task_id](kwargs)
        return make_spec(tasks, **options)
    name: Any = task_id  # find() refuses all but a str
    task, kwargs = registry().in_version(registry().find(name), kwargs)
    config, setup, envs = configure(task, kwargs)
    return Spec.of(task, config, setup, envs, kwargs)


def with_versions(task: Any, options: dict[str, Any], spec: Spec) -> tuple[Any, dict[str, Any]]:
    """The arguments of make_spec() that gave `spec`, with the versions of its simulators named.

    They are in `spec` anyway. The arguments lack them if they were a process's default, and may say
    "installed".
    """
    found = []
    for part in spec.tasks:
        versions = versions_of(registry().family(part.task_id))
        found.append({versions.option: part.config[versions.option]} if versions else {})
    if isinstance(task, str):  # a name may stand for several tasks of one family
        return task, options | found[0]
    named = {name for version in found for name in version}
    tasks = []
    for entry, version in zip(task, found, strict=True):
        task_id, own = (entry, {}) if isinstance(entry, str) else entry
        tasks.append((task_id, {**own, **version}) if version else entry)
    return tasks, {name: value for name, value in options.items() if name not in named}


def spec_again(libraries: dict[str, str | None], config: dict[str, Any]) -> Spec:
    """The spec of a pool's config, for unpickling.

    Args:
        libraries: the file that load() needs for each task; None for tasks of this package.
        config: the config.

    Raises:
        RuntimeError: a task's library is not loaded here.
    """
    for task_id, library in libraries.items():
        if library is not None and task_id not in registry().tasks:
            raise RuntimeError(
                f"this process does not know the task {task_id!r}: "
                f"call parallel_pool.load({library!r}) before unpickling a pool of it"
            )
    config = dict(config)
    tasks = config.pop("tasks", next(iter(libraries)))
    with as_saved():
        return make_spec(tasks, **config)
