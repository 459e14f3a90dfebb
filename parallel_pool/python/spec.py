"""The observations and actions of a task, as spaces and specs of each API."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import gymnasium

from parallel_pool.core import _core
from parallel_pool.python.array_spec import ArraySpec
from parallel_pool.python.config import pool_options, task_options
from parallel_pool.python.option import Option

# Infos of make()'s record_episode_statistics.
_EPISODE_INFO = [
    ArraySpec("info:episode.r", "float64", (), "box", [], []),
    ArraySpec("info:episode.l", "int32", (), "box", [], []),
    ArraySpec("info:_episode", "bool", (), "box", [], []),
]
# Infos that the engine adds; the last has a row for each player.
_ENGINE_INFO = [
    ArraySpec(name, "int32", (), "box", [], [])
    for name in ("info:env_id", "info:elapsed_step", "info:players.env_id")
]


def _shown(value: Any) -> str:
    """A value of an option as text for people: of arrays only the shapes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {array.shape}" for name, array in value.items()) + "}"
    return repr(value)


@dataclass(frozen=True)
class Spec:
    """A task with its options; make(spec) makes pools of it.

    It contains the data that all envs share, such as a model.

    Attributes:
        task_id: "Pong-v5".
        config: every option of make() with its value.
        state_arrays: the arrays that an env writes.
        action_arrays: the arrays that an env reads.
        task: the native task.
        setup: the native task with its options set.
        library: the file that load() has loaded; None for a task of this package.
    """

    task_id: str
    config: dict[str, Any]
    state_arrays: tuple[ArraySpec, ...]
    action_arrays: tuple[ArraySpec, ...]
    task: _core.Task
    setup: _core.Setup
    library: str | None

    @classmethod
    def of(
        cls, task: _core.Task, config: dict[str, Any], setup: _core.Setup, library: str | None
    ) -> Spec:
        """The spec of a configured task; ValueError if its env has invalid arrays."""
        state_arrays = tuple(ArraySpec(*fields) for fields in setup.state_arrays)
        action_arrays = tuple(ArraySpec(*fields) for fields in setup.action_arrays)
        _check_names(task.id, state_arrays)
        _check_action_names(task.id, action_arrays)
        if config.get("autoreset_mode") == "same_step" and any(a.players for a in state_arrays):
            raise ValueError(
                f"{task.id}: autoreset_mode is 'same_step'; with arrays that are per player "
                "allowed are 'next_step' and 'disabled', because a row would show the players of "
                "two episodes"
            )
        spec = cls(task.id, config, state_arrays, action_arrays, task, setup, library)
        if spec.is_single and any(a.players for a in (*state_arrays, *action_arrays)):
            raise ValueError(
                f"{task.id}: num_envs is None; it has arrays with a row for each player, so it "
                "must be a number: num_envs=1 makes a pool of one env"
            )
        if config["record_episode_statistics"] and spec.has_player_rewards:
            raise ValueError(
                f"{task.id}: record_episode_statistics is True; each player has a reward of its "
                "own in this task, so an env has no return"
            )
        if config["reward_dtype"] != spec.reward_array.dtype:
            raise ValueError(
                f"{task.id}: reward_dtype is {config['reward_dtype']!r}; each player has a reward "
                f"of its own in this task, of {spec.reward_array.dtype}"
            )
        return spec

    @property
    def options(self) -> list[Option]:
        """The options of make() for this task, except `seed`, each with its help and default."""
        players = max(1, self.setup.most_players)
        options = [*pool_options(self.task, players), *task_options(self.task)]
        return [option for option in options if option.name in self.config]

    @property
    def is_single(self) -> bool:
        """Whether it is of a single env, without a batch axis: num_envs is None."""
        return self.config["num_envs"] is None

    @property
    def action_meanings(self) -> tuple[str, ...] | None:
        """The name of each action, such as ("LEFT", "RIGHT"); None if the task has no such names.

        Names are in the order of the action's values. Only a task whose action is one Discrete has
        them; Atari's are ALE's.
        """
        meanings = self.action_arrays[0].meanings if len(self.action_arrays) == 1 else ()
        return tuple(meanings) or None

    @property
    def render_fps(self) -> int:
        """Steps per second at which people watch the task; 0: as fast as possible."""
        return self.setup.render_fps

    def __str__(self) -> str:
        """The spaces, infos and options as text for people."""
        lines = [self.task_id, f"  observation  {self.observation_space}"]
        lines.append(f"  action       {self.action_space}")
        lines += [f"  meanings     {a.named()}" for a in self.action_arrays if a.meanings]
        for a in (*self.action_arrays, *self.state_arrays):
            if a.players and not a.name.startswith("info:"):
                lines.append(f"  per player   {a.name} {a}")
        for a in (*self.state_arrays, *self.engine_info, *self.episode_info):
            if a.name.startswith("info:"):
                lines.append(f"  info         {a.name.removeprefix('info:')} {a}")
        for option in self.options:
            value = f"{option.name}={_shown(self.config[option.name])}"
            lines.append(f"  option       {value:<32} {option.doc}")
        for fields in self.task.reset_options:
            value = f"{fields[0]}={fields[2]!r}"
            lines.append(f"  reset option {value:<32} {fields[1]}")
        return "\n".join(lines)

    @property
    def engine_info(self) -> list[ArraySpec]:
        """The infos that the engine adds for this task."""
        players = self.setup.most_players
        return [*_ENGINE_INFO[:-1], _ENGINE_INFO[-1]._replace(players=players)]

    @property
    def episode_info(self) -> list[ArraySpec]:
        """The infos of record_episode_statistics: in a batch only if an episode has ended in it."""
        return _EPISODE_INFO if self.config["record_episode_statistics"] else []

    @property
    def has_player_rewards(self) -> bool:
        """Whether each player has its own reward."""
        return any(a.name == "reward" for a in self.state_arrays)

    @property
    def reward_array(self) -> ArraySpec:
        """The rewards: one for each env, or for each player if each has its own."""
        own = [a for a in self.state_arrays if a.name == "reward"]
        return (
            own[0] if own else ArraySpec("reward", self.config["reward_dtype"], (), "box", [], [])
        )

    @property
    def id(self) -> str:
        """The task id, by the name that it has in gym and Gymnasium."""
        return self.task_id

    @property
    def reward_threshold(self) -> float | None:
        """The return that counts as solved, or None."""
        threshold: float | None = self.config["reward_threshold"]
        return threshold

    @property
    def max_episode_steps(self) -> int:
        """The time limit in steps."""
        return int(self.config["max_episode_steps"])

    def observation_space_of(self, spaces: ModuleType) -> Any:
        """One env's observation space, or one player's, made of gymnasium.spaces or gym.spaces."""
        arrays = {a.name: a.space(spaces, self.is_single) for a in self.state_arrays}
        if "obs" in arrays:
            return arrays["obs"]
        tree = nest((n.removeprefix("obs:"), s) for n, s in arrays.items() if n.startswith("obs:"))
        return _fold(tree, lambda _, children: spaces.Dict(children))

    def action_space_of(self, spaces: ModuleType) -> Any:
        """One env's action space, or one player's, made of gymnasium.spaces or gym.spaces."""
        if len(self.action_arrays) == 1:
            return self.action_arrays[0].space(spaces)
        tree = nest((a.name, a.space(spaces)) for a in self.action_arrays)
        return _fold(tree, lambda _, children: spaces.Dict(children))

    @property
    def observation_space(self) -> gymnasium.spaces.Space[Any]:
        """One env's observation space."""
        space: gymnasium.spaces.Space[Any] = self.observation_space_of(gymnasium.spaces)
        return space

    @property
    def action_space(self) -> gymnasium.spaces.Space[Any]:
        """One env's action space."""
        space: gymnasium.spaces.Space[Any] = self.action_space_of(gymnasium.spaces)
        return space

    def observation_spec(self) -> Any:
        """dm_env specs of one env's observation: obs, env_id and the infos, as a namedtuple."""
        every = (*self.state_arrays, *_ENGINE_INFO, *self.episode_info)
        arrays = [a for a in every if a.name not in ("reward", "info:_episode")]
        named = [(a.name.removeprefix("obs:").removeprefix("info:"), a) for a in arrays]
        tree = nest((name, a.dm_spec(name)) for name, a in named)
        return _fold(tree, to_namedtuple, "Observation")

    def single_observation_spec(self) -> Any:
        """dm_env spec of the observation of a single env, or a nested dict of them; no infos."""
        named = {a.name.removeprefix("obs:"): a for a in self.state_arrays if a.name[:3] == "obs"}
        if list(named) == ["obs"]:
            return named["obs"].dm_spec("observation", is_single=True)
        return nest((name, array.dm_spec(name, is_single=True)) for name, array in named.items())

    def action_spec(self) -> Any:
        """dm_env spec of one env's action, or a dict of them."""
        if len(self.action_arrays) == 1:
            return self.action_arrays[0].dm_spec(self.action_arrays[0].name)
        return nest((a.name, a.dm_spec(a.name)) for a in self.action_arrays)


