"""The rules of all tasks hold for pools of Python envs."""

import functools
from typing import Any

import gymnasium
import mpe2.simple_spread_v3
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.classic_control import CartPoleEnv

import parallel_pool
from parallel_pool.python.check.conformance import check_pools


class OutOfBounds(gymnasium.Env[Any, Any]):
    """An env that leaves its observation space at its fourth step."""

    observation_space = spaces.Box(0, 3, (1,), np.float32)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        return np.full(1, self.steps, np.float32), 0.0, False, False, {}


ENVS: dict[str, tuple[Any, bool]] = {
    "CartPole-v1": ("CartPole-v1", True),
    "Taxi-v4": ("Taxi-v4", True),
    "spread": (lambda: mpe2.simple_spread_v3.parallel_env(max_cycles=9), True),
}


@pytest.mark.parametrize("name", ENVS)
def test_pools_satisfy_the_rules(name: str) -> None:
    env, stochastic = ENVS[name]
    make = functools.partial(parallel_pool.make_python_spec, env)
    check_pools(make, stochastic=stochastic, workers="num_workers")


def test_a_broken_rule_is_found() -> None:
    make = functools.partial(parallel_pool.make_python_spec, OutOfBounds)
    with pytest.raises(AssertionError, match=r"OutOfBounds: obs\[0\] of env 0 at step 4 is 4\.0"):
        check_pools(make, stochastic=False, workers="num_workers")


def test_envs_that_ignore_the_seed_are_found() -> None:
    class Unseeded(CartPoleEnv):
        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            return super().reset(seed=None)

    make = functools.partial(parallel_pool.make_python_spec, Unseeded)
    with pytest.raises(
        AssertionError, match="a second pool with the same seed gives other numbers"
    ):
        check_pools(make, workers="num_workers")
