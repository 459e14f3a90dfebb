"""The envs of one process: it builds them, describes them, and answers messages about them."""

from __future__ import annotations

import contextlib
import random
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import cloudpickle
import numpy as np

from parallel_pool.python_envs import infos
from parallel_pool.python_envs.env_states import state_of, with_state
from parallel_pool.python_envs.envs import (
    EnvDescription,
    Maker,
    describe,
    inner_of,
    picture_of,
)
from parallel_pool.python_envs.players import Players
from parallel_pool.python_envs.spaces import assembler, flattener
from parallel_pool.python_envs.tracebacks import error_text


@dataclass(frozen=True)
class Build:
    """Envs that one process builds at once.

    Attributes:
        makers: a maker for each env.
        first_env: the number of the first one in the pool.
        render_mode: of all envs.
        max_episode_steps: of envs with a Gymnasium id; None: their own.
        seeds: of the envs' action spaces.
    """

    makers: list[Maker]
    first_env: int
    render_mode: str | None
    max_episode_steps: int | None
    seeds: list[int]


class BuildError(ValueError):
    """An env cannot be built, or not in this pool; its text is for the user."""


class RefusedError(Exception):
    """A message could not be answered; its text is for the user."""


class Group(Protocol):
    """The envs in the engine: _core.Worker or _core.LocalEnvs. `env` is a number in the pool."""

    def set_env(self, env: int, object: Any) -> None:
        """Steps `object` as this env."""

    def set_options(self, env: int, options: Any) -> None:
        """Gives the next reset `options`."""

    def last(self, env: int) -> tuple[Any, Any]:
        """The last observation, and the bytes of the last info."""

    def set_last(self, env: int, obs: Any, info: Any) -> None:
        """Sets what last() returns."""

    def frames(self, env: int) -> bytes:
        """The last observations, where stack_num has several in one; else nothing."""

    def set_frames(self, env: int, frames: bytes) -> None:
        """Sets what frames() returns."""


