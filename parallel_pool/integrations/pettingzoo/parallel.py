"""A task whose players act at the same time, as pettingzoo.ParallelEnv."""

import copy
from typing import Any

import numpy as np
import pettingzoo
from gymnasium import spaces
from gymnasium.spaces import Box, Space
from gymnasium.utils import EzPickle

from parallel_pool.integrations.pettingzoo.players import PlayersEnv, PlayersOfRow, takes_turns

_Dict = dict[str, Any]
_STATE = "info:state"  # the array with the state of an env as a whole


class ParallelEnv(pettingzoo.ParallelEnv[str, Any, Any], EzPickle):  # type: ignore[misc]
    """One env. Observations and actions have the players' own spaces, without padding.

    `agents` is empty after the end of an episode; then reset() begins the next one. A player may be
    out before the end: in its last step it receives its observation and reward, and terminated. A
    task that does not say so (it has no array "info:players.terminated") has no row of a player who
    has left; such a player receives its last observation once more, reward 0 and terminated.

    Attributes:
        possible_agents: the names of all players.
        agents: the names of the players who act in the next step.
    """

    def __init__(self, task_id: str, render_mode: str | None = None, **options: Any) -> None:
        """See parallel_env()."""
        EzPickle.__init__(self, task_id, render_mode, **options)
        self._env = PlayersEnv(task_id, "parallel_env", {"render_mode": render_mode} | options)
        if takes_turns(self._env.spec):
            raise ValueError(f"{task_id}: its players take turns; use aec_env({task_id!r})")
        self.metadata: dict[str, Any] = {**self._env.metadata, "is_parallelizable": True}
        self.render_mode = render_mode
        self.possible_agents: list[str] = list(self._env.players)
        self.agents: list[str] = []
        self._obs: _Dict = {}
        arrays = self._env.spec.state_arrays
        self._has_state = any(array.name == _STATE for array in arrays)
        self._state: Any = None

    def observation_space(self, agent: str) -> Space[Any]:
        """The player's observation space; always the same object."""
        return self._env.space(agent, "observation")

    def action_space(self, agent: str) -> Space[Any]:
        """The player's action space; always the same object."""
        return self._env.space(agent, "action")

    def reset(self, seed: int | None = None, options: _Dict | None = None) -> tuple[_Dict, _Dict]:
        """Begins an episode: (observations, infos), by the players' names.

        Args:
            seed: restarts the random numbers; None: they continue.
            options: the task's reset options. Others are left out, with a warning.
        """
        rows = self._env.reset(seed, options)
        self.agents = list(rows.obs)
        self._keep(rows)
        return dict(rows.obs), rows.info

    def step(self, actions: _Dict) -> tuple[_Dict, _Dict, _Dict, _Dict, _Dict]:
        """One step: (observations, rewards, terminations, truncations, infos), by player.

        Args:
            actions: the action of each player in `agents`.

        Raises:
            ValueError: an action is missing, of an unknown player or not in the player's space, or
                the episode has ended. After any error nothing was stepped.
        """
        if not self.agents:
            raise ValueError(f"{self._env.spec.task_id}: no episode runs; call reset() first")
        rows = self._env.step(actions)
        left = [name for name in self.agents if name not in rows.obs]
        names = [*rows.obs, *left]
        obs = rows.obs | {name: self._obs[name] for name in left}
        reward = rows.reward | dict.fromkeys(left, 0.0)
        info = rows.info | {name: {} for name in left}
        terminated = {name: name in rows.out or name in left for name in names}
        truncated = dict.fromkeys(names, rows.truncated)
        self._keep(rows)
        ended = rows.terminated or rows.truncated
        self.agents = [] if ended else [name for name in rows.obs if name not in rows.out]
        return obs, reward, terminated, truncated, info

    @property
    def state_space(self) -> Space[Any]:
        """The space of state(); TypeError if it consists of observations that are no Boxes."""
        if self._has_state:
            arrays = self._env.spec.state_arrays
            return next(array.space(spaces) for array in arrays if array.name == _STATE)
        boxes = [self.observation_space(name) for name in self.possible_agents]
        if not all(isinstance(box, Box) for box in boxes):
            raise TypeError(f"{self._env.spec.task_id}: state() needs observations that are Boxes")
        low, high = (
            np.concatenate([getattr(box, bound).ravel() for box in boxes])
            for bound in ("low", "high")
        )
        return Box(low, high, dtype=low.dtype.type)

    def state(self) -> Any:
        """The state of the env as a whole.

        That is info["state"] if the task has it, as MaMuJoCo's tasks do; else the observations of
        all players, one after another, as in mpe2.

        Raises:
            TypeError: the observations are no Boxes of numbers.
            ValueError: a player is not there.
        """
        if self._has_state and self._state is not None:
            return self._state
        dtype = self.state_space.dtype
        missing = [name for name in self.possible_agents if name not in self._obs]
        if missing:
            raise ValueError(f"{self._env.spec.task_id}: {', '.join(missing)} is not there")
        return np.concatenate([self._obs[name].ravel() for name in self.possible_agents]).astype(
            dtype
        )

    def _keep(self, rows: PlayersOfRow) -> None:
        """Stores what the players observe, and the state of the env."""
        self._obs = rows.obs
        if self._has_state:
            self._state = next(iter(rows.info.values()))["state"]

    def render(self) -> Any:
        """A picture, uint8 (height, width, 3), a str, or None with render_mode="human".

        Raises:
            RuntimeError: made without a render_mode.
        """
        return self._env.render()

    def close(self) -> None:
        """Frees the env; may be called again."""
        self._env.close()

    def __deepcopy__(self, memo: dict[int, Any]) -> "ParallelEnv":
        """An env that continues as this one does."""
        other = object.__new__(type(self))
        other.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return other

    def __repr__(self) -> str:
        """The call that makes such an env, in short."""
        return f"parallel_env({self._env.spec.task_id!r})"
