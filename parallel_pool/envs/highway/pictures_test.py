"""Pictures equal those of highway-env pixel for pixel."""

import os
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.highway.reference import TASKS, Reference, action_of
from parallel_pool.testing.form import by_form, some

os.environ.pop("SDL_VIDEODRIVER", None)  # highway-env draws nothing with SDL's dummy driver

CASES: list[tuple[str, dict[str, Any]]] = [
    ("highway-fast-v0", {"screen_width": 321, "screen_height": 77, "scaling": 3.5}),
    ("intersection-v0", {"centering_position": [0.25, 0.7], "scaling": 12}),
    *((task, {}) for task in TASKS),
]


@pytest.mark.parametrize(("task_id", "config"), some(CASES, 2))
def test_pictures_equal_highway_envs(task_id: str, config: dict[str, Any]) -> None:
    random = np.random.default_rng(0)
    env = Reference(task_id, config)
    env.env.unwrapped.render_mode = "rgb_array"
    options: Any = {"num_envs": 1, "seed": 3, "render_mode": "rgb_array", **config}
    with parallel_pool.make(task_id, **options) as pool:
        pool.reset()
        env.reset(seed=3)
        for step in range(by_form(3, 25)):
            (ours,) = pool.render()
            theirs = env.env.unwrapped.render()
            assert (ours == theirs).all(), f"{task_id}, step {step}"
            assert len(np.unique(ours.reshape(-1, 3), axis=0)) > 2, "there is only a road"
            action = action_of(pool.spec, random)
            _, _, terminated, truncated, _ = pool.step(
                action if pool.spec.players else action[None]
            )
            env.step(action)
            if terminated[0] or truncated[0]:
                break
