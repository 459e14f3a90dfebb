"""rware's env, with the options of this family and the rows of a pool."""

from typing import Any

import numpy as np
from rware.warehouse import ImageLayer, ObservationType, RewardType, Warehouse

_DEFAULTS: dict[str, Any] = {
    "shelf_columns": 3,
    "column_height": 8,
    "shelf_rows": 1,
    "n_agents": 2,
    "msg_bits": 0,
    "sensor_range": 1,
    "request_queue_size": 4,
    "max_inactivity_steps": 0,
    "max_episode_steps": 500,
    "reward_type": "individual",
}


def reference_env(**options: Any) -> Warehouse:
    """The package's env."""
    given = _DEFAULTS | options
    given["max_steps"] = given.pop("max_episode_steps")
    given["max_inactivity_steps"] = given["max_inactivity_steps"] or None
    given["reward_type"] = RewardType[given["reward_type"].upper()]
    if "observation_type" in given:
        given["observation_type"] = ObservationType[given["observation_type"].upper()]
    if "image_observation_layers" in given:
        given["image_observation_layers"] = [
            ImageLayer[name] for name in given["image_observation_layers"]
        ]
    return Warehouse(**given)


class Reference:
    """One env of rware, in rows as a pool returns them."""

    def __init__(self, **options: Any) -> None:
        """Makes the package's env."""
        self.env = reference_env(**options)

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        return _stacked(self.env.reset(seed=seed)[0]), {}

    def step(self, actions: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps with an action for each agent."""
        obs, reward, done, truncated, info = self.env.step(actions)
        assert not truncated and not info
        # The package has one flag for too long without a delivery and for the limit of steps.
        truncated = self.env._cur_steps >= self.env.max_steps
        limit = self.env.max_inactivity_steps
        terminated = limit is not None and self.env._cur_inactive_steps >= limit
        assert done == (terminated or truncated)
        return _stacked(obs), np.array(reward, np.float64), terminated, truncated, {}


def _stacked(obs: Any) -> Any:
    """The observations of all agents as one array, or as a dict of arrays."""
    if isinstance(obs[0], dict):
        return {name: _stacked([own[name] for own in obs]) for name in obs[0]}
    assert all(own.dtype == np.float32 for own in obs)
    return np.stack(obs)
