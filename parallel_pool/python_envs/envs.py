"""Where Python envs come from, and what a worker process tells of them."""

from __future__ import annotations

import contextlib
import importlib
import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cloudpickle
import gymnasium
from gymnasium.envs.registration import EnvSpec

from parallel_pool.python_envs.env_states import chain_of
from parallel_pool.python_envs.players import Players, is_parallel
from parallel_pool.python_envs.spaces import check_is_space

# A Gymnasium id or EnvSpec, or a class or function that makes an env.
Source = str | EnvSpec | Callable[..., Any]


@dataclass(frozen=True)
class Maker:
    """Makes an env in a worker process.

    Attributes:
        source: what makes it.
        kwargs: keywords for the source.
        num_envs: how many envs of the pool have this source.
    """

    source: EnvSpec | Callable[..., Any]
    kwargs: dict[str, Any]
    num_envs: int = 1

    def __call__(self, render_mode: str | None, max_episode_steps: int | None) -> Any:
        """A new env.

        Args:
            render_mode: given to the source if it takes one; None: that of the env itself.
            max_episode_steps: the time limit of an id; None: its own.

        Raises:
            TypeError: what was made is no env.
            ValueError: the env has another render mode, or a space that is none of Gymnasium.
        """
        kwargs = dict(self.kwargs)
        if render_mode is not None and self._takes_render_mode():
            kwargs["render_mode"] = render_mode
        if isinstance(self.source, EnvSpec):
            env = gymnasium.make(self.source, max_episode_steps=max_episode_steps, **kwargs)
        else:
            env = self.source(**kwargs)
        own = getattr(env, "render_mode", None)
        if render_mode is not None and own != render_mode and not self._takes_render_mode():
            raise ValueError(
                f"render_mode is {render_mode!r}, but what makes the env takes no render_mode, and "
                f"the env has {own!r}"
            )
        return Players(env) if is_parallel(env) else _checked(env)

    def gives_to_others(self, env: Any) -> bool:
        """Whether the source has this env as a variable or a keyword, and several envs have it."""
        if self.num_envs == 1:
            return False
        inner = inner_of(env)
        return any(inner_of(value) is inner for value in self._variables())

    def _variables(self) -> list[Any]:
        source: Any = self.source
        found = list(self.kwargs.values())
        with contextlib.suppress(TypeError, ValueError):  # it is no function, or not all are set
            found += [p.default for p in inspect.signature(source).parameters.values()]
            of_function = inspect.getclosurevars(source)
            found += [*of_function.nonlocals.values(), *of_function.globals.values()]
        return found

    def _takes_render_mode(self) -> bool:
        if isinstance(self.source, EnvSpec):
            return True
        try:
            parameters = inspect.signature(self.source).parameters
        except (TypeError, ValueError):  # of a builtin
            return True
        has_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
        return has_any or "render_mode" in parameters


@dataclass(frozen=True)
class EnvsOptions:
    """How the envs of a pool are built and run.

    Attributes:
        makers: a maker for each env.
        seeds: a seed for each env.
        num_workers: the number of processes; 0: this one.
        start_method: one of worker_process.START_METHODS.
        render_mode: of the envs.
        max_episode_steps: of envs with a Gymnasium id; None: their own.
        step_timeout: the longest time of a step in seconds; 0: no limit.
        restart: whether workers that end are started again.
        close_timeout: the longest time of close() in seconds; 0: no limit.
        child_timeout: how long processes that envs have started go on after close(), in seconds.
    """

    makers: list[Maker]
    seeds: list[int]
    num_workers: int
    start_method: str
    render_mode: str | None
    max_episode_steps: int | None
    step_timeout: float = 0.0
    restart: bool = True
    close_timeout: float = 60.0
    child_timeout: float = 1.0


def program_ids() -> dict[str, bytes]:
    """The pickled specs of Gymnasium ids that a new process does not have.

    The program and its imports have registered them. Those that cannot be pickled are left out.
    """
    found = {}
    for env_id, spec in gymnasium.registry.items():
        if str(spec.entry_point).startswith("gymnasium.") or env_id.startswith("parallel_pool/"):
            continue
        with contextlib.suppress(Exception):
            found[env_id] = cloudpickle.dumps(spec)
    return found


def inner_of(env: Any) -> Any:
    """The env without its wrappers; another object itself."""
    env = env.env if isinstance(env, Players) else env
    return getattr(env, "unwrapped", env)


def _checked(env: Any) -> Any:
    """The env; TypeError if it is none, and ValueError if a space is none."""
    what = f"the env is a {type(env).__module__}.{type(env).__qualname__}"
    if isinstance(env, gymnasium.vector.VectorEnv):
        raise TypeError(f"{what}, many envs in one: give what makes one of them")
    if hasattr(env, "agent_iter"):
        raise TypeError(
            f"{what}, whose players take turns: allowed is a ParallelEnv, for games that allow it "
            "by pettingzoo.utils.conversions.aec_to_parallel"
        )
    if hasattr(env, "observation_spec") and not hasattr(env, "observation_space"):
        raise TypeError(f"{what}, of dm_env: shimmy has wrappers with Gymnasium's API")
    for name in ("reset", "step", "observation_space", "action_space"):
        if not hasattr(env, name):
            raise TypeError(f"{what}; it has no {name!r}, as gymnasium.Env has")
    for name in ("observation_space", "action_space"):
        check_is_space(getattr(env, name), f"{what}; its {name}")
    return env


