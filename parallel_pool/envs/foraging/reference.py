"""lbforaging's env, with the options of this family and the rows of a pool."""

from typing import Any

import gymnasium
import numpy as np
from lbforaging.foraging import ForagingEnv
from numpy.typing import NDArray

_DEFAULTS: dict[str, Any] = {
    "players": 2,
    "min_player_level": 1,
    "max_player_level": 2,
    "min_food_level": 1,
    "max_food_level": None,
    "field_size": (8, 8),
    "max_num_food": 2,
    "sight": 8,
    "max_episode_steps": 50,
    "force_coop": False,
}


class AnySpace(ForagingEnv):  # type: ignore[misc]
    """The env without the bounds of its observations.

    Its own are wrong for fields that are not square, and the one of grids cannot be made with
    Gymnasium 1.0 or newer.
    """

    def _get_observation_space(self) -> gymnasium.spaces.Box:
        side = 1 + 2 * self.sight
        width = 3 if self._observe_agent_levels else 2
        size = 3 * self.max_num_food + width * len(self.players)
        shape = (3, side, side) if self._grid_observation else (size,)
        return gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32)


def reference_env(**options: Any) -> ForagingEnv:
    """The package's env; its observation space is the package's where that is right."""
    if "normalize_loads" in options:
        options["normalize_reward"] = options.pop("normalize_loads")
    rows, columns = options.get("field_size", (8, 8))
    is_right = rows == columns and not options.get("grid_observation")
    return (ForagingEnv if is_right else AnySpace)(**(_DEFAULTS | options))


class Reference:
    """One env of lbforaging, in rows as a pool returns them."""

    def __init__(self, **options: Any) -> None:
        """Makes the package's env."""
        self.env = reference_env(**options)
        self.limit = self.env._max_episode_steps

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        return self._stacked(self.env.reset(seed=seed)[0]), {}

    @staticmethod
    def _stacked(obs: Any) -> NDArray[np.float32]:
        assert all(own.dtype == np.float32 for own in obs)
        return np.stack(obs)

    def step(self, actions: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps with an action for each player."""
        obs, reward, done, truncated, info = self.env.step([int(action) for action in actions])
        assert not truncated and not info
        # The package has one flag for an empty field and for the limit of steps.
        truncated = self.env.current_step >= self.limit
        terminated = not self.env.field.any()
        assert done == (terminated or truncated)
        return self._stacked(obs), np.array(reward, np.float64), terminated, truncated, {}
