"""A loaded env goes on as the saved one: every bit, over several episodes."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.form import by_form
from parallel_pool.testing.gymnasium_parity import uniform_policy

TASKS: list[tuple[str, dict[str, Any]]] = [
    ("LunarLander-v3", {"enable_wind": True}),
    ("LunarLanderContinuous-v3", {}),
    ("BipedalWalker-v3", {}),
    ("BipedalWalkerHardcore-v3", {}),
    ("CarRacing-v3", {"domain_randomize": True}),
]
NUM_ENVS = 4
SAVES = by_form(6, 30)


@pytest.mark.parametrize(("task", "options"), TASKS)
def test_a_loaded_env_goes_on_as_the_saved_one(task: str, options: dict[str, Any]) -> None:
    random = np.random.default_rng(1)
    with (
        parallel_pool.make(task, num_envs=NUM_ENVS, seed=5, **options) as saved,
        parallel_pool.make(task, num_envs=NUM_ENVS, seed=77, **options) as loaded,
    ):
        choose = uniform_policy(saved.single_action_space)
        obs, _ = saved.reset()
        loaded.reset()
        for _ in range(SAVES):
            # The states are in the air, on the ground, and after resets.
            for _ in range(int(random.integers(1, 150))):
                obs, *_ = saved.step(choose(random, obs))
                loaded.step(choose(random, obs))
            loaded.load(saved.save())
            for _ in range(250):
                action = choose(random, obs)
                wanted, found = saved.step(action), loaded.step(action)
                for w, f in zip(wanted[:4], found[:4], strict=True):
                    np.testing.assert_array_equal(w, f)
                obs = wanted[0]


@pytest.mark.parametrize(("task", "options"), TASKS)
def test_a_state_before_the_first_reset(task: str, options: dict[str, Any]) -> None:
    with (
        parallel_pool.make(task, num_envs=1, seed=5, **options) as saved,
        parallel_pool.make(task, num_envs=1, seed=6, **options) as loaded,
    ):
        random = np.random.default_rng(2)
        choose = uniform_policy(saved.single_action_space)
        state = saved.save()
        obs, _ = loaded.reset()
        for _ in range(300):
            obs, *_ = loaded.step(choose(random, obs))
        loaded.load(state)
        obs, _ = saved.reset()
        np.testing.assert_array_equal(obs, loaded.reset()[0])
        for _ in range(1000):
            action = choose(random, obs)
            obs = saved.step(action)[0]
            np.testing.assert_array_equal(obs, loaded.step(action)[0])
