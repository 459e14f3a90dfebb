"""A task of a family, whose envs run in the engine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from parallel_pool.core import _core
from parallel_pool.python.backend import Backend
from parallel_pool.python.options.option import Option
from parallel_pool.python.options.pool_options import of_engine, of_single_envs
from parallel_pool.python.options.seeds import seeds_of
from parallel_pool.python.specs.source import Kind, Remake, Source


@dataclass(frozen=True, kw_only=True)
class NativeTask(Source):
    """A task of a family.

    Attributes:
        native: the engine's task.
        library: the file that load() has loaded; None: a task of this package.
        remake_by_id: see remake(); it takes {id: library}.
    """

    native: _core.Task
    library: str | None
    remake_by_id: Remake

    @classmethod
    def of(cls, native: _core.Task, library: str | None, remake_by_id: Remake) -> NativeTask:
        """The source of a task; see the attributes."""
        threshold = native.reward_threshold
        return cls(
            id=native.id,
            options=[Option(*fields) for fields in native.options],
            reset_options=[Option(*fields) for fields in native.reset_options],
            render_modes=native.render_modes,
            max_episode_steps=native.max_episode_steps,
            reward_threshold=None if math.isnan(threshold) else threshold,
            turn_based=native.turn_based,
            native=native,
            library=library,
            remake_by_id=remake_by_id,
        )

    def remake(self) -> tuple[Remake, Any]:
        """See Source."""
        return self.remake_by_id, {self.id: self.library}

    def open(self, spec: Any, kind: Kind) -> Backend:
        """See Source."""
        return open_native(spec, kind)


def open_native(spec: Any, kind: Kind) -> Backend:
    """Builds the envs of `spec` in the engine; see Source.open()."""
    options = of_engine(spec.config) | {"max_episode_steps": spec.max_episode_steps}
    if spec.is_single:
        options |= of_single_envs() | {"num_envs": 1}
        if kind.begins_by_step:
            options["autoreset_mode"] = "next_step"
    num_envs = options["num_envs"]
    spec.setup.check_memory(num_envs)  # before any list has num_envs elements
    return _core.Pool(
        spec.setup,
        options,
        seeds_of(spec.task_id, spec.config["seed"], num_envs),
        spec.envs.native(),
        with_timing=kind.with_timing,
        unbatched=spec.is_single,
        texts_are_str=kind.texts_are_str or spec.is_single,
    )