class EnvObjects:
    """The envs of one process, by their numbers in the pool.

    Attributes:
        description: what the envs are.
        envs: the envs.
    """

    def __init__(self, build: Build) -> None:
        """Builds the envs.

        Raises:
            BuildError: an env cannot be built, or the envs have different spaces. The message has
                the env's number and the reason.
        """
        self._first_env = build.first_env
        self._group: Any = None
        self.envs: list[Any] = []
        try:
            self._build(build)
            with _told(f"env {build.first_env}"):
                self.description: EnvDescription = describe(
                    self.envs[0],
                    build.render_mode,
                    lambda: build.makers[0](build.render_mode, build.max_episode_steps),
                )
            self._check_spaces()
        except BaseException:
            self.close()
            raise

    def _build(self, build: Build) -> None:
        inner_ids: set[int] = set()
        for number, (maker, seed) in enumerate(
            zip(build.makers, build.seeds, strict=True), build.first_env
        ):
            with _told(f"env {number}"):
                env = maker(build.render_mode, build.max_episode_steps)
                inner = inner_of(env)
                if id(inner) in inner_ids or maker.gives_to_others(env):
                    raise ValueError(
                        f"it is the same {type(inner).__name__} as another env of the pool; each "
                        "needs an object of its own: give a class, or a function that makes a new "
                        "env at each call"
                    )
                inner_ids.add(id(inner))
                self.envs.append(env)
                if isinstance(env, Players):
                    env.seed_spaces(seed)
                else:
                    env.action_space.seed(seed)

    def _check_spaces(self) -> None:
        first = self.envs[0]
        for number, env in enumerate(self.envs, self._first_env):
            for name in ("observation_space", "action_space"):
                theirs, own = getattr(first, name), getattr(env, name)
                if own != theirs:
                    raise BuildError(
                        f"env {number}: its {name} is {own}; that of env {self._first_env} is "
                        f"{theirs}: all envs of a pool must have the same spaces"
                    )

    def helpers(self) -> dict[str, Any]:
        """The functions that the engine calls for an env, by their names in _core."""
        first = self.envs[0]
        players = isinstance(first, Players)
        return {
            "action_of": list if players else assembler(first.action_space),
            "arrays_of": list if players else flattener(first.observation_space),
            "encode_info": infos.encode,
            "describe": error_text,
        }

    def attach(self, group: Group) -> None:
        """Lets a group step the envs."""
        self._group = group
        for number, env in enumerate(self.envs, self._first_env):
            group.set_env(number, env)

    def close(self) -> None:
        """Closes the envs; an exception of an env is a warning."""
        for number, env in enumerate(self.envs, self._first_env):
            try:
                env.close()
            except Exception as error:
                warnings.warn(f"env {number}: its close() raised {error_text(error)}", stacklevel=2)

    def answer(self, env: int, name: str, *args: Any) -> Any:
        """The answer to a message about an env: "save", "load", "render", "get", "call", ...

        Raises:
            RefusedError: it cannot be answered; or an exception of the env.
        """
        return getattr(self, f"_{name}")(env, *args)

    def _env(self, env: int) -> Any:
        return self.envs[env - self._first_env]

    def _set_options(self, env: int, options: Any) -> None:
        self._group.set_options(env, options)

    def _save(self, env: int) -> bytes:
        try:
            state = state_of(self._env(env))
        except ValueError as error:
            raise RefusedError(str(error)) from error
        return bytes(cloudpickle.dumps((state, self._group.last(env), self._group.frames(env))))

    def _load(self, env: int, data: bytes) -> None:
        state, (obs, info), frames = cloudpickle.loads(data)
        new = with_state(self._env(env), state)
        self.envs[env - self._first_env] = new
        self._group.set_env(env, new)
        self._group.set_last(env, obs, info)
        self._group.set_frames(env, frames)

    def _render(self, env: int, shape: tuple[int, int]) -> bytes:
        picture = picture_of(self._env(env))
        if picture.shape[:2] != shape:
            raise RefusedError(
                f"render() returned a picture of {picture.shape[:2]}, before of {shape}"
            )
        return bytes(picture.tobytes())

    def _render_text(self, env: int) -> str:
        text = self._env(env).render()
        return text if isinstance(text, str) else str(text.getvalue())

    def _get(self, env: int, name: str) -> Any:
        return _attribute(self._env(env), name)

    def _set(self, env: int, name: str, value: Any) -> None:
        target = self._env(env)
        if hasattr(target, "set_wrapper_attr"):
            target.set_wrapper_attr(name, value)
        else:
            setattr(target, name, value)
        self._group.set_env(env, target)

    def _call(self, env: int, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        target = _attribute(self._env(env), name)
        return target(*args, **kwargs) if callable(target) else target


@contextlib.contextmanager
def own_random_numbers(entropy: list[int]) -> Iterator[None]:
    """Seeds the generators that envs may share: NumPy's global one, random's and torch's.

    Else the processes of a pool would all draw the same numbers. The block builds the envs, which
    may import torch: then its generator is made meanwhile.
    """
    for_numpy, for_random, for_torch = np.random.SeedSequence(entropy).generate_state(3).tolist()
    np.random.seed(for_numpy)
    random.seed(for_random)
    had_torch = "torch" in sys.modules
    if had_torch:
        sys.modules["torch"].manual_seed(for_torch)
    yield
    if not had_torch and "torch" in sys.modules:
        sys.modules["torch"].manual_seed(for_torch)


def _attribute(env: Any, name: str) -> Any:
    """An attribute of an env or of what it wraps."""
    inner = env.env if isinstance(env, Players) else env
    try:
        if hasattr(inner, "get_wrapper_attr"):
            return inner.get_wrapper_attr(name)
        return getattr(inner, name)
    except AttributeError as error:
        raise RefusedError(str(error)) from error


@contextlib.contextmanager
def _told(which: str) -> Iterator[None]:
    """Adds the env to an exception's text."""
    try:
        yield
    except Exception as error:
        raise BuildError(f"{which}: {error_text(error)}") from error
