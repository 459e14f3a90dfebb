"""The spec of Python envs: the spaces that they were asked for, and make_python()'s options."""

from __future__ import annotations

import dataclasses
import functools
import pickle
import sys
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import cloudpickle

from parallel_pool.core import _core
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.backend import Backend
from parallel_pool.python.options import pool_options
from parallel_pool.python.options.option import Option, suggest, unknown_option
from parallel_pool.python.options.other_libraries import option_hint
from parallel_pool.python.options.pool_options import MAX_EPISODE_STEPS
from parallel_pool.python.options.seeds import seed_of, seeds_of
from parallel_pool.python.specs.config import configure
from parallel_pool.python.specs.native import NativeTask
from parallel_pool.python.specs.source import Arrays, Kind, Remake, Source
from parallel_pool.python.specs.spec import Spec
from parallel_pool.python_envs.backend import PythonEnvs
from parallel_pool.python_envs.envs import EnvDescription, EnvsOptions, Maker, read_sources
from parallel_pool.python_envs.local_envs import LocalEnvs
from parallel_pool.python_envs.pool import POOL_CLASSES
from parallel_pool.python_envs.spaces import arrays_of, carried
from parallel_pool.python_envs.worker_group import WorkerGroup
from parallel_pool.python_envs.worker_process import START_METHODS

_INFO = "info:python"  # the hidden array of infos: infos.py

# The options of make_python() that pools of other tasks do not have.
OPTIONS = (
    Option("num_workers", "processes that run envs; 0: this one; None: automatic", None, 0, 4096),
    Option(
        "start_method", "how processes are started", "forkserver", choices=START_METHODS, kind="str"
    ),
    Option("step_timeout", "longest step in seconds; 0: no limit", 0.0, 0, 1e6, kind="float"),
    Option("close_timeout", "longest close() in seconds; 0: no limit", 60.0, 0, 1e6, kind="float"),
    Option("child_timeout", "longest time of envs' processes, s", 1.0, 0, 1e6, kind="float"),
    Option("restart", "whether workers that end are started again", True, kind="bool"),
    Option("info_bytes", "room for the pickled info of a step", 4096, 64, 2**24),
)

# The limit of seeds that the system draws: envs give theirs to numpy.random.seed() and alike, which
# take 32 bits.
_SEED_LIMIT = 2**31


@dataclasses.dataclass(frozen=True, kw_only=True)
class PythonTask(Source):
    """Envs in Python.

    Attributes:
        makers: a maker for each env.
        description: what the envs are.
        own_arrays: the arrays that an env reads, and those that it writes.
        fields: the arguments of _core.describe().
        built: what has built the envs for make_python_spec(), until open() or release() takes it.
    """

    makers: list[Maker]
    description: EnvDescription
    own_arrays: tuple[Arrays, Arrays]
    fields: tuple[Any, ...]
    built: list[WorkerGroup | LocalEnvs] = dataclasses.field(default_factory=list)
    maker: ClassVar[str] = "make_python_spec"
    seed_limit: ClassVar[int] = _SEED_LIMIT
    pool_classes: ClassVar[Mapping[type[Any], type[Any]]] = POOL_CLASSES

    def remake(self) -> tuple[Remake, Any]:
        """See Source. The makers go by cloudpickle: the program may have defined them."""
        return _make_again, cloudpickle.dumps((self.makers, self.description))

    def part(self, env_ids: Sequence[int]) -> PythonTask:
        """See Source."""
        return dataclasses.replace(self, makers=[self.makers[env] for env in env_ids])

    def arrays(self, setup: _core.Setup) -> tuple[Arrays, Arrays]:
        """See Source: those of the envs, without the hidden array of infos."""
        return self.own_arrays

    def spaces(self) -> tuple[Any, Any] | None:
        """See Source."""
        described = self.description
        if described.players:
            return None
        return described.observation_space, described.action_space

    def reset_values(self, given: dict[str, Any]) -> list[Any]:
        """See Source: the envs receive them all."""
        return [cloudpickle.dumps(given)] if given else []

    def open(self, spec: Any, kind: Kind) -> Backend:
        """See Source."""
        group = self.built.pop() if self.built else _group_of(self.id, self.makers, spec.config)
        return PythonEnvs(spec, kind, group)

    def release(self) -> None:
        """Closes the envs that were built, if no pool has taken them."""
        while self.built:
            self.built.pop().close()


def _make_again(data: bytes, config: dict[str, Any]) -> Spec:
    makers, description = pickle.loads(data)
    return _spec_of(makers, description, config, [])


