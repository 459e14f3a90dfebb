"""Names of one task with options, by the pattern of the names."""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

# From the keywords of make() to the task or the tasks, and the keywords, of make_spec().
Recipe = Callable[[Mapping[str, Any]], tuple[Any, dict[str, Any]]]


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
        return functools.partial(_with_options, self._task_id, options)

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)


def _with_options(
    task_id: str, options: Mapping[str, Any], kwargs: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The task, and the name's options with those of the user, which come first."""
    return task_id, {**options, **kwargs}
