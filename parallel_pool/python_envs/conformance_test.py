"""The rules of all tasks hold for pools of Python envs, and check() finds envs that break them."""

from typing import Any

import gymnasium
import mpe2.simple_spread_v3
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.classic_control import CartPoleEnv

import parallel_pool
from parallel_pool.testing.python_env import Nested, Unusual


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


class Unseeded(CartPoleEnv):
    """Ignores the seed."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(seed=None)


class Forgetful(CartPoleEnv):
    """Its saved state is not all of it."""

    def get_state(self) -> Any:
        return self.np_random, self.steps_beyond_terminated

    def set_state(self, state: Any) -> None:
        self.np_random, self.steps_beyond_terminated = state
        self.state = np.zeros(4)


class Breaking(OutOfBounds):
    """Throws at its third step."""

    def step(self, action: Any) -> Any:
        if self.steps == 2:
            raise ValueError("the motor broke")
        return super().step(action)


class Remembering(CartPoleEnv):
    """A reset leaves something of the last episode."""

    resets = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.resets += 1
        obs, info = super().reset(seed=seed)
        return obs + np.float32(0.01 * self.resets), info


RIGHT: dict[str, tuple[Any, dict[str, Any]]] = {
    "a class": (CartPoleEnv, {}),
    "a function": (lambda: gymnasium.make("Taxi-v4"), {}),
    "a spec": (gymnasium.spec("FrozenLake-v1"), {}),
    "dicts, tuples and infos of all kinds": (Nested, {"env_kwargs": {"length": 4}}),
    "texts and unusual dtypes": (Unusual, {}),
    "a time limit of its own": (lambda: gymnasium.wrappers.TimeLimit(CartPoleEnv(), 3), {}),
    "players": (lambda: mpe2.simple_spread_v3.parallel_env(max_cycles=9), {}),
    "an option": (lambda: gymnasium.make("Pendulum-v1"), {"obs_dtype": "float64"}),
    "no chance": (lambda: gymnasium.make("CliffWalking-v1"), {"stochastic": False}),
    "no worlds that come again": (Unseeded, {"reproducible": False}),
}


@pytest.mark.parametrize("name", RIGHT)
def test_check_accepts(name: str) -> None:
    env, options = RIGHT[name]
    parallel_pool.check(env, **options)


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (
        OutOfBounds,
        {"stochastic": False},
        r"OutOfBounds: obs\[0\] of env 0 at step 4 is 4\.0; it must be between 0\.0 and 3\.0",
    ),
    (Unseeded, {}, "Unseeded: a second pool with the same seed gives other numbers: obs"),
    (
        lambda: gymnasium.make("CliffWalking-v1"),
        {},
        "CliffWalking-v1: another seed gives the same numbers; if that is right: .*stochastic=Fal",
    ),
    (CartPoleEnv, {"stochastic": False}, "CartPoleEnv: the seed matters: obs"),
    (
        Forgetful,
        {},
        r"Forgetful: an env that was loaded does not go on .* or get_state\(\) in Python, have all",
    ),
    (Breaking, {}, r"Breaking: an env threw: .*ValueError: the motor broke"),
    (Remembering, {}, r"Remembering: after steps, reset\(seed=...\) does not begin as a new pool"),
]


@pytest.mark.parametrize(("env", "options", "message"), WRONG)
def test_check_names_the_broken_rule(env: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssertionError, match=f"^{message}"):
        parallel_pool.check(env, **options)


def test_check_refuses() -> None:
    with pytest.raises(TypeError, match=r"check\(\) sets num_workers itself; leave it out"):
        parallel_pool.check(CartPoleEnv, num_workers=2)
    with pytest.raises(TypeError, match="it is an env already: give the class or function"):
        parallel_pool.check(CartPoleEnv())
    with pytest.raises(TypeError, match="CartPoleEnv has no option 'lenght'"):
        parallel_pool.check(CartPoleEnv, lenght=3)
