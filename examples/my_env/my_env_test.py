"""KeepUp-v0: the rules that are special to it."""

import pathlib
from typing import Any

import numpy as np
import pytest

import parallel_pool

assert parallel_pool.load(pathlib.Path(__file__).with_name("_family.so")) == ["KeepUp-v0"]


def follow(obs: Any) -> Any:
    """Actions that bring the paddle under the ball."""
    return 1 + np.sign(np.round(obs[:, 0] - obs[:, 4], 1)).astype(int)


def test_conforms() -> None:
    parallel_pool.check("KeepUp-v0")
    parallel_pool.check("KeepUp-v0", paddle_width=0.05)


def test_a_hit_is_a_reward_and_sends_the_ball_up() -> None:
    with parallel_pool.make("KeepUp-v0", num_envs=20) as env:
        obs, _ = env.reset()
        hits = np.zeros(20)
        for _ in range(200):
            obs, reward, terminated, _, info = env.step(follow(obs))
            hits += reward
            assert not terminated.any()
            np.testing.assert_array_equal(info["hits"], hits)
            np.testing.assert_array_equal(obs[reward == 1, 1], 0)
            assert (obs[reward == 1, 3] > 0).all()
        assert (hits > 3).all()


def test_a_wider_paddle_misses_less() -> None:
    def ends(width: float) -> int:
        with parallel_pool.make("KeepUp-v0", num_envs=50, paddle_width=width) as env:
            env.reset()
            still = np.ones(50, int)
            return sum(int(env.step(still)[2].sum()) for _ in range(200))

    assert ends(1.0) < ends(0.3) < ends(0.05)


def test_the_paddle_is_no_wider_than_the_room() -> None:
    with pytest.raises(ValueError, match=r"paddle_width is 2.0; it must be between 0.05 and 1"):
        parallel_pool.make("KeepUp-v0", paddle_width=2.0)
