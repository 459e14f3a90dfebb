"""The versions of a simulator that a family is built with: an option of its tasks chooses one."""

import contextlib
import contextvars
import functools
import importlib
import importlib.metadata
import os
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from parallel_pool.python.options.option import suggest

_ENVS = pathlib.Path(__file__).parents[2] / "envs"
_INSTALLED = "installed"  # the value that stands for the version that pip has

# Whether a process's default counts. Saved things are of the version that they name.
_has_default = contextvars.ContextVar("has_default", default=True)


@dataclass(frozen=True)
class Versions:
    """The versions of a family's simulator.

    Attributes:
        option: the option of all its tasks, such as "mujoco_version".
        variable: the variable of the environment that has the default of a process.
        libraries: the file of the plugin for each version. The first one is the default.
        packages: the names under which pip may have the simulator, the better one first.
        equal: versions that count as another one.
    """

    option: str
    variable: str
    libraries: Mapping[str, str]
    packages: tuple[str, ...]
    equal: Mapping[str, str] = field(default_factory=dict)

    @property
    def default(self) -> str:
        """The version without an option."""
        return next(iter(self.libraries))

    def choose(self, task_id: str, options: Mapping[str, Any]) -> str:
        """The version that the options of make() mean, or else the process's default.

        Raises:
            ValueError: there is no such version here; the error names all.
            TypeError: the option is no str.
        """
        name, value = f"{task_id}: {self.option}", options.get(self.option, self.default)
        if self.option not in options and _has_default.get() and self.variable in os.environ:
            name, value = self.variable, os.environ[self.variable]
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a str such as {self.default!r}, not {value!r}")
        if value == _INSTALLED:
            return self._installed(name)
        if value not in self.libraries:
            hint = suggest(value, [*self.libraries, _INSTALLED])
            raise ValueError(f"{name} is {value!r}; allowed are {self._allowed()}{hint}")
        return value

    def _allowed(self) -> str:
        return ", ".join(map(repr, [*self.libraries, _INSTALLED]))

    def _installed(self, name: str) -> str:
        for package in self.packages:
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                found = importlib.metadata.version(package)
                version = self.equal.get(found, found)
                if version in self.libraries:
                    return version
                raise ValueError(
                    f"{name} is {_INSTALLED!r}, but {package} {found} is installed; "
                    f"allowed are {self._allowed()}"
                )
        raise ValueError(
            f"{name} is {_INSTALLED!r}, but pip has no {' and no '.join(self.packages)}; "
            f"allowed are {self._allowed()}"
        )


@functools.cache
def versions_of(family: str) -> Versions | None:
    """The versions of a family, which has them as VERSIONS in a file versions.py; else None."""
    if not family or not (_ENVS / family / "versions.py").exists():
        return None
    found: Versions = importlib.import_module(f"parallel_pool.envs.{family}.versions").VERSIONS
    return found


@contextlib.contextmanager
def as_saved() -> Iterator[None]:
    """In this context, a task without the option has the first version, not the process's default.

    So what was saved before there was a choice stays what it was.
    """
    token = _has_default.set(False)
    try:
        yield
    finally:
        _has_default.reset(token)
