"""One env of several players, whose rows have the players' names."""

import contextlib
import copy
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Space

import parallel_pool
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.arrays.player_spec import PlayerSpec
from parallel_pool.python.arrays.trees import nest, take_rows
from parallel_pool.python.options.option import suggest
from parallel_pool.python.specs.spec import Spec

# Arrays of info["players"]; the names of the rows and PlayersOfRow.out say the same.
_INFOS_OF_ROWS = ("env_id", "agent", "terminated")


class PlayersOfRow(NamedTuple):
    """The rows of the players who are there, by the players' names.

    Attributes:
        obs: each player's observation, without padding.
        reward: each player's reward.
        info: each player's infos, and those of the env.
        terminated: whether the env has terminated.
        truncated: whether the env is truncated.
        out: the players whose episode has terminated in this step. Where the env goes on, they have
            no row from the next step on.
    """

    obs: dict[str, Any]
    reward: dict[str, float]
    info: dict[str, dict[str, Any]]
    terminated: bool
    truncated: bool
    out: frozenset[str]


class PlayersEnv:
    """One env of a task with players; it does not reset itself.

    Attributes:
        spec: the task with its options.
        players: all players, by name.
    """

    def __init__(self, task_id: str, api: str, options: dict[str, Any]) -> None:
        """Builds the env; `api` is the class that users see, for errors."""
        own = {"reward_dtype": "float64"} | options
        self.spec: Spec = spec_with_players(task_id, api, own, 1)
        self._pool = parallel_pool.make_gymnasium(self.spec)
        self.players: dict[str, PlayerSpec] = {player.name: player for player in self.spec.players}
        self._spaces: dict[str, dict[str, Space[Any]]] = {
            name: {"observation": player.observation_space, "action": player.action_space}
            for name, player in self.players.items()
        }
        self._names: list[str] = []  # of the rows that were received last
        self._out: frozenset[str] = frozenset()  # those of them who act no more

    def space(self, name: str, kind: str) -> Space[Any]:
        """The "observation" or "action" space of a player; ValueError if the name is unknown."""
        if name not in self._spaces:
            raise ValueError(
                f"{self.spec.task_id}: there is no player {name!r}{suggest(name, self._spaces)}"
            )
        return self._spaces[name][kind]

    @property
    def metadata(self) -> dict[str, Any]:
        """The name of the task, its render modes and its frames per second."""
        return {
            "name": self.spec.task_id,
            "render_modes": list(self.spec.source.render_modes),
            "render_fps": self.spec.render_fps,
        }

    def reset(self, seed: int | None, options: dict[str, Any] | None) -> PlayersOfRow:
        """Begins an episode. Options that the task does not have are left out, with a warning."""
        known = [option.name for option in self.spec.source.reset_options]
        for name in set(options or ()) - set(known):
            hint = suggest(name, known) if known else "; this task has none"
            warnings.warn(
                f"{self.spec.task_id}: reset() leaves out the option {name!r}{hint}", stacklevel=3
            )
        own = {name: value for name, value in (options or {}).items() if name in known}
        obs, info = self._pool.reset(seed=seed, options=own)
        self._show()
        return self._rows(obs, None, np.False_, np.False_, info)

    def step(self, actions: dict[str, Any]) -> PlayersOfRow:
        """Steps with the action of each player who is there; ValueError if one is missing."""
        task_id = self.spec.task_id
        acting = [name for name in self._names if name not in self._out]
        for name in actions:
            if name not in acting:
                raise ValueError(
                    f"{task_id}: {name!r} is no player who acts now{suggest(name, acting)}"
                )
        missing = [name for name in acting if name not in actions]
        if missing:
            raise ValueError(f"{task_id}: there is no action of {', '.join(missing)}")
        arrays = {a.name: self._batch(a, actions) for a in self.spec.action_arrays}
        action = arrays if len(arrays) > 1 else next(iter(arrays.values()))
        obs, reward, terminated, truncated, info = self._pool.step(action)
        self._show()
        return self._rows(obs, reward, terminated[0], truncated[0], info)

    def render(self) -> Any:
        """The picture or the text of the env; None with render_mode="human"."""
        shown = self._pool.render()
        return None if shown is None else shown[0]

    def _show(self) -> None:
        """Draws the env in its window, as PettingZoo's envs do."""
        if self._pool.render_mode == "human":
            self._pool.render()

    def close(self) -> None:
        """Frees the env; may be called again."""
        self._pool.close()

    def __deepcopy__(self, memo: dict[int, Any]) -> "PlayersEnv":
        """An env that continues as this one does; from the start if the task cannot save."""
        other = copy.copy(self)
        other._pool = copy.deepcopy(self._pool, memo)
        if not self._pool.closed:
            with contextlib.suppress(ValueError):
                other._pool.load(self._pool.save())
        return other

    def _batch(self, array: ArraySpec, actions: dict[str, Any]) -> Any:
        """The rows of an array of the action, padded with zeros; zeros of those who are out."""
        own = {
            name: np.asarray(
                self._part(name, array.name, action) if len(self.spec.action_arrays) > 1 else action
            )
            for name, action in actions.items()
        }
        shape = (len(self._names), *array.shape)
        batch = np.zeros(shape, np.result_type(array.dtype, *own.values()))
        for row, name in enumerate(self._names):
            if name in self._out:
                continue
            value = own[name]
            own_shape = self.players[name].arrays[array.name].shape
            if value.shape != own_shape:
                raise ValueError(
                    f"{self.spec.task_id}: {array.name} of {name} has shape {value.shape}; it "
                    f"must be {own_shape}"
                )
            inside: Any = (row, *map(slice, own_shape))
            batch[inside] = value
        return batch

    def _part(self, player: str, name: str, action: Any) -> Any:
        """An array of a player's action, which is a nested dict."""
        try:
            return _at(action, name)
        except (KeyError, TypeError):
            raise ValueError(
                f"{self.spec.task_id}: the action of {player} has no {name!r}; it must be a dict "
                f"like {self.space(player, 'action')}"
            ) from None

    def _rows(
        self, obs: Any, reward: Any, terminated: Any, truncated: Any, info: Any
    ) -> PlayersOfRow:
        of_rows = info.pop("players")
        agents = of_rows.get("agent", range(len(of_rows["env_id"])))
        names = list(self.players)
        self._names = [names[agent] for agent in agents]
        flags = of_rows.get("terminated", [terminated] * len(self._names))
        self._out = frozenset(name for name, out in zip(self._names, flags, strict=True) if out)
        del info["env_id"]
        of_env = take_rows(info, 0)
        own = {name: of_rows[name] for name in of_rows if name not in _INFOS_OF_ROWS}
        if reward is None:
            reward = np.zeros(len(self._names))
        elif not self.spec.has_player_rewards:
            reward = np.repeat(reward, len(self._names))
        return PlayersOfRow(
            {name: self._observation(obs, name, row) for row, name in enumerate(self._names)},
            dict(zip(self._names, map(float, reward), strict=True)),
            {name: {**of_env, **take_rows(own, row)} for row, name in enumerate(self._names)},
            bool(terminated),
            bool(truncated),
            self._out,
        )

    def zeros(self, name: str) -> Any:
        """An observation of the player that consists of zeros."""
        return self._tree(name, lambda array, _: np.zeros(array.shape, array.dtype))

    def _observation(self, obs: Any, name: str, row: int) -> Any:
        """The player's observation without padding."""

        def cut(array: ArraySpec, path: str) -> Any:
            return _at(obs, path)[(row, *map(slice, array.shape))]

        return self._tree(name, cut)

    def _tree(self, name: str, value: Callable[[ArraySpec, str], Any]) -> Any:
        """value(array, path) of the arrays that the player observes: one, or a nested dict."""
        arrays = self.players[name].arrays
        if "obs" in arrays:
            return value(arrays["obs"], "")
        paths = {n.removeprefix("obs:"): a for n, a in arrays.items() if n.startswith("obs:")}
        return nest((path, value(array, path)) for path, array in paths.items())