def _check_names(task_id: str, arrays: tuple[ArraySpec, ...]) -> None:
    """ValueError if an array of the state has a name that is not allowed."""
    names = [array.name for array in arrays]
    taken = {array.name for array in (*_ENGINE_INFO, *_EPISODE_INFO)}
    for name, array in zip(names, arrays, strict=True):
        what = f"{task_id}: an array of the env is called {name!r}"
        if name == "reward":
            if str(array) != "float32[players]":
                raise ValueError(f"{what}; it must be float32[players], not {array}")
        elif name != "obs" and not name.startswith(("obs:", "info:")):
            raise ValueError(f"{what}; allowed are 'obs', 'obs:...' and 'info:...'")
        if name in taken:
            raise ValueError(f"{what}, which is there already")
        taken.add(name)
    if "obs" in taken and any(name.startswith("obs:") for name in names):
        raise ValueError(f"{task_id}: its env has an array 'obs' next to others of 'obs:...'")


def _check_action_names(task_id: str, arrays: tuple[ArraySpec, ...]) -> None:
    """ValueError if an array of the action has a name with another meaning in send()."""
    for array in arrays:
        if array.name in ("env_id", "players.env_id"):
            raise ValueError(
                f"{task_id}: an array of the action is called {array.name!r}, which is the engine's"
            )


def nest(items: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A nested dict: {"a.b": x} becomes {"a": {"b": x}}."""
    tree: dict[str, Any] = {}
    for name, value in items:
        *parents, last = name.split(".")
        node = tree
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = value
    return tree


def to_namedtuple(name: str, children: dict[str, Any]) -> Any:
    """The dict as a namedtuple."""
    return _namedtuple_type(name, tuple(children))(**children)


_types: dict[tuple[str, tuple[str, ...]], Any] = {}


def _namedtuple_type(name: str, fields: tuple[str, ...]) -> Any:
    if (name, fields) not in _types:
        _types[name, fields] = namedtuple(name, fields)
    return _types[name, fields]


def _fold(tree: Any, make: Callable[[str, dict[str, Any]], Any], name: str = "") -> Any:
    """Replaces each dict of a nested dict by make(its key, its folded children)."""
    if not isinstance(tree, dict):
        return tree
    return make(name, {key: _fold(value, make, key) for key, value in tree.items()})


def fold_namedtuples(tree: dict[str, Any], name: str) -> Any:
    """A nested dict as nested namedtuples."""
    return _fold(tree, to_namedtuple, name)
