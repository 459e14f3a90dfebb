"""Names that stand for a task or several tasks with options, such as MetaWorld/MT10."""

import functools
import importlib
import pathlib
import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from parallel_pool._build_info import FAMILIES

_ENVS = pathlib.Path(__file__).parents[2] / "envs"

# From the keywords of make() to the task or the tasks, and the keywords, of make_spec().
Recipe = Callable[[Mapping[str, Any]], tuple[Any, dict[str, Any]]]


@functools.cache
def names_by_family() -> dict[str, Mapping[str, Recipe]]:
    """The names of each family that has some.

    A family has them in a file names.py, as the mapping NAMES. That may have more names than it
    lists: errors name only those that it lists.
    """
    return {
        family: importlib.import_module(f"parallel_pool.envs.{family}.names").NAMES
        for family in FAMILIES
        if (_ENVS / family / "names.py").exists()
    }


@functools.cache
def names() -> Mapping[str, Recipe]:
    """The names of all families."""
    found: Mapping[str, Recipe] = ChainMap(*names_by_family().values())  # type: ignore[arg-type]
    return found


class NamePattern(Mapping[str, Recipe]):
    """The NAMES of a family whose names are too many to list.

    Args:
        task_id: the task that all names stand for.
        pattern: a regular expression for a whole name.
        options: from the match of a name to the task's options; None: there is no such name.
        listed: the names that errors suggest.
    """

    def __init__(
        self,
        task_id: str,
        pattern: str,
        options: Callable[[re.Match[str]], dict[str, Any] | None],
        listed: Iterable[str],
    ) -> None:
        self._task_id = task_id
        self._pattern = re.compile(pattern)
        self._options = options
        self._listed = tuple(listed)

    def __getitem__(self, name: str) -> Recipe:
        match = self._pattern.fullmatch(name)
        options = self._options(match) if match else None
        if options is None:
            raise KeyError(name)
        return functools.partial(self._expand, options)

    def _expand(
        self, options: Mapping[str, Any], kwargs: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """The task, and the name's options with those of the user, which come first."""
        return self._task_id, {**options, **kwargs}

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)
