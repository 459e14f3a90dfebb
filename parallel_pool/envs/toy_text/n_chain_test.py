"""NChain equals its published rules (OpenAI Gym 0.17), drawn from NumPy's Generator."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from parallel_pool.testing.gymnasium_parity import SEEDS, compare


class Reference(gymnasium.Env[Any, Any]):
    """A chain of n links. Action 0 goes forward, with reward `large` at the far end. Action 1 goes
    back to the first link, with reward `small`. With probability `slip`, the other action happens.
    """

    def __init__(self, n: int = 5, slip: float = 0.2, small: float = 2, large: float = 10) -> None:
        self.n, self.slip, self.small, self.large = n, slip, small, large
        self.observation_space = gymnasium.spaces.Discrete(n)
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.link = 0
        return self.link, {}

    def step(self, action: Any) -> Any:
        if self.np_random.random() < self.slip:
            action = 1 - action
        if action == 1:
            reward, self.link = self.small, 0
        elif self.link < self.n - 1:
            reward, self.link = 0.0, self.link + 1
        else:
            reward = self.large
        return self.link, reward, False, False, {}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", [{}, {"n": 3, "slip": 0.5, "small": 0.1, "large": 3}], ids=str)
def test_equals_its_rules(seed: int, options: dict[str, Any]) -> None:
    def reference() -> gymnasium.Env[Any, Any]:
        return gymnasium.wrappers.TimeLimit(Reference(**options), 1000)

    def forward(random: np.random.Generator, obs: Any) -> Any:
        return (random.random(len(obs)) < 0.1).astype(int)

    ends = compare("NChain-v0", reference, seed, policy=forward, **options)
    assert ends["truncated"] > 0
