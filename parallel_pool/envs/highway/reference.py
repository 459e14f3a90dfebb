"""highway-env's envs, with the options of this family and in rows as a pool returns them."""

from typing import Any

import gymnasium
import highway_env  # noqa: F401 - registers its ids
import numpy as np
from highway_env.vehicle.behavior import (
    AggressiveVehicle,
    DefensiveVehicle,
    IDMVehicle,
    LinearVehicle,
)

# A reset of an intersection changes constants of its drivers' class, for all envs of the process.
_OF_INTERSECTIONS = {"DISTANCE_WANTED": 7, "COMFORT_ACC_MAX": 6, "COMFORT_ACC_MIN": -3}
_CLASSES = (IDMVehicle, LinearVehicle, AggressiveVehicle, DefensiveVehicle)
_ORIGINAL = [
    {name: vars(of)[name] for name in _OF_INTERSECTIONS if name in vars(of)} for of in _CLASSES
]
# Ids whose classes take no config and no render_mode.
_WITHOUT_CONFIG = ("parking-ActionRepeat-v0", "parking-parked-v0")
# Infos that the first observation of an episode has of a random action.
_UNDEFINED_AT_RESET = ("lane_change_reward", "action_reward")

TASKS = tuple(
    task
    for task, spec in gymnasium.registry.items()
    if isinstance(spec.entry_point, str) and spec.entry_point.startswith("highway_env.")
)


def our_options(config: dict[str, Any]) -> dict[str, Any]:
    """The options of a config of highway-env."""
    options: dict[str, Any] = {}
    for name, value in config.items():
        if name in ("observation", "action"):
            inner = value.get(f"{name}_config")
            options[name] = value if inner is None else inner
            if inner is not None:
                options["multi_agent"] = True
        elif name == "normalize_reward":
            options["unit_reward"] = value
        elif value is not None:
            options[name] = value
        elif name == "destination":
            options[name] = ""
        else:
            options[name] = -1
    return options


class Reference:
    """One env of highway-env."""

    def __init__(self, task_id: str, config: dict[str, Any]) -> None:
        """Makes the env."""
        more: Any = {} if task_id in _WITHOUT_CONFIG else {"config": config}
        self.env: Any = gymnasium.make(task_id, disable_env_checker=True, **more)
        game: Any = self.env.unwrapped
        self.driver = game.config["other_vehicles_type"].rpartition(".")[2]
        self.is_intersection = task_id.startswith("intersection")
        self.has_players = isinstance(self.env.observation_space, gymnasium.spaces.Tuple)

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        self._set_drivers()
        obs, info = self.env.reset(seed=seed)
        info["rewards"] = {
            name: value
            for name, value in info.get("rewards", {}).items()
            if name not in _UNDEFINED_AT_RESET
        }
        return self._rows(obs), self._infos(info)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps with the action of each player."""
        self._set_drivers()
        given = tuple(action) if self.has_players else action
        obs, reward, terminated, truncated, info = self.env.step(given)
        if isinstance(reward, tuple):
            reward = np.array(reward, np.float64)
            terminated = self.env.unwrapped._is_terminated()
        return self._rows(obs), reward, bool(terminated), bool(truncated), self._infos(info)

    def _set_drivers(self) -> None:
        """Gives the drivers the constants that they have in a process of their own."""
        for kind, original in zip(_CLASSES, _ORIGINAL, strict=True):
            is_own = kind.__name__ == self.driver and self.is_intersection
            for name, value in (_OF_INTERSECTIONS if is_own else original).items():
                setattr(kind, name, value)
            if not is_own:
                for name in set(_OF_INTERSECTIONS) & set(vars(kind)) - set(original):
                    delattr(kind, name)

    def _rows(self, obs: Any) -> Any:
        if not self.has_players:
            return obs
        if isinstance(obs[0], dict):
            return {name: np.stack([of[name] for of in obs]) for name in obs[0]}
        return np.stack(obs)

    def _infos(self, info: dict[str, Any]) -> dict[str, Any]:
        own = {name: value for name, value in info.items() if name != "action"}
        of_players = {"agents_rewards": np.float64, "agents_terminated": bool, "is_success": bool}
        for name, dtype in of_players.items():
            if name in own:
                own[name] = np.array(own[name], dtype)
        return own


def action_of(spec: Any, random: np.random.Generator) -> Any:
    """An action of each player of an env: mostly FASTER, or numbers, some of them beyond 1."""
    size = (len(spec.players),) if spec.players else ()
    if hasattr(spec.action_space, "n"):
        n = spec.action_space.n
        faster = min(3, n - 1)
        drawn = random.integers(n, size=size)
        return np.where(random.random(size) < 0.4, faster, drawn).astype(np.int32)
    wide = 1.2 if random.random() < 0.3 else 0.2
    return random.uniform(-wide, wide, (*size, *spec.action_space.shape)).astype(np.float32)
