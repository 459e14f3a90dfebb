"""CarRacing against Gymnasium's, with ==."""

import os
from collections import Counter
from typing import Any

os.environ["SDL_VIDEODRIVER"] = "dummy"  # pygame draws without a screen
import gymnasium
import numpy as np
import pytest
from gymnasium.envs.box2d.car_racing import CarRacing

import parallel_pool
from parallel_pool.testing.form import by_form, long_form
from parallel_pool.testing.gymnasium_parity import assert_same_spaces, in_a_precision
from parallel_pool.testing.side_by_side import SideBySide

TASK = "CarRacing-v3"
LIMIT = by_form(300, 1000)
BLANK = np.zeros((96, 96, 3), np.uint8)

Array = np.ndarray[Any, Any]


class Blind(CarRacing):
    """CarRacing without pictures, which take a hundred times as long as its physics."""

    def _render(self, mode: str) -> Any:
        return BLANK


def drive(env: Any) -> Array:
    """Follows the track of Gymnasium's env, which shows what pictures would."""
    car, track = env.car, np.array([point[2:] for point in env.track])
    at = np.array(car.hull.position)
    nearest = int(np.argmin(((track - at) ** 2).sum(1)))
    target = track[(nearest + 6) % len(track)] - at
    angle = car.hull.angle
    right = np.array([np.cos(angle), np.sin(angle)]) @ target / np.linalg.norm(target)
    speed = float(np.linalg.norm(car.hull.linearVelocity))
    return np.array([right * 2, 0.3 if speed < 35 else 0.0, 0.05 if speed > 40 else 0.0])


def action_of(env: Any, random: np.random.Generator, style: int) -> Array:
    """Drives well (style 0), with noise (1), or at random, off the field in the end (2)."""
    if style == 2:
        steer, gas, brake = random.uniform((-1.25, -0.2, -0.3), (1.25, 1.2, 1.2))
        held = np.array([steer * 0.2, abs(gas), max(brake - 0.9, -0.1)])
        return held
    noise = random.normal(0, 0.3, 3) if style == 1 else 0
    return drive(env) + noise


def to_choice(action: Array) -> int:
    """The nearest of the five choices."""
    if abs(action[0]) > 0.25:
        return 1 if action[0] > 0 else 2
    return 3 if action[1] > 0.1 else (4 if action[2] > 0.1 else 0)


class Counting:
    """An env of the reference that counts how its episodes end, with infos as a pool has them."""

    def __init__(self, cls: type[CarRacing], counts: Counter[str], **options: Any) -> None:
        """Makes the env."""
        self.env: Any = gymnasium.wrappers.TimeLimit(cls(**options), LIMIT)
        self.sees, self.counts = cls is not Blind, counts

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        obs, _ = self.env.reset(seed=seed)
        return obs if self.sees else None, {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Plays a step."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        finished = info.get("lap_finished", False)
        self.counts["finished"] += finished
        self.counts["lost"] += terminated and not finished
        self.counts["truncated"] += truncated
        infos = {"lap_finished": finished, "_lap_finished": "lap_finished" in info}
        return obs if self.sees else None, reward, terminated, truncated, infos


def play(cls: type[CarRacing], seed: int, steps: int, **options: Any) -> Counter[str]:
    """Plays both side by side; compares observations, rewards, flags and infos.

    Returns:
        The number of episodes that were "finished", "lost" and "truncated".
    """
    counts: Counter[str] = Counter()
    envs = [Counting(cls, counts, **options) for _ in range(3)]
    random = np.random.default_rng(seed)
    with SideBySide(TASK, seed, envs, max_episode_steps=LIMIT, **options) as both:
        for _ in range(steps):
            drawn = [action_of(own.env.unwrapped, random, i) for i, own in enumerate(envs)]
            if options.get("continuous", True):
                both.step(list(in_a_precision(random, np.array(drawn))))
            else:
                both.step([to_choice(action) for action in drawn])
    return counts


@pytest.mark.parametrize("seed", by_form((1,), (1, 2, 3)))
@pytest.mark.parametrize(
    "options",
    [{}, {"continuous": False}, {"lap_complete_percent": 0.2}, {"domain_randomize": True}],
)
def test_equals_gymnasium_without_pictures(options: dict[str, Any], seed: int) -> None:
    counts = play(Blind, seed, by_form(1000, 5000), **options)
    assert counts["truncated"] > 0


@pytest.mark.parametrize("options", [{}, {"domain_randomize": True, "continuous": False}])
def test_observations_equal_gymnasium(options: dict[str, Any]) -> None:
    play(CarRacing, 5, by_form(60, 700), **options)


@long_form
def test_laps_finish() -> None:
    """Also off the field, at the side of which episodes end."""
    counts = play(Blind, 11, by_form(700, 4000), lap_complete_percent=0.0)
    assert counts["lost"] + counts["finished"] > 0


@pytest.mark.parametrize("percent", [0.0, 0.95])
def test_a_single_env_has_lap_finished_where_gymnasium_has_it(percent: float) -> None:
    """At the end of a lap, or off the field: straight on, which takes longer."""
    theirs = Blind(lap_complete_percent=percent)
    env = parallel_pool.make(TASK, num_envs=None, lap_complete_percent=percent)
    theirs.reset(seed=11)
    assert "lap_finished" not in env.reset(seed=11)[1]
    for step in range(by_form(600, 3000)):
        action = np.array([0, 1, 0]) if percent else drive(theirs)
        wanted, found = theirs.step(action.astype(np.float32)), env.step(action.astype(np.float32))
        assert wanted[2:4] == found[2:4], step
        assert wanted[4] == found[4], step
        if wanted[2]:
            break
    env.close()


def frequent_colors(obs: Array) -> set[tuple[int, ...]]:
    """The colors of many pixels above the panel, of the ground and the road; black lies beyond."""
    colors, counts = np.unique(obs[:80].reshape(-1, 3), axis=0, return_counts=True)
    return {tuple(c.tolist()) for c, n in zip(colors, counts, strict=True) if n > 100 and c.any()}


def test_colors_stay_without_randomize() -> None:
    with parallel_pool.make(TASK, num_envs=1, domain_randomize=True) as env:
        first, _ = env.reset(seed=1)
        same, _ = env.reset(options={"randomize": False})
        other, _ = env.reset()
        assert frequent_colors(first[0]) & frequent_colors(same[0])
        assert not frequent_colors(same[0]) & frequent_colors(other[0])


def test_spaces() -> None:
    for options in ({}, {"continuous": False}):
        assert_same_spaces(TASK, gymnasium.make(TASK, **options), **options)
