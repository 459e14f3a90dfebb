"""rware's env, with the options of this family and the rows of a pool."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
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
    """One env of rware with autoreset, in rows as a pool returns them."""

    def __init__(self, seed: int, **options: Any) -> None:
        """Resets it."""
        self.env = reference_env(**options)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Begins an episode."""
        self.obs = self._stacked(self.env.reset(seed=seed)[0])
        self.reward = np.zeros(self.env.n_agents)
        self.terminated = self.truncated = False

    @staticmethod
    def _stacked(obs: Any) -> dict[str, NDArray[np.float32]]:
        """The rows of each array; "" is the name of an observation that is one array."""
        named = [own if isinstance(own, dict) else {"": own} for own in obs]
        assert all(array.dtype == np.float32 for own in named for array in own.values())
        return {name: np.stack([own[name] for own in named]) for name in named[0]}

    def step(self, actions: Any) -> None:
        """Steps with an action for each agent; resets if the episode has ended."""
        if self.terminated or self.truncated:
            self.reset()
            return
        obs, reward, done, truncated, info = self.env.step(actions)
        assert not truncated and not info
        self.obs = self._stacked(obs)
        self.reward = np.array(reward, np.float64)
        # The package has one flag for too long without a delivery and for the limit of steps.
        self.truncated = self.env._cur_steps >= self.env.max_steps
        limit = self.env.max_inactivity_steps
        self.terminated = limit is not None and self.env._cur_inactive_steps >= limit
        assert done == (self.terminated or self.truncated)
