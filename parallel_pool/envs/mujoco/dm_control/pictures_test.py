"""Pictures equal those of dm_control's physics.render() with the same OpenGL, pixel for pixel."""

import os

os.environ["MUJOCO_GL"] = "egl"

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.dm_control_suite import ALL, TASKS, load
from parallel_pool.testing.form import by_form

DOMAINS = {ALL[task_id][0]: task_id for task_id in TASKS}
# One task of each domain, and those that look different from it. The short form shows half of them
# in one way and half in the other.
OTHERS = ("FingerSpin-v1", "FishSwim-v1", "QuadrupedEscape-v1")
SHOWN = sorted({*DOMAINS.values(), *OTHERS})
SEED = 5
STEPS = 4  # of an episode


def compare(task_id: str, camera_id: int, size: dict[str, int], **options: Any) -> list[np.ndarray]:
    """Compares the pictures of two episodes; returns ours."""
    env = load(task_id, SEED)
    env.task.visualize_reward = options.get("visualize_reward", False)
    env._step_limit = STEPS
    frames = []
    random = np.random.default_rng(0)
    options |= {f"render_{side}": pixels for side, pixels in size.items()}
    options |= {"camera_id": camera_id, "time_limit": STEPS * env.control_timestep()}
    with parallel_pool.make(task_id, seed=SEED, render_mode="rgb_array", **options) as pool:
        obs: Any = pool.reset()[0]
        env.reset()
        for step in range(2 * STEPS + 1):
            wanted = env.physics.render(camera_id=camera_id, **size)
            frames.append(pool.render()[0])
            assert frames[-1].shape == wanted.shape
            assert np.array_equal(frames[-1], wanted), (task_id, step)
            if pool.config["from_pixels"]:
                assert np.array_equal(obs["pixels"][0], np.moveaxis(wanted, -1, 0)), step
            action = random.uniform(-1, 1, (1, *pool.single_action_space.shape))
            obs = pool.step(action)[0]
            env.step(action[0])
    assert (frames[0] != frames[STEPS]).any(), "nothing has moved"
    env.close()
    return frames


@pytest.mark.parametrize("task_id", by_form(SHOWN[::10], TASKS))
def test_default_size_and_free_camera(task_id: str) -> None:
    frames = compare(task_id, -1, {})
    assert frames[0].shape == (240, 320, 3)


@pytest.mark.parametrize("task_id", by_form(SHOWN[1::10], TASKS))
def test_pixels_of_a_camera_with_the_rewards_colors(task_id: str) -> None:
    size = {"width": 84, "height": 60}
    compare(task_id, 0, size, from_pixels=True, visualize_reward=True)


def test_rewards_have_colors() -> None:
    plain = compare("CartpoleBalance-v1", 0, {"width": 60, "height": 60})
    colored = compare("CartpoleBalance-v1", 0, {"width": 60, "height": 60}, visualize_reward=True)
    assert (plain[1] != colored[1]).any()


def test_pixels_are_those_of_the_seed() -> None:
    options: dict[str, Any] = {"from_pixels": True, "render_width": 40, "render_height": 30}
    with parallel_pool.make("CheetahRun-v1", seed=1, **options) as pool:
        space: Any = pool.single_observation_space
        assert set(space) == {"pixels"}
        assert (space["pixels"].shape, space["pixels"].dtype) == ((3, 30, 40), np.uint8)
        first: Any = pool.reset(seed=7)[0]
    with parallel_pool.make("CheetahRun-v1", seed=7, **options) as pool:
        again: Any = pool.reset()[0]
    assert np.array_equal(first["pixels"], again["pixels"])


def test_a_loaded_state_has_its_pictures() -> None:
    """Also what an episode changes for pictures: here the light above the target."""
    with parallel_pool.make(
        "SwimmerSwimmer6-v1",
        seed=1,
        render_mode="rgb_array",
        from_pixels=True,
        frame_stack=2,
        visualize_reward=True,
        time_limit=0.09,
    ) as pool:
        action = np.ones((1, 5))
        pool.reset()
        for _ in range(5):  # into the second episode
            pool.step(action)
        state = pool.save()
        shown = pool.render()
        wanted: list[Any] = [pool.step(action)[0] for _ in range(5)]
        assert (pool.render() != shown).any()
        pool.load(state)
        assert np.array_equal(pool.render(), shown)
        for one in wanted:
            obs: Any = pool.step(action)[0]
            assert np.array_equal(obs["pixels"], one["pixels"])
