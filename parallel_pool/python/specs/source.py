"""The source of a spec: a task of a family, several tasks, or envs in Python."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from parallel_pool.core import _core
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.backend import Backend
from parallel_pool.python.options.option import Option, suggest
from parallel_pool.python.options.pool_options import Task

Spec = Any  # parallel_pool.python.specs.spec.Spec, which has a source
Arrays = tuple[ArraySpec, ...]
Remake = Callable[[Any, dict[str, Any]], Spec]


class Kind(Protocol):
    """The class of a pool or of a single env.

    Attributes:
        with_timing: results have discount and step_type.
        texts_are_str: a text in a batch is a tuple of str, not an array of bytes. A single env's is
            always a str.
        begins_by_step: a single env's step after the end of an episode begins the next one.
    """

    with_timing: bool
    texts_are_str: bool
    begins_by_step: bool


@dataclass(frozen=True, kw_only=True)
class Source(Task, abc.ABC):
    """The source of a spec: native.NativeTask, several_tasks.SeveralTasks or python_envs' own.

    Attributes:
        options: the options that pools of other tasks do not have.
        reset_options: the options of reset(options=...), but for those of every pool.
        turn_based: whether the players act one after another.
        specs: the tasks of several, each with its options and envs; else ().
        maker: the name of the function that users call for a spec.
        seed_limit: seeds that the system draws are below it.
        pool_classes: the classes of pools in place of an API's own.
    """

    options: Sequence[Option] = ()
    reset_options: Sequence[Option] = ()
    turn_based: bool = False
    specs: tuple[Spec, ...] = ()
    maker: ClassVar[str] = "make_spec"
    seed_limit: ClassVar[int] = 2**63
    pool_classes: ClassVar[Mapping[type[Any], type[Any]]] = {}

    @abc.abstractmethod
    def remake(self) -> tuple[Remake, Any]:
        """For pickles: a function that makes a spec again, and its argument before the config."""

    def part(self, env_ids: Sequence[int]) -> Source:
        """The source of some envs of a pool."""
        return self

    def arrays(self, setup: _core.Setup) -> tuple[Arrays, Arrays]:
        """The arrays that an env reads, and those that it writes."""
        action = tuple(ArraySpec(*fields) for fields in setup.action_arrays)
        return action, tuple(ArraySpec(*fields) for fields in setup.state_arrays)

    def spaces(self) -> tuple[Any, Any] | None:
        """The observation and action space of Gymnasium that the envs have themselves, or None."""
        return None

    def reset_values(self, given: dict[str, Any]) -> list[Any]:
        """A value for each reset option, None where nothing is given; [] if `given` is empty.

        Raises:
            ValueError: a value that is not allowed, or an option that the task does not have.
            TypeError: a value of the wrong type.
        """
        names = [option.name for option in self.reset_options]
        for name in given:
            if name not in names:
                hint = suggest(name, ["reset_mask", *names])
                raise ValueError(f"{self.id}: unknown reset option {name!r}{hint}")
        if not given:
            return []
        return [
            option.check(self.id, given[option.name]) if option.name in given else None
            for option in self.reset_options
        ]

    @abc.abstractmethod
    def open(self, spec: Spec, kind: Kind) -> Backend:
        """Builds the envs of `spec`, which is of this source.

        Args:
            spec: the source with all options.
            kind: the class of the pool or of the single env.

        Raises:
            ValueError: an env cannot be built.
            MemoryError: there is no memory for so many envs.
            RuntimeError: pin_memory without a GPU of NVIDIA, or its driver cannot lock the pages.
        """
