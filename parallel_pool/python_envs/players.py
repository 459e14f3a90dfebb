"""PettingZoo's ParallelEnv as an env whose arrays have a row for each player."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python_envs.spaces import arrays_of, assembler, flattener


def is_parallel(env: Any) -> bool:
    """Whether an env has the functions of pettingzoo.ParallelEnv."""
    return hasattr(env, "possible_agents") and not hasattr(env, "agent_iter")


class Players:
    """A ParallelEnv with Gymnasium's functions.

    An observation is a list of arrays: those of the players' observations, "reward",
    "info:players.agent" (an index into possible_agents), "info:players.terminated" and
    "info:players.truncated", each with a row for each player that PettingZoo tells of. An action is
    a list of arrays whose first rows belong to the players of the last observation. Rows are padded
    with zeros to the largest shape of all players. The episode ends when no agent is left.
    """

    def __init__(self, env: Any) -> None:
        """TypeError or ValueError if the players' spaces have no common arrays."""
        self.env = env
        self._agents = list(env.possible_agents)
        self._index = {agent: k for k, agent in enumerate(self._agents)}
        count = len(self._agents)
        if not count:
            raise ValueError("possible_agents is empty: there must be at least one player")
        self._shown: list[Any] = []  # the agents of the last observation
        self._act, self._obs = [], []
        own_actions, own_obs = [], []
        for agent in self._agents:
            action, obs = env.action_space(agent), env.observation_space(agent)
            own_actions.append(arrays_of(action, "action", f"the action_space of {agent!r}"))
            own_obs.append(arrays_of(obs, "obs", f"the observation_space of {agent!r}"))
            self._act.append((own_actions[-1], assembler(action) or (lambda arrays: arrays[0])))
            self._obs.append((own_obs[-1], flattener(obs) or (lambda value: [value])))
        actions = _common(own_actions, self._agents)
        self._obs_arrays = _common(own_obs, self._agents)
        self.action_space: list[ArraySpec] = [a._replace(players=count) for a in actions]
        infos = [
            ArraySpec("reward", "float64", (), "box", [-math.inf], [math.inf]),
            ArraySpec("info:players.agent", "int32", (), "box", [0], [count - 1]),
            ArraySpec("info:players.terminated", "bool", (), "box", [0], [1]),
            ArraySpec("info:players.truncated", "bool", (), "box", [0], [1]),
        ]
        state = [*self._obs_arrays, *infos]
        self.observation_space: list[ArraySpec] = [a._replace(players=count) for a in state]
        self.player_fields: list[tuple[Any, ...]] = [
            (
                str(agent),
                str(agent).rpartition("_")[0] or str(agent),
                [tuple(a._replace(players=count)) for a in own_actions[k]],
                [tuple(a._replace(players=count)) for a in (*own_obs[k], *infos)],
            )
            for k, agent in enumerate(self._agents)
        ]
        self.metadata: Any = getattr(env, "metadata", None) or {}
        self.task_id: str = str(self.metadata.get("name") or type(self.unwrapped).__name__)

    @property
    def unwrapped(self) -> Any:
        """The ParallelEnv."""
        return getattr(self.env, "unwrapped", self.env)

    def reset(self, **kwargs: Any) -> tuple[list[Any], dict[str, Any]]:
        """Begins an episode; rewards are 0."""
        obs, infos = self.env.reset(**kwargs)
        return self._rows(obs, {}, {}, {}), _named(infos)

    def step(self, action: list[Any]) -> tuple[list[Any], float, bool, bool, dict[str, Any]]:
        """Acts for all players that are still there."""
        playing = set(self.env.agents)
        actions = {}
        for row, agent in enumerate(self._shown):
            if agent not in playing:
                continue
            arrays, assemble = self._act[self._index[agent]]
            own = [
                a[(row, *(slice(n) for n in spec.shape))]
                for spec, a in zip(arrays, action, strict=True)
            ]
            actions[agent] = assemble(own)
        obs, rewards, terminations, truncations, infos = self.env.step(actions)
        rows = self._rows(obs, rewards, terminations, truncations)
        is_over = not self.env.agents
        terminated = is_over and all(terminations.values())
        return rows, 0.0, terminated, is_over and not terminated, _named(infos)

    def _rows(self, obs: Any, rewards: Any, terminations: Any, truncations: Any) -> list[Any]:
        self._shown = [agent for agent in self._agents if agent in obs]
        if len(self._shown) != len(obs):
            strangers = [agent for agent in obs if agent not in self._index]
            raise ValueError(f"it observes {strangers}, who are not in possible_agents")
        count = len(self._shown)
        columns = [np.zeros((count, *a.shape), a.dtype) for a in self._obs_arrays]
        for row, agent in enumerate(self._shown):
            arrays, flatten = self._obs[self._index[agent]]
            for column, spec, value in zip(columns, arrays, flatten(obs[agent]), strict=True):
                value = np.asarray(value)
                if value.shape != spec.shape:
                    raise ValueError(
                        f"{spec.name} of {agent!r} has shape {value.shape}; its space has "
                        f"{spec.shape}"
                    )
                place: Any = (row, *(slice(n) for n in spec.shape))
                column[place] = value
        agents = self._shown
        return [
            *columns,
            np.array([rewards.get(a, 0.0) for a in agents], np.float64),
            np.array([self._index[a] for a in agents], np.int32),
            np.array([bool(terminations.get(a, False)) for a in agents], np.bool_),
            np.array([bool(truncations.get(a, False)) for a in agents], np.bool_),
        ]

    def seed_spaces(self, seed: int) -> None:
        """Seeds the action space of each player."""
        for k, agent in enumerate(self._agents):
            self.env.action_space(agent).seed(seed + k)

    def render(self) -> Any:
        """The ParallelEnv's picture."""
        return self.env.render()

    def close(self) -> None:
        """Closes the ParallelEnv."""
        self.env.close()


def _named(infos: Any) -> dict[str, Any]:
    """The infos of players that have some."""
    return {str(agent): info for agent, info in (infos or {}).items() if info}


def _common(own: list[list[ArraySpec]], agents: list[Any]) -> list[ArraySpec]:
    """Arrays with room for those of every player; ValueError if they are of different kinds."""
    first = own[0]
    common = []
    for arrays, agent in zip(own, agents, strict=True):
        if [(a.name, a.dtype, len(a.shape)) for a in arrays] != [
            (a.name, a.dtype, len(a.shape)) for a in first
        ]:
            raise ValueError(
                f"the spaces of {agents[0]!r} and {agent!r} differ in more than their sizes: "
                f"{', '.join(f'{a.name} {a}' for a in first)} and "
                f"{', '.join(f'{a.name} {a}' for a in arrays)}"
            )
    for each in zip(*own, strict=True):
        if all(a == each[0] for a in each):
            common.append(each[0])
            continue
        shape = tuple(max(sizes) for sizes in zip(*(a.shape for a in each), strict=True))
        # Zeros are behind the data of a smaller array.
        low = min(0.0, *(b for a in each for b in a.low))
        high = max(0.0, *(b for a in each for b in a.high))
        kind = "discrete" if each[0].kind == "discrete" else "box"
        common.append(each[0]._replace(shape=shape, kind=kind, low=[low], high=[high]))
    return common
