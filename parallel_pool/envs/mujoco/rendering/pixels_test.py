"""from_pixels: observations that are pictures, drawn by the pool's threads."""

import os

os.environ["MUJOCO_GL"] = "egl"

import threading
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.specs.registry import registry
from parallel_pool.testing import golden
from parallel_pool.testing.form import by_form, some

Array = np.ndarray[Any, Any]

TASKS = [
    task
    for task in golden.tasks("mujoco")
    if registry().find(task).render_modes
    and registry().suite(task) not in ("metaworld", "ogbench", "robotics")
]
# Those that observe one array; dm_control/pictures_test.py has the others.
ROBOTS = [
    task
    for task in TASKS
    if isinstance(parallel_pool.make_spec(task).observation_space, gymnasium.spaces.Box)
]
SMALL: dict[str, Any] = {
    "from_pixels": True,
    "render_width": 40,
    "render_height": 32,
    "render_quality": "fast",
}


def planes(frames: Array) -> Array:
    """Pictures of shape (n, height, width, 3) with channels first."""
    return np.moveaxis(frames, -1, 1)


def play(steps: int, task: str = "HalfCheetah-v5", **options: Any) -> list[Array]:
    """The observations of a pool."""
    with parallel_pool.make(task, seed=3, **options) as pool:
        random = np.random.default_rng(0)
        shown = [pool.reset()[0]]
        shape = (pool.num_envs, *pool.single_action_space.shape)
        for _ in range(steps):
            shown.append(pool.step(random.uniform(-1, 1, shape).astype(np.float32))[0])
    return shown


@pytest.mark.parametrize("task", ROBOTS)
def test_spec(task: str) -> None:
    space = gymnasium.spaces.Box(0, 255, (12, 84, 84), np.uint8)
    spec = parallel_pool.make_spec(task, from_pixels=True, frame_stack=4)
    assert spec.observation_space == space
    assert spec.config["render_width"] == spec.config["render_height"] == 84
    spec = parallel_pool.make_spec(task, from_pixels=True, render_width=30, render_height=20)
    assert spec.observation_space.shape == (3, 20, 30)
    spec = parallel_pool.make_spec(task)
    assert spec.config["render_width"] == spec.config["render_height"] == 480
    assert not spec.config["from_pixels"]


@pytest.mark.parametrize("task", some(ROBOTS, 6))
def test_an_observation_is_the_picture(task: str) -> None:
    """Rewards and infos also equal those of the same task without pictures."""
    plain = parallel_pool.make(task, seed=1, num_envs=2)
    with parallel_pool.make(task, seed=1, num_envs=2, render_mode="rgb_array", **SMALL) as pool:
        random = np.random.default_rng(0)
        obs, info = pool.reset()
        _, plain_info = plain.reset()
        first = obs
        for _ in range(4):
            assert (obs.dtype, obs.shape) == (np.uint8, (2, 3, 32, 40))
            np.testing.assert_array_equal(obs, planes(pool.render()))
            assert sorted(info) == sorted(plain_info)
            for name in info.keys() - {"players"}:
                np.testing.assert_array_equal(info[name], plain_info[name])
            action = random.uniform(-1, 1, (2, *pool.single_action_space.shape))
            obs, *rest, info = pool.step(action.astype(np.float32))
            _, *plain_rest, plain_info = plain.step(action.astype(np.float32))
            np.testing.assert_array_equal(rest, plain_rest)
        assert (obs != first).any()
    plain.close()


def test_equals_gymnasium() -> None:
    env = gymnasium.make("Hopper-v5", render_mode="rgb_array", width=84, height=84)
    env.reset(seed=5)
    with parallel_pool.make("Hopper-v5", seed=5, from_pixels=True) as pool:
        obs, _ = pool.reset()
        for _ in range(3):
            wanted: Any = env.render()
            np.testing.assert_array_equal(obs, planes(wanted[None]))
            action = np.full((1, 3), 0.5, np.float32)
            obs = pool.step(action)[0]
            env.step(action[0])
    env.close()


