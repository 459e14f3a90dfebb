"""render() against Gymnasium's, drawn at each step, with ==."""

import os
from collections.abc import Callable
from typing import Any

os.environ["SDL_VIDEODRIVER"] = "dummy"  # pygame draws without a screen
import gymnasium
import numpy as np
import pytest
from gymnasium.envs.box2d.bipedal_walker import BipedalWalkerHeuristics

import parallel_pool
from parallel_pool.testing.form import by_form, some
from parallel_pool.testing.gymnasium_parity import Array

Driver = Callable[[np.random.Generator, int, Array], Array]  # (random numbers, step, obs)
EPISODES = by_form(2, 12)


def fly(random: np.random.Generator, step: int, obs: Array) -> Array:
    """Fires all engines of LunarLander; the main engine brakes, so that sparks meet the ground."""
    return np.array(2 if obs[3] < -0.4 else random.integers(4))


def fly_softly(random: np.random.Generator, step: int, obs: Array) -> Array:
    main = 0.3 if obs[3] < -0.3 else random.uniform(-1, 1)
    return np.array([main, random.uniform(-1, 1)], np.float32)


def walker() -> Driver:
    """Gymnasium's gait, which goes far; then random torques until the fall."""
    gait: Any = BipedalWalkerHeuristics()

    def walk(random: np.random.Generator, step: int, obs: Array) -> Array:
        if step > 250:
            return random.uniform(-1, 1, 4).astype(np.float32)
        return np.asarray(gait.step_heuristic(obs), np.float32)

    return walk


def skid(random: np.random.Generator, step: int, obs: Array) -> Array:
    """Speeds up on the road, then brakes and turns."""
    return np.array([np.sin(0.1 * step), step < 60, 0.95 * (step > 60)], np.float32)


TASKS: list[tuple[str, dict[str, Any], Driver, int]] = [
    ("LunarLander-v3", {}, fly, 400),
    ("LunarLander-v3", {"gravity": -3.0, "enable_wind": True}, fly, 400),
    ("LunarLanderContinuous-v3", {}, fly_softly, 400),
    ("BipedalWalker-v3", {}, walker(), 400),
    ("BipedalWalkerHardcore-v3", {}, walker(), 400),
    ("CarRacing-v3", {}, skid, 90),
]


@pytest.mark.parametrize(("task", "options", "drive", "steps"), some(TASKS, 2))
def test_pictures_equal_gymnasiums(
    task: str, options: dict[str, Any], drive: Driver, steps: int
) -> None:
    theirs: Any = gymnasium.make(task, render_mode="rgb_array", disable_env_checker=True, **options)
    random = np.random.default_rng(0)
    with parallel_pool.make(task, num_envs=1, render_mode="rgb_array", **options) as ours:
        for seed in range(EPISODES):
            theirs.reset(seed=seed)
            obs, _ = ours.reset(seed=seed)
            for step in range(steps):
                where = f"episode {seed}, step {step}"
                np.testing.assert_array_equal(ours.render()[0], theirs.render(), where)
                action = drive(random, step, obs[0])
                obs, _, terminated, _, _ = ours.step(action[None])
                theirs.step(action)
                if terminated[0]:
                    break
            np.testing.assert_array_equal(ours.render()[0], theirs.render())
    theirs.close()


@pytest.mark.parametrize("task", ["LunarLander-v3", "BipedalWalker-v3", "CarRacing-v3"])
def test_a_loaded_env_looks_the_same(task: str) -> None:
    """Also sparks, rays and skid marks, which are not in the observation."""
    random = np.random.default_rng(3)
    with parallel_pool.make(task, num_envs=2, render_mode="rgb_array") as pool:
        space: Any = pool.single_action_space
        pool.reset(seed=1)
        for _ in range(60):
            state = pool.save()
            before = pool.render()
            if space.shape == ():
                action = random.integers(4, size=2)
            else:
                action = random.uniform(-1, 1, (2, *space.shape)).astype(np.float32)
            pool.step(action)
            pool.load(state)
            np.testing.assert_array_equal(pool.render(), before)
            pool.step(action)