def build_spec(env: Any, env_kwargs: Any, kwargs: dict[str, Any]) -> Spec:
    """The spec of make_python()'s arguments, whose source has built the envs.

    Raises:
        TypeError: an unknown option, or a value of the wrong type.
        ValueError: a value that is not allowed, or an env that cannot be built or in a pool.
    """
    num_envs = kwargs.get("num_envs")
    checked = Option("num_envs", "", 1, 1).check("make_python", 1 if num_envs is None else num_envs)
    makers = read_sources(env, env_kwargs, None if num_envs is None else checked)
    own = _own_options(kwargs, len(makers))
    seed = seed_of("make_python", kwargs.get("seed", 42), len(makers), _SEED_LIMIT)
    own |= {"num_envs": len(makers), "seed": seed}
    limit = kwargs.get("max_episode_steps")
    if limit is not None:
        limit = Option("max_episode_steps", "", 1, 1, MAX_EPISODE_STEPS).check("make_python", limit)
    config = own | {"render_mode": kwargs.get("render_mode"), "max_episode_steps": limit}
    group = _group_of("make_python", makers, config)
    try:
        spec = _spec_of(makers, group.description, kwargs | own, [group])
    except BaseException:
        group.close()
        raise
    return dataclasses.replace(spec, given=kwargs)


def _own_options(kwargs: dict[str, Any], num_envs: int) -> dict[str, Any]:
    own: dict[str, Any] = {
        option.name: option.default
        if kwargs.get(option.name) is None
        else option.check("make_python", kwargs[option.name])
        for option in OPTIONS
    }
    if own["num_workers"] is None:
        own["num_workers"] = 0 if sys.platform == "win32" else _core.usable_threads()
    if own["num_workers"] and sys.platform == "win32":
        raise ValueError(
            f"make_python: num_workers is {own['num_workers']}; on Windows it must be 0, which "
            "runs the envs in this process: worker processes need Linux, WSL 2 or macOS"
        )
    own["num_workers"] = min(own["num_workers"], num_envs)
    if own["num_workers"] == 0 and own["step_timeout"]:
        raise ValueError(
            f"make_python: step_timeout is {own['step_timeout']} with num_workers=0; envs that "
            "take too long are ended with their process: they need workers"
        )
    return own


def _group_of(task_id: str, makers: list[Maker], config: dict[str, Any]) -> WorkerGroup | LocalEnvs:
    limit = config["max_episode_steps"]
    mode = config["render_mode"]
    options = EnvsOptions(
        makers,
        seeds_of(task_id, config["seed"], len(makers)),
        config["num_workers"],
        config["start_method"],
        "rgb_array" if mode == "human" else mode,  # the pool has the window
        None if limit == MAX_EPISODE_STEPS else limit,
        config["step_timeout"],
        config["restart"],
        config["close_timeout"],
        config["child_timeout"],
    )
    return WorkerGroup(options) if options.num_workers else LocalEnvs(options)


@functools.cache
def _task(key: bytes) -> NativeTask:
    """The native task of a description; it lives as long as the process."""
    return NativeTask.of(_core.describe(*pickle.loads(key)), None, _make_again)


def _arrays(description: EnvDescription) -> tuple[Arrays, Arrays]:
    """The arrays that an env reads, and those that it writes."""
    if description.players:
        return tuple(description.action_space), tuple(description.observation_space)
    what = f"{description.task_id}: its"
    return (
        tuple(arrays_of(description.action_space, "action", f"{what} action_space")),
        tuple(arrays_of(description.observation_space, "obs", f"{what} observation_space")),
    )


def _spec_of(
    makers: list[Maker],
    description: EnvDescription,
    kwargs: dict[str, Any],
    built: list[WorkerGroup | LocalEnvs],
) -> Spec:
    """The spec of envs that are known."""
    own = _own_options(kwargs, len(makers))
    action, state = _arrays(description)
    info = ArraySpec(_INFO, "uint8", (own["info_bytes"],), "box", [0], [255])
    fields = (
        description.task_id,
        [tuple(carried(a)) for a in action],
        [tuple(carried(a)) for a in (*state, info)],
        description.players,
        description.render_modes,
        description.picture,
        description.render_fps,
        True,
    )
    task = _task(pickle.dumps(fields))
    known = {*pool_options.names(in_python=True), *own}
    for name in kwargs:
        if name not in known:
            hint = option_hint(name, known) or suggest(name, known)
            raise unknown_option(task.id, name, hint)
    pool_kwargs = {n: v for n, v in kwargs.items() if n not in own}
    if pool_kwargs.get("max_episode_steps", 1) is None:
        del pool_kwargs["max_episode_steps"]
    if pool_kwargs.get("render_mode") is None:
        pool_kwargs["render_mode"] = description.render_mode
    if pool_kwargs.get("reward_threshold") is None and description.reward_threshold is not None:
        pool_kwargs["reward_threshold"] = description.reward_threshold
    config, setup, envs = configure(task, pool_kwargs)
    config = {n: v for n, v in config.items() if n in known} | own
    source = PythonTask(
        id=task.id,
        options=OPTIONS,
        render_modes=task.render_modes,
        max_episode_steps=task.max_episode_steps,
        makers=makers,
        description=description,
        own_arrays=(action, state),
        fields=fields,
        built=built,
    )
    return Spec.of(source, config, setup, envs, kwargs)