def read_sources(env: Any, env_kwargs: Any, num_envs: int | None) -> list[Maker]:
    """A maker for each env.

    Args:
        env: a source, or one for each env.
        env_kwargs: keywords of all envs, or a dict for each.
        num_envs: the number of envs; None: as many as `env` has, or 1.

    Raises:
        TypeError: something else.
        ValueError: another number of them, or an id that Gymnasium does not know.
    """
    is_one = not isinstance(env, list | tuple)
    count = num_envs if num_envs is not None else 1 if is_one else len(env)
    if not is_one and len(env) != count:
        raise ValueError(f"env has {len(env)} entries; it must have one for each of {count} envs")
    sources = [_source(env)] * count if is_one else list(map(_source, env))
    kwargs: Any = {} if env_kwargs is None else env_kwargs
    if isinstance(kwargs, Mapping):
        kwargs = [dict(kwargs)] * count
    elif not isinstance(kwargs, Sequence) or not all(isinstance(k, Mapping) for k in kwargs):
        raise TypeError(f"env_kwargs must be a dict, or a list of dicts, not {env_kwargs!r}")
    if len(kwargs) != count:
        raise ValueError(
            f"env_kwargs has {len(kwargs)} entries; it must have one for each of {count} envs"
        )
    made: dict[tuple[int, int], Maker] = {}  # envs that are alike share one
    num_envs_of = Counter(map(id, sources))
    return [
        made.setdefault((id(source), id(own)), Maker(source, own, num_envs_of[id(source)]))
        for source, own in zip(sources, kwargs, strict=True)
    ]


def _source(given: Any) -> EnvSpec | Callable[..., Any]:
    if isinstance(given, str):
        module, _, name = given.rpartition(":")
        try:
            if module:  # it registers the id
                importlib.import_module(module)
            given = gymnasium.spec(name)
        except (gymnasium.error.Error, ImportError) as error:
            raise ValueError(f"env is {given!r}: {error}") from error
    if isinstance(given, EnvSpec):
        if given.entry_point is None:
            raise ValueError(f"env is {given.id!r}, of which Gymnasium can make vector envs only")
        return given
    is_env = hasattr(given, "step") and not isinstance(given, type)
    if callable(given) and not is_env:
        return given  # type: ignore[no-any-return]
    hint = "; it is an env already: give the class or function that makes it" if is_env else ""
    raise TypeError(
        "env must be a Gymnasium id, a class or a function that makes an env, or a list of them, "
        f"not {given!r}{hint}"
    )


@dataclass(frozen=True)
class EnvDescription:
    """The facts of its envs that a pool needs.

    Attributes:
        task_id: the name of the env: its Gymnasium id, or its class.
        observation_space: of one env, or Players' arrays.
        action_space: the same.
        players: a PlayerSpec's fields for each player; [] for gymnasium.Env.
        render_modes: those of "rgb_array" and "ansi" that the env has.
        render_fps: of its metadata; 0: none.
        render_mode: that of the env, or None.
        picture: (height, width) of its pictures; (0, 0): not known.
        reward_threshold: the return that counts as solved, or None.
    """

    task_id: str
    observation_space: Any
    action_space: Any
    players: list[Any] = field(default_factory=list)
    render_modes: list[str] = field(default_factory=list)
    render_fps: int = 0
    render_mode: str | None = None
    picture: tuple[int, int] = (0, 0)
    reward_threshold: float | None = None


Description = EnvDescription  # its name in pickles of earlier versions


def describe(env: Any, render_mode: str | None, again: Callable[[], Any]) -> EnvDescription:
    """The description of an env.

    Args:
        env: the env.
        render_mode: the mode that the user gave; None: that of the env.
        again: makes another one, which is drawn once if the env has render_mode "rgb_array". So the
            env itself begins with the first reset of the user.
    """
    metadata = getattr(env, "metadata", None) or {}
    modes = [m for m in ("rgb_array", "ansi") if m in metadata.get("render_modes", ())]
    mode = render_mode or getattr(getattr(env, "env", env), "render_mode", None)
    picture = (0, 0)
    if mode == "rgb_array":
        try:
            other = again()
            try:
                picture = _picture_size(other)
            finally:
                if inner_of(other) is not inner_of(env):
                    other.close()
        except Exception:
            if render_mode is not None:
                raise
            mode = None  # no user has asked for pictures
    inner = getattr(env, "unwrapped", env)
    spec = getattr(inner, "spec", None) or getattr(env, "spec", None)
    threshold = getattr(spec, "reward_threshold", None)
    return EnvDescription(
        task_id=getattr(env, "task_id", None) or getattr(spec, "id", None) or type(inner).__name__,
        observation_space=env.observation_space,
        action_space=env.action_space,
        players=env.player_fields if isinstance(env, Players) else [],
        render_modes=modes,
        render_fps=int(metadata.get("render_fps") or 0),
        render_mode=mode if mode in modes else None,
        picture=picture,
        reward_threshold=None if threshold is None else float(threshold),
    )


def _picture_size(env: Any) -> tuple[int, int]:
    """(height, width) of an env's pictures."""
    # RecordVideo would write a film of it.
    films = any(isinstance(e, gymnasium.wrappers.RecordVideo) for e in chain_of(env))
    drawn = env.unwrapped if films else env
    drawn.reset()
    height, width = picture_of(drawn).shape[:2]
    return int(height), int(width)


def picture_of(env: Any) -> Any:
    """env.render(); TypeError unless it is a picture."""
    picture = env.render()
    if getattr(picture, "ndim", 0) != 3 or picture.shape[2] != 3 or picture.dtype != "uint8":
        shown = type(picture).__name__
        if hasattr(picture, "dtype"):
            shown = f"{picture.dtype} of shape {picture.shape}"
        raise TypeError(f"render() returned {shown}, not uint8 of shape (height, width, 3)")
    return picture
