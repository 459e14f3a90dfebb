"""The spec of Python envs: the spaces that they were asked for, and make_python()'s options."""

from __future__ import annotations

import dataclasses
import functools
import pickle
from types import ModuleType
from typing import Any, ClassVar

import cloudpickle
import gymnasium

from parallel_pool.core import _core
from parallel_pool.python import pool_options
from parallel_pool.python.array_spec import ArraySpec
from parallel_pool.python.config import configure, seeds_of
from parallel_pool.python.native import Backend
from parallel_pool.python.option import Option, suggest, unknown_option
from parallel_pool.python.peer_names import option_hint
from parallel_pool.python.pool_options import MAX_EPISODE_STEPS, seed_of
from parallel_pool.python.spec import Spec
from parallel_pool.python_envs.backend import PythonEnvs
from parallel_pool.python_envs.crew import Crew
from parallel_pool.python_envs.envs import Description, EnvsOptions, Maker, read_sources
from parallel_pool.python_envs.local_envs import LocalEnvs
from parallel_pool.python_envs.pool import kind_of
from parallel_pool.python_envs.spaces import arrays_of, carried
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
    Option("restart", "whether workers that end are started again", True, kind="bool"),
    Option("info_bytes", "room for the pickled info of a step", 4096, 64, 2**24),
)

# Of seeds that the system draws: envs give theirs to numpy.random.seed() and alike, which take 32
# bits.
_SEED_LIMIT = 2**31


@dataclasses.dataclass(frozen=True, repr=False)
class PythonSpec(Spec):
    """Envs that are written in Python; make(spec) makes pools of them.

    Attributes:
        makers: a maker for each env.
        description: what the envs are.
        description_fields: the arguments of _core.describe().
    """

    makers: list[Maker] = dataclasses.field(default_factory=list)
    description: Any = None
    description_fields: tuple[Any, ...] = ()
    _maker: ClassVar[str] = "make_python_spec"
    _seed_limit: ClassVar[int] = _SEED_LIMIT

    @property
    def options(self) -> list[Option]:
        """The options of make_python(), except `seed`, each with its help and default."""
        return [*super().options, *OPTIONS]

    def observation_space_of(self, spaces: ModuleType, texts_are_str: bool = False) -> Any:
        """One env's observation space: with Gymnasium the env's own."""
        if spaces is gymnasium.spaces and not self.description.players:
            return self.description.observation_space
        return super().observation_space_of(spaces, texts_are_str)

    def action_space_of(self, spaces: ModuleType) -> Any:
        """One env's action space: with Gymnasium the env's own."""
        if spaces is gymnasium.spaces and not self.description.players:
            return self.description.action_space
        return super().action_space_of(spaces)

    def reset_values(self, given: dict[str, Any]) -> list[Any]:
        """The value of reset(options=...): the envs receive them all."""
        return [cloudpickle.dumps(given).hex()] if given else []

    def open(
        self, env_type: str, texts_are_str: bool = False, crew: Crew | LocalEnvs | None = None
    ) -> Backend:
        """Opens a pool of `crew`, which has built the envs; None: of new ones.

        Raises:
            ValueError: an array has a name that the API cannot have, or an env cannot be built.
        """
        try:
            self._check_names(env_type)
        except BaseException:
            if crew is not None:
                crew.close()
            raise
        crew = crew or _crew(self.task_id, self.makers, self.config)
        return PythonEnvs(self, env_type, crew, self.description_fields)

    def kind_of(self, kind: type[Any]) -> type[Any]:
        """The class of a pool of these envs, for an API's own."""
        return kind_of(kind)

    def recipe(self, config: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Spec. The sources go by cloudpickle: the program may have defined them."""
        return _make_again, (cloudpickle.dumps((self.makers, self.description)), config)

    def _check_names(self, env_type: str) -> None:
        if env_type != "dm":
            return
        try:
            self.observation_spec()
        except ValueError as error:
            raise ValueError(
                f"{self.task_id}: an observation has a name that dm_env cannot have: {error}"
            ) from None


def _make_again(data: bytes, config: dict[str, Any]) -> PythonSpec:
    makers, description = pickle.loads(data)
    return _spec_of(makers, description, config)


def build_spec(
    env: Any, env_kwargs: Any, kwargs: dict[str, Any]
) -> tuple[PythonSpec, Crew | LocalEnvs]:
    """The spec of make_python()'s arguments, and what has built its envs.

    Raises:
        TypeError: an unknown option, or a value of the wrong type.
        ValueError: a value that is not allowed, or an env that cannot be built or in a pool.
    """
    num_envs = kwargs.get("num_envs")
    checked = Option("num_envs", "", 1, 1).check("make_python", 1 if num_envs is None else num_envs)
    makers = read_sources(env, env_kwargs, None if num_envs is None else checked)
    own = _own_options(kwargs, len(makers))
    own |= {"num_envs": len(makers), "seed": seed_of(kwargs.get("seed", 42), _SEED_LIMIT)}
    limit = kwargs.get("max_episode_steps")
    if limit is not None:
        limit = Option("max_episode_steps", "", 1, 1, MAX_EPISODE_STEPS).check("make_python", limit)
    config = own | {"render_mode": kwargs.get("render_mode"), "max_episode_steps": limit}
    crew = _crew("make_python", makers, config)
    try:
        spec = _spec_of(makers, crew.description, kwargs | own)
        spec = dataclasses.replace(spec, given=kwargs)
    except BaseException:
        crew.close()
        raise
    return spec, crew


def _own_options(kwargs: dict[str, Any], num_envs: int) -> dict[str, Any]:
    own: dict[str, Any] = {
        option.name: option.default
        if kwargs.get(option.name) is None
        else option.check("make_python", kwargs[option.name])
        for option in OPTIONS
    }
    if own["num_workers"] is None:
        own["num_workers"] = _core.usable_threads()
    own["num_workers"] = min(own["num_workers"], num_envs)
    if own["num_workers"] == 0 and own["step_timeout"]:
        raise ValueError(
            f"make_python: step_timeout is {own['step_timeout']} with num_workers=0; envs that "
            "take too long are ended with their process: they need workers"
        )
    return own


def _crew(task_id: str, makers: list[Maker], config: dict[str, Any]) -> Crew | LocalEnvs:
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
    )
    return Crew(options) if options.num_workers else LocalEnvs(options)


@functools.cache
def _task(key: bytes) -> Any:
    """The native task of a description; it lives as long as the process."""
    return _core.describe(*pickle.loads(key))


def _spec_of(makers: list[Maker], description: Description, kwargs: dict[str, Any]) -> PythonSpec:
    """The spec of envs that are known."""
    own = _own_options(kwargs, len(makers))
    if description.players:
        action: list[ArraySpec] = description.action_space
        state: list[ArraySpec] = list(description.observation_space)
    else:
        what = f"{description.task_id}: its"
        action = arrays_of(description.action_space, "action", f"{what} action_space")
        state = arrays_of(description.observation_space, "obs", f"{what} observation_space")
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
    spec = Spec.of(task, config, setup, envs, None, kwargs)
    fields_of_spec = {f.name: getattr(spec, f.name) for f in dataclasses.fields(Spec)}
    fields_of_spec |= {"action_arrays": tuple(action), "state_arrays": tuple(state)}
    return PythonSpec(
        **fields_of_spec, makers=makers, description=description, description_fields=fields
    )