def test_frames_are_stacked() -> None:
    single = play(6, num_envs=2, **SMALL)
    stacked = play(6, num_envs=2, frame_stack=3, **SMALL)
    for step, obs in enumerate(stacked):
        assert obs.shape == (2, 9, 32, 40)
        history = [single[max(0, step - age)] for age in (2, 1, 0)]
        np.testing.assert_array_equal(obs, np.concatenate(history, axis=1))


def test_a_new_episode_begins_with_its_own_frames() -> None:
    *_, last, first = play(4, max_episode_steps=3, frame_stack=2, **SMALL)
    np.testing.assert_array_equal(first[:, :3], first[:, 3:])
    assert (last[:, 3:] != first[:, :3]).any()
    assert (last[:, :3] != last[:, 3:]).any()


def test_threads_change_nothing() -> None:
    alone = play(5, num_envs=8, num_threads=1, **SMALL)
    for threads in (2, 4):
        for obs, wanted in zip(
            play(5, num_envs=8, num_threads=threads, **SMALL), alone, strict=True
        ):
            np.testing.assert_array_equal(obs, wanted)
    assert len({obs.tobytes() for obs in alone[-1]}) == 8


def test_async() -> None:
    wanted = play(1, num_envs=6, **SMALL)[0]
    with parallel_pool.make(
        "HalfCheetah-v5", seed=3, num_envs=6, batch_size=2, num_threads=2, **SMALL
    ) as pool:
        pool.async_reset()
        for _ in range(3):
            obs, *_, info = pool.recv()
            np.testing.assert_array_equal(obs, wanted[info["env_id"]])


def test_pools_and_threads_at_once() -> None:
    """Two pools of different models and sizes, each in a thread, next to Gymnasium's context."""
    env = gymnasium.make("Ant-v5", render_mode="rgb_array", width=50, height=50)
    env.reset(seed=0)
    before: Any = env.render()
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("HalfCheetah-v5", SMALL),
        ("Swimmer-v5", SMALL | {"render_width": 24}),
    ]
    alone = [play(4, task, num_envs=3, **options) for task, options in kinds]
    together: list[list[Array]] = [[], []]

    def run(k: int) -> None:
        task, options = kinds[k]
        for _ in range(by_form(1, 3)):
            together[k] = play(4, task, num_envs=3, num_threads=2, **options)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for ours, wanted in zip(together, alone, strict=True):
        for obs, other in zip(ours, wanted, strict=True):
            np.testing.assert_array_equal(obs, other)
    np.testing.assert_array_equal(env.render(), before)
    env.close()


@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "dm"])
def test_apis(env_type: Any) -> None:
    with parallel_pool.make("Reacher-v5", env_type, num_envs=2, **SMALL) as pool:
        first = pool.reset()
        obs = first.observation.obs if env_type == "dm" else first[0]
        assert (obs.dtype, obs.shape) == (np.uint8, (2, 3, 32, 40))


def test_conforms() -> None:
    parallel_pool.check("InvertedPendulum-v5", frame_stack=2, **SMALL)


def test_a_saved_stack_is_loaded() -> None:
    with parallel_pool.make("Swimmer-v5", frame_stack=3, **SMALL) as pool:
        pool.reset()
        action = np.ones((1, 2), np.float32)
        for _ in range(3):
            pool.step(action)
        data = pool.save()
        wanted = [pool.step(action)[0] for _ in range(3)]
        pool.load(data)
        for obs in wanted:
            np.testing.assert_array_equal(pool.step(action)[0], obs)


def test_same_step() -> None:
    with parallel_pool.make(
        "HalfCheetah-v5", autoreset_mode="same_step", max_episode_steps=2, **SMALL
    ) as pool:
        pool.reset()
        action = np.ones((1, 6), np.float32)
        pool.step(action)
        obs, *_, info = pool.step(action)
        assert info["final_obs"].shape == obs.shape
        assert (info["final_obs"] != obs).any()


def test_every_task_has_the_options() -> None:
    wanted = {"from_pixels", "frame_stack", "camera_name", "render_camera_id", "render_quality"}
    for task in TASKS:
        assert wanted <= {option.name for option in registry().find(task).options}
