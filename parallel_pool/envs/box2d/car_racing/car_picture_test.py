"""The pictures of CarRacing equal Gymnasium's by ==.

Gymnasium's own env plays, and car_picture.h draws its state.
"""

import os
from collections.abc import Iterator
from typing import Any

os.environ["SDL_VIDEODRIVER"] = "dummy"  # pygame draws without a screen
import numpy as np
import pytest
from gymnasium.envs.box2d.car_racing import CarRacing

from parallel_pool.envs.box2d.car_racing.car_scene import Image, Scene
from parallel_pool.testing.form import by_form

OBSERVATION, VIDEO = (96, 96), (400, 600)


class Filmed(CarRacing):
    """CarRacing that keeps the scene of its last picture: step() changes the reward after it."""

    def _render(self, mode: str) -> Any:
        self.scene = Scene(self)
        return super()._render(mode)


def episode(env: CarRacing, seed: int, steps: int) -> Iterator[Image]:
    """The observations of a driver who holds random actions for some time and leaves the road."""
    random = np.random.default_rng(seed)
    yield env.reset(seed=seed)[0]
    action = np.zeros(3)
    for _ in range(steps):
        if random.random() < 0.1:
            action = random.uniform((-1, 0, 0), (1, 1, 1)) * (random.random(3) < (0.6, 0.8, 0.2))
        obs, _, terminated, _, _ = env.step(action)
        yield obs
        if terminated:
            return


def assert_observation(env: Filmed, obs: Image) -> None:
    for is_plain in (True, False):
        picture = env.scene.draw(OBSERVATION, has_skid_marks=False, is_plain=is_plain)
        np.testing.assert_array_equal(picture, obs)


@pytest.mark.parametrize("randomize", [False, True])
def test_observations_equal_gymnasium(randomize: bool) -> None:
    env = Filmed(domain_randomize=randomize)
    for seed in range(by_form(2, 8)):
        for obs in episode(env, seed, by_form(150, 1000)):
            assert_observation(env, obs)


def test_videos_equal_gymnasium() -> None:
    env: Any = Filmed(render_mode="rgb_array")
    num_marks = 0
    for i, _ in enumerate(episode(env, 0, by_form(150, 1000))):
        if i % 5 == 0:
            picture = env.render()
            num_marks = max(num_marks, len(env.car.particles))
            ours = env.scene.draw(VIDEO, has_skid_marks=True, is_plain=True)
            np.testing.assert_array_equal(ours, picture)
    assert num_marks > 3


def test_values_beyond_the_panel_equal_gymnasium() -> None:
    env: Any = Filmed(domain_randomize=True)
    random = np.random.default_rng(0)
    for i in range(by_form(80, 3000)):
        if i % 20 == 0:
            env.reset(seed=i)
        # Bars that leave the panel, and scores of all lengths.
        scale = random.choice([1, 100, 1000])
        for wheel in env.car.wheels:
            wheel.omega, wheel.phase = random.normal(0, scale, 2)
        env.car.hull.angularVelocity = random.normal(0, scale / 20)
        env.car.hull.linearVelocity = random.normal(0, scale, 2)
        env.reward = random.normal(0, scale * 20)
        env.t = random.uniform(0, 1.5)
        env.car.hull.angle += random.choice([0, 1, np.pi / 2 - env.car.hull.angle])
        env.car.hull.position = random.normal(0, 200, 2)  # also beyond the playfield
        assert_observation(env, env._render("state_pixels"))
