"""LunarLander against Gymnasium's, with ==."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.box2d import lunar_lander

import parallel_pool
from parallel_pool.testing.gymnasium_parity import (
    SEEDS,
    Array,
    Policy,
    assert_same_spaces,
    compare,
    in_a_precision,
)

TASKS = {"LunarLander": "LunarLander-v3", "LunarLanderContinuous": "LunarLanderContinuous-v3"}
land: Any = lunar_lander.heuristic
OPTIONS: list[dict[str, Any]] = [
    {},
    {"gravity": -3.5},
    {"enable_wind": True},
    {"enable_wind": True, "wind_power": 20.0, "turbulence_power": 0.5, "gravity": -11.9},
]


def pilot(continuous: bool) -> Policy:
    """Gymnasium's pilot in the even envs, so that they land; random actions in the others."""

    class Env:
        unwrapped = type("Unwrapped", (), {"continuous": continuous})

    def choose(random: np.random.Generator, obs: Array) -> Array:
        actions: Array = random.integers(4, size=len(obs))
        if continuous:
            actions = random.uniform(-1.25, 1.25, (len(obs), 2))
        for i in range(0, len(obs), 2):
            actions[i] = land(Env(), obs[i])
        return in_a_precision(random, actions) if continuous else actions

    return choose


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_gymnasium(name: str, options: dict[str, Any], seed: int) -> None:
    counts = compare(
        TASKS[name],
        lambda: gymnasium.make(TASKS[name], disable_env_checker=True, **options),
        seed,
        policy=pilot(name.endswith("Continuous")),
        num_envs=4,
        **options,
    )
    assert counts["terminated"] > 0


@pytest.mark.parametrize("task", TASKS.values())
def test_spaces(task: str) -> None:
    assert_same_spaces(task, gymnasium.make(task))


@pytest.mark.parametrize("gravity", [-12.0, 0.0, 1.0, -13])
def test_a_bad_gravity_is_named(gravity: float) -> None:
    with pytest.raises(ValueError, match="gravity"):
        parallel_pool.make("LunarLander-v3", gravity=gravity)


@pytest.mark.parametrize("option", ["wind_power", "turbulence_power"])
def test_a_wind_is_finite(option: str) -> None:
    strongest: dict[str, Any] = {option: 1e30}
    with parallel_pool.make("LunarLander-v3", enable_wind=True, **strongest) as env:
        env.reset()
        for _ in range(50):
            assert np.isfinite(env.step(np.array([2]))[0]).all()
    stronger: dict[str, Any] = {option: 1e39}
    with pytest.raises(ValueError, match=option):
        parallel_pool.make("LunarLander-v3", **stronger)


@pytest.mark.parametrize("name", TASKS)
def test_the_older_version_is_the_same_task(name: str) -> None:
    old, new = (parallel_pool.make_spec(f"{name}-v{v}") for v in (2, 3))
    assert old.observation_space == new.observation_space
    assert old.action_space == new.action_space
    assert old.max_episode_steps == new.max_episode_steps
