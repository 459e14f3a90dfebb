"""Pendulum-v1 equals Gymnasium's, step for step, and Pendulum-v0 the same with the older rule."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.classic_control.pendulum import PendulumEnv

from parallel_pool.testing.gymnasium_parity import SEEDS, assert_same_spaces, compare


class OldPendulum(PendulumEnv):
    """Pendulum-v0: the angle moves by a speed that is not yet clipped."""

    def step(self, u: Any) -> Any:
        theta, speed = self.state
        u = np.clip(u, -2.0, 2.0)[0]
        turned = (theta + np.pi) % (2 * np.pi) - np.pi
        cost = turned**2 + 0.1 * speed**2 + 0.001 * u**2
        pull = -3 * self.g / 2 * np.sin(theta + np.pi) + 3.0 * u
        speed = speed + pull * self.dt
        theta = theta + speed * self.dt
        self.state = np.array([theta, np.clip(speed, -8, 8)])
        obs: Any = self._get_obs  # untyped in Gymnasium
        return obs(), -cost, False, False, {}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("g", [10.0, 9.81, 60.0])
def test_equals_gymnasium(seed: int, g: float) -> None:
    ends = compare("Pendulum-v1", lambda: gymnasium.make("Pendulum-v1", g=g), seed, g=g)
    assert ends["truncated"] > 0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("g", [10.0, 60.0])  # with 60, speeds are clipped often
def test_v0(seed: int, g: float) -> None:
    def reference() -> gymnasium.Env[Any, Any]:
        return gymnasium.wrappers.TimeLimit(OldPendulum(g=g), 200)

    assert compare("Pendulum-v0", reference, seed, g=g)["truncated"] > 0


def test_task_facts() -> None:
    assert_same_spaces("Pendulum-v1", gymnasium.make("Pendulum-v1"))
