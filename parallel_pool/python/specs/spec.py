"""The observations and actions of a task, as spaces and specs of each API."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import gymnasium

from parallel_pool.core import _core
from parallel_pool.python.arrays.array_names import (
    ENGINE_INFO,
    EPISODE_INFO,
    check_action_names,
    check_agents,
    check_names,
)
from parallel_pool.python.arrays.array_spec import ArraySpec, action_space_of, observation_space_of
from parallel_pool.python.arrays.player_spec import PlayerSpec, player_specs
from parallel_pool.python.arrays.trees import fold, nest, to_namedtuple
from parallel_pool.python.options.env_options import OptionsOfEnvs
from parallel_pool.python.options.option import Option, shown
from parallel_pool.python.options.pool_options import names as names_of_options
from parallel_pool.python.options.seeds import seed_of
from parallel_pool.python.specs import transforms, wrappers
from parallel_pool.python.specs.config import pool_options
from parallel_pool.python.specs.goals import Goals
from parallel_pool.python.specs.source import Source


@dataclass(frozen=True, repr=False)
class Spec(Goals):
    """A task, several tasks or envs in Python, with their options; make(spec) makes pools of them.

    It contains the data that all envs share, such as a model.

    Attributes:
        source: what the envs are made of.
        config: every option of make() with its value. The entry "tasks" of several has an (id,
            options) for each; make_spec() takes it as it is.
        state_arrays: the arrays that an env writes, with the bounds that users receive.
        action_arrays: the arrays that an env reads.
        setup: the engine's task with its options set.
        envs: the options of each env.
        given: the options as the user gave them.
    """

    source: Source
    config: dict[str, Any]
    state_arrays: tuple[ArraySpec, ...]
    action_arrays: tuple[ArraySpec, ...]
    setup: _core.Setup
    envs: OptionsOfEnvs
    given: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        source: Source,
        config: dict[str, Any],
        setup: _core.Setup,
        envs: OptionsOfEnvs,
        given: dict[str, Any],
    ) -> Spec:
        """The spec of a configured source; ValueError if its envs have invalid arrays."""
        setup, action_arrays, state_arrays = wrappers.wrap(
            source, config, setup, source.arrays(setup)
        )
        check_names(source.id, state_arrays)
        check_action_names(source.id, action_arrays)
        transforms.check(source, config, state_arrays)
        state_arrays = transforms.transformed(config, state_arrays)
        if config.get("autoreset_mode") == "same_step" and any(a.players for a in state_arrays):
            raise ValueError(
                f"{source.id}: autoreset_mode is 'same_step'; with arrays that are per player "
                "allowed are 'next_step' and 'disabled', because a row would show the players of "
                "two episodes"
            )
        spec = cls(source, config, state_arrays, action_arrays, setup, envs, given)
        if spec.is_single and any(a.players for a in (*state_arrays, *action_arrays)):
            raise ValueError(
                f"{source.id}: num_envs is None; it has arrays with a row for each player, so it "
                "must be a number: num_envs=1 makes a pool of one env"
            )
        if setup.players and not setup.has_constant_players:
            check_agents(source.id, state_arrays)
        has_agents = any(array.name == "info:players.agent" for array in state_arrays)
        may_record = setup.has_constant_players or has_agents or not spec.has_player_rewards
        if config["record_episode_statistics"] and not may_record:
            raise ValueError(
                f"{source.id}: record_episode_statistics is True; the players of this task come "
                "and go, and it has no info 'players.agent' that says who has a reward"
            )
        return spec

    @property
    def options(self) -> list[Option]:
        """The options of make() for this task, each with its help and default."""
        players = max(1, self.setup.most_players)
        options = [*pool_options(self.source, players), *self.source.options]
        return [option for option in options if option.name in self.config]

    @property
    def tasks(self) -> tuple[Spec, ...]:
        """The tasks of a pool, each with its options and envs: of most pools only this one.

        They are in the order of the envs. info["task_id"] of several is an index into this tuple.
        """
        return self.source.specs or (self,)

    def config_of(self, envs: OptionsOfEnvs) -> dict[str, Any]:
        """The config of a pool whose envs have other options now."""
        if self.is_single:
            return dict(self.config)
        if not self.source.specs:
            return self.config | envs.parts[0].shown()
        pairs = zip(self.tasks, self.task_configs(envs), strict=True)
        return self.config | {"tasks": tuple(task.entry(config) for task, config in pairs)}

    def task_configs(self, envs: OptionsOfEnvs) -> list[dict[str, Any]]:
        """The config of each of the `tasks` whose envs have other options now."""
        return [
            task.config_of(OptionsOfEnvs([part]))
            for task, part in zip(self.tasks, envs.parts, strict=True)
        ]

    def entry(self, config: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """(id, options) of this task among several: its own options, and those that may differ.

        Args:
            config: the task's, as it is now.
        """
        own = [option.name for option in self.source.options]
        names = dict.fromkeys(["num_envs", *own, *names_of_options(of_each_task=True)])
        return self.task_id, {name: config[name] for name in names if name in config}

    def with_own_seed(self) -> Spec:
        """This spec, with a seed that the system draws unless the user gave one.

        It is for the interfaces of other libraries, where pools without a seed differ.
        """
        if "seed" in self.given:
            return self
        return self.with_seed(None)

    def with_seed(self, seed: Any) -> Spec:
        """This spec with another seed, as make() takes it; None: one that the system draws."""
        count = 1 if self.is_single else self.config["num_envs"]
        own = seed_of(self.task_id, seed, count, self.source.seed_limit)
        return replace(self, config=self.config | {"seed": own})

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

    @cached_property
    def players(self) -> tuple[PlayerSpec, ...]:
        """The players of an env: their names, roles and own spaces; () without arrays of players.

        If a task does not describe its players, they are called "player_0", "player_1", ..., with
        the role "player" and the common spaces. info["players"]["agent"] is an index into this
        tuple for each row of a batch, in tasks that have this info. In tasks without it, row k of
        an env belongs to player k, unless players come and go.
        """
        return player_specs(self.setup, self.action_arrays, self.state_arrays)

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
        if self.setup.players:
            lines += [f"  player       {player}" for player in self.players]
        for a in (*self.state_arrays, *self.engine_info, *self.episode_info):
            if a.name.startswith("info:"):
                lines.append(f"  info         {a.name.removeprefix('info:')} {a}")
        for option in self.options:
            value = f"{option.name}={shown(self._value(option))}"
            lines.append(f"  option       {value:<32} {option.doc}")
        for option in self.source.reset_options:
            value = f"{option.name}={option.default!r}"
            lines.append(f"  reset option {value:<32} {option.doc}")
        first = 0
        for task in self.source.specs:
            end = first + task.config["num_envs"]
            lines.append(f"  task         {task.task_id}: envs {first} to {end - 1}")
            first = end
        return "\n".join(lines)

    def _value(self, option: Option) -> Any:
        """The value of an option as make() takes it.

        An option of the task itself has the final value, which may follow from other options.
        """
        if option in self.envs.parts[0].options:
            return self.config[option.name]
        if option.name in ("max_episode_steps", "reward_threshold"):  # the task's, by default
            return getattr(self, option.name)
        return self.given.get(option.name, option.default)

    def __repr__(self) -> str:
        """The call of make_spec() that makes such a spec."""
        ids = [spec.task_id for spec in self.tasks]
        task = repr(ids if "tasks" in self.config else ids[0])
        given = [f"{name}={shown(value)}" for name, value in self.given.items()]
        return f"{self.source.maker}({', '.join([task, *given])})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The table of print(), in IPython and notebooks."""
        printer.text(str(self))

    @property
    def _goal_spec(self) -> Spec:
        return self

    @property
    def engine_info(self) -> list[ArraySpec]:
        """The infos that the engine adds for this task."""
        players = self.setup.most_players
        return [*ENGINE_INFO[:-1], ENGINE_INFO[-1]._replace(players=players)]

    @property
    def episode_info(self) -> list[ArraySpec]:
        """The infos of record_episode_statistics: in a batch only if an episode has ended in it."""
        if not self.config["record_episode_statistics"]:
            return []
        return [EPISODE_INFO[0]._replace(players=self.reward_array.players), *EPISODE_INFO[1:]]

    @property
    def has_player_rewards(self) -> bool:
        """Whether each player has its own reward."""
        return any(a.name == "reward" for a in self.state_arrays)

    @property
    def reward_array(self) -> ArraySpec:
        """The rewards: one for each env, or for each player if each has its own."""
        dtype = self.config["reward_dtype"]
        own = [a._replace(dtype=dtype) for a in self.state_arrays if a.name == "reward"]
        return own[0] if own else ArraySpec("reward", dtype, (), "box", [], [])

    @property
    def task_id(self) -> str:
        """The task id, such as "Pong-v5"; of several tasks all ids."""
        return self.source.id

    @property
    def id(self) -> str:
        """The task id, by the name that it has in gym and Gymnasium."""
        return self.task_id

    @property
    def reward_threshold(self) -> float | None:
        """The return that counts as solved, or None; each of several tasks has its own."""
        threshold: float | None = self.config.get("reward_threshold")
        return threshold

    @property
    def max_episode_steps(self) -> int:
        """The time limit in steps: the longest of the tasks."""
        return max(int(task.config["max_episode_steps"]) for task in self.tasks)

    def observation_space_of(self, spaces: ModuleType, texts_are_str: bool = False) -> Any:
        """One env's observation space, or one player's, made of gymnasium.spaces or gym.spaces.

        Texts are str with `texts_are_str` and for a single env, else arrays of bytes.
        """
        own = self.source.spaces() if spaces is gymnasium.spaces else None
        is_changed = transforms.changes_bounds(self.config) or wrappers.changes_observation(
            self.config
        )
        if own is not None and not is_changed:
            return own[0]
        return observation_space_of(self.state_arrays, spaces, texts_are_str or self.is_single)

    def action_space_of(self, spaces: ModuleType) -> Any:
        """One env's action space, or one player's, made of gymnasium.spaces or gym.spaces."""
        own = self.source.spaces() if spaces is gymnasium.spaces else None
        if own is not None and not wrappers.changes_action(self.config):
            return own[1]
        return action_space_of(self.action_arrays, spaces)

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
        every = (*self.state_arrays, *ENGINE_INFO, *self.episode_info)
        # Namedtuples have no names that begin with "_": those of masks of infos.
        arrays = [a for a in every if a.name != "reward" and not a.name.startswith("info:_")]
        named = [(a.name.removeprefix("obs:").removeprefix("info:"), a) for a in arrays]
        tree = nest((name, a.dm_spec(name)) for name, a in named)
        return fold(tree, to_namedtuple, "Observation")

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
