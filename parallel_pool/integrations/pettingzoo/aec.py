"""A task whose players take turns, as pettingzoo.AECEnv."""

import copy
from typing import Any

import pettingzoo
from gymnasium.spaces import Space
from gymnasium.utils import EzPickle

from parallel_pool.integrations.pettingzoo.players import PlayersEnv, PlayersOfRow, takes_turns


class AECEnv(pettingzoo.AECEnv[str, Any, Any], EzPickle):  # type: ignore[misc]
    """One env, with PettingZoo's order of players.

    At the end of an episode each player receives its last observation and reward by last(), in
    turn. After a truncation they do so in the order of `possible_agents`; otherwise the player
    after the last one to act begins.
    """

    agent_selection: str  # whose turn it is

    def __init__(self, task_id: str, render_mode: str | None = None, **options: Any) -> None:
        """See aec_env()."""
        EzPickle.__init__(self, task_id, render_mode, **options)
        super().__init__()
        self._env = PlayersEnv(task_id, "aec_env", {"render_mode": render_mode} | options)
        if not takes_turns(self._env.spec):
            raise ValueError(
                f"{task_id}: its players act at the same time; use parallel_env({task_id!r})"
            )
        self.metadata: dict[str, Any] = {**self._env.metadata, "is_parallelizable": False}
        self.render_mode = render_mode
        self.possible_agents: list[str] = list(self._env.players)
        self.agents: list[str] = []
        self._obs: dict[str, Any] = {}

    def observation_space(self, agent: str) -> Space[Any]:
        """The player's observation space; always the same object."""
        return self._env.space(agent, "observation")

    def action_space(self, agent: str) -> Space[Any]:
        """The player's action space; always the same object."""
        return self._env.space(agent, "action")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins an episode.

        Args:
            seed: restarts the random numbers; None: they continue.
            options: the task's reset options. Others are left out, with a warning.
        """
        rows = self._env.reset(seed, options)
        self.agents = list(self.possible_agents)
        self._skip_agent_selection = None
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._obs = {name: self._env.zeros(name) for name in self.agents}
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in self.agents}
        self._take(rows)
        (self.agent_selection,) = rows.obs

    def step(self, action: Any) -> None:
        """Acts for the player `agent_selection`; None if its episode has ended.

        Raises:
            ValueError: a value that is not in the action space, or no episode runs. After an error
                nothing was stepped.
        """
        if not self.agents:
            raise ValueError(f"{self._env.spec.task_id}: no episode runs; call reset() first")
        player = self.agent_selection
        if self.terminations[player] or self.truncations[player]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(
                f"{self._env.spec.task_id}: the action is None, but {player} has a move to make; "
                f"allowed is {self.action_space(player)}"
            )
        rows = self._env.step({player: action})
        self._cumulative_rewards[player] = 0.0
        self._take(rows)
        self._accumulate_rewards()
        if rows.truncated:
            self._deads_step_first()
        elif rows.terminated:
            following = self.possible_agents.index(player) + 1
            self.agent_selection = self.possible_agents[following % len(self.possible_agents)]
        else:
            (self.agent_selection,) = rows.obs

    def _take(self, rows: PlayersOfRow) -> None:
        """Stores what the players who are there receive, and the end of all players' episodes."""
        self._obs |= rows.obs
        self.infos |= rows.info
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0) | rows.reward
        self.terminations: dict[str, bool] = dict.fromkeys(self.agents, rows.terminated)
        self.truncations: dict[str, bool] = dict.fromkeys(self.agents, rows.truncated)

    def observe(self, agent: str) -> Any:
        """The observation that the player received last; zeros before its first turn.

        Raises:
            ValueError: an unknown player, or a call before the first reset().
        """
        self.observation_space(agent)  # an unknown player is an error
        if not self._obs:
            raise ValueError(f"{self._env.spec.task_id}: no episode runs; call reset() first")
        return self._obs[agent]

    def render(self) -> Any:
        """A picture, uint8 (height, width, 3), a str, or None with render_mode="human".

        Raises:
            RuntimeError: made without a render_mode.
        """
        return self._env.render()

    def close(self) -> None:
        """Frees the env; may be called again."""
        self._env.close()

    def __deepcopy__(self, memo: dict[int, Any]) -> "AECEnv":
        """An env that continues as this one does."""
        other = object.__new__(type(self))
        other.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return other

    def __repr__(self) -> str:
        """The call that makes such an env, in short."""
        return f"aec_env({self._env.spec.task_id!r})"
