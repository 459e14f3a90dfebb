"""Catch equals its published rules (bsuite), drawn from NumPy's Generator."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from parallel_pool.testing.gymnasium_parity import SEEDS, compare


class Reference(gymnasium.Env[Any, Any]):
    """A ball falls one row per step from a random column of the first row. The paddle moves in the
    last row. An episode ends when the ball reaches that row: reward 1 at the paddle, else -1.
    """

    def __init__(self, height: int = 10, width: int = 5) -> None:
        self.shape = (height, width)
        self.observation_space = gymnasium.spaces.Box(0, 1, self.shape, np.float32)
        self.action_space = gymnasium.spaces.Discrete(3)

    def _board(self) -> Any:
        board = np.zeros(self.shape, np.float32)
        board[self.row, self.column] = 1
        board[-1, self.paddle] = 1
        return board

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.row, self.column = 0, self.np_random.integers(self.shape[1])
        self.paddle = self.shape[1] // 2
        return self._board(), {}

    def step(self, action: Any) -> Any:
        self.paddle = min(max(self.paddle + action - 1, 0), self.shape[1] - 1)
        self.row += 1
        over = self.row == self.shape[0] - 1
        reward = (1.0 if self.paddle == self.column else -1.0) if over else 0.0
        return self._board(), reward, over, False, {}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", [{}, {"height": 4, "width": 9}], ids=str)
def test_equals_its_rules(seed: int, options: dict[str, Any]) -> None:
    assert compare("Catch-v0", lambda: Reference(**options), seed, **options)["terminated"] > 0
