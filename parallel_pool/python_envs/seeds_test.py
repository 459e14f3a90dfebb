"""Seeds of pools of envs in Python: drawn ones, those of action spaces and of old envs."""

import sys
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

import parallel_pool
from parallel_pool.testing.python_env import Plain, Trouble

FEW = 0 if sys.platform == "win32" else 2  # workers


class Sampling(Plain):
    """An env whose action space draws the rewards."""

    def __init__(self) -> None:
        self.action_space = spaces.Box(-1, 1, (2,))

    def step(self, action: Any) -> Any:
        return np.zeros(2), float(self.action_space.sample()[0]), False, False, {}


def test_action_spaces_are_seeded() -> None:
    def rewards(seed: int) -> list[float]:
        with parallel_pool.make_python(Sampling, 2, num_workers=FEW, seed=seed) as pool:
            pool.reset()
            reward: list[float] = pool.step(np.zeros((2, 2)))[1].tolist()
            return reward

    assert rewards(3) == rewards(3)
    assert rewards(3)[1] == rewards(4)[0]
    assert rewards(3)[0] != rewards(3)[1]


def test_no_seed_is_drawn_by_the_system() -> None:
    def start(**options: Any) -> Any:
        with parallel_pool.make_python("CartPole-v1", 2, num_workers=FEW, **options) as pool:
            return pool.config["seed"], pool.reset()[0].tobytes()

    assert start() == start(seed=42)
    first, second = start(seed=None), start(seed=None)
    assert first[0] != second[0]
    assert first[1] != second[1]
    assert start(seed=first[0]) == first

    def vector_start(**options: Any) -> Any:
        envs: Any = gymnasium.make_vec("parallel_pool/python", env="CartPole-v1", **options)
        with envs:
            return envs.reset()[0].tobytes()

    assert vector_start() != vector_start()
    assert vector_start(seed=3) == vector_start(seed=3)


class Legacy(Trouble):
    """Seeds as envs did before gym 0.26."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        if seed is not None:
            np.random.seed(seed)
        return super().reset(seed=seed, options=options)


def test_a_drawn_seed_is_one_for_numpys_global_generator() -> None:
    for _ in range(3):
        with parallel_pool.make_python(Legacy, 2, num_workers=0, seed=None) as pool:
            pool.reset()
        vector = gymnasium.make_vec("parallel_pool/python", env=Legacy, num_envs=2, num_workers=0)
        vector.reset()
        vector.close()
        spec = parallel_pool.make_python_spec(Legacy, 2, num_workers=0).with_own_seed()
        assert spec.config["seed"] < 2**31