def spec_with_players(task_id: str, api: str, options: dict[str, Any], num_envs: int) -> Spec:
    """The spec of a task with players who have names; TypeError or ValueError for others."""
    for name in ("num_envs", "batch_size", "autoreset_mode"):
        if name in options:
            raise TypeError(f"{task_id}: {api} sets {name} itself; leave it out")
    spec = parallel_pool.make_spec(task_id, **options, num_envs=num_envs, autoreset_mode="disabled")
    if not spec.players:
        raise ValueError(
            f"{task_id}: has one player; use Gymnasium's API: parallel_pool.make({task_id!r})"
        )
    for array in spec.action_arrays:
        if not array.players:
            raise ValueError(
                f"{task_id}: its action {array.name!r} is of the env as a whole, not of a player; "
                "use parallel_pool.make()"
            )
    has_agents = any(array.name == "info:players.agent" for array in spec.state_arrays)
    if not spec.setup.has_constant_players and not has_agents:
        raise ValueError(
            f"{task_id}: its players come and go, and the env does not say whose row is whose: it "
            "has no array 'info:players.agent'; use parallel_pool.make()"
        )
    return spec.with_own_seed()


def takes_turns(spec: Spec) -> bool:
    """Whether only one player acts at a time."""
    return bool(spec.source.turn_based and not spec.setup.has_constant_players)


def _at(tree: Any, name: str) -> Any:
    """The value of a nested dict at a name with dots; the tree itself if the name is empty."""
    for key in name.split(".") if name else ():
        tree = tree[key]
    return tree
