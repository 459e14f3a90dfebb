"""Each task equals vizdoom's Gymnasium env, array for array, by ==."""

import importlib
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.vizdoom.reference import TASKS, make_theirs
from parallel_pool.python.arrays.trees import take_rows
from parallel_pool.testing.form import by_form, some
from parallel_pool.testing.side_by_side import SideBySide

SEEDS = by_form((42,), (0, 7, 2**40 + 3))
NUM_ENVS = by_form(1, 2)
# Steps by the frame skip. In the long form, episodes reach their limit of 2100 or 4200 tics.
STEPS = {1: by_form(30, 700), 4: by_form(60, 1500)}


def actions(space: gymnasium.Space[Any], random: np.random.Generator, rows: int) -> Any:
    """Random actions of `rows` envs; turns are at most some degrees."""
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: actions(part, random, rows) for key, part in space.items()}
    if isinstance(space, gymnasium.spaces.Discrete):
        return random.integers(space.n, size=rows)
    if isinstance(space, gymnasium.spaces.MultiBinary | gymnasium.spaces.MultiDiscrete):
        return random.integers(2, size=(rows, *space.shape)).astype(space.dtype)
    assert isinstance(space, gymnasium.spaces.Box)
    return random.normal(0, 3, (rows, *space.shape)).astype(np.float32)


def compare(
    task_id: str, seed: int, steps: int, of_theirs: dict[str, Any] | None = None, **options: Any
) -> int:
    """Compares a reset, `steps` steps and the resets in them; returns the number of endings.

    Args:
        task_id: the task.
        seed: of the first env.
        steps: the number of steps.
        of_theirs: values of options that vizdoom has in another form.
        **options: of both.
    """
    theirs = [make_theirs(task_id, **{**options, **(of_theirs or {})}) for _ in range(NUM_ENVS)]
    random = np.random.default_rng(seed)
    with SideBySide(task_id, seed, theirs, infos=(), **options) as both:
        for _ in range(steps):
            action = actions(theirs[0].action_space, random, NUM_ENVS)
            both.step([take_rows(action, i) for i in range(NUM_ENVS)])
    for env in theirs:
        env.close()
    return both.episodes


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.parametrize("frame_skip", by_form([4], [1, 4]))
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_vizdoom(task_id: str, frame_skip: int, seed: int) -> None:
    compare(task_id, seed, STEPS[frame_skip], frame_skip=frame_skip)


@pytest.mark.parametrize("task_id", some(TASKS, 2))
@pytest.mark.parametrize("frame_skip", by_form([3], [3, 4]))
def test_endings_equal_vizdooms(task_id: str, frame_skip: int) -> None:
    # 3 does not divide 40, so the last step of an episode is shorter.
    assert compare(task_id, 3, by_form(30, 300), frame_skip=frame_skip, episode_timeout=40) >= 2


@pytest.mark.parametrize("task_id", ["VizdoomTakeCover-v1", "VizdoomDeadlyCorridor-v1"])
def test_deaths_equal_vizdooms(task_id: str) -> None:
    assert compare(task_id, 3, by_form(300, 2000), frame_skip=4) >= 1


@pytest.mark.parametrize(
    "options",
    [
        {"screen_resolution": "RES_160X120", "screen_format": "GRAY8"},
        {"depth_buffer_enabled": True, "labels_buffer_enabled": True},
        {"automap_buffer_enabled": True, "automap_mode": "OBJECTS", "automap_rotate": True},
        {"render_hud": True, "render_crosshair": True, "render_messages": True},
        {"render_weapon": False, "render_decals": False, "render_particles": False},
        {"doom_skill": 1, "episode_start_time": 20, "living_reward": 0.25},
        {"treat_episode_timeout_as_truncation": False, "episode_timeout": 30},
        {"max_buttons_pressed": 2},
        {"max_buttons_pressed": 0, "use_multi_binary_action_space": False},
        {"kill_reward": 2.5, "health_reward": 0.1, "item_reward": 0.3, "death_penalty": 7.5},
        {"hit_reward": 0.25, "damage_made_reward": 0.1, "frag_reward": 5.0},
        {"hit_taken_penalty": 0.7, "damage_taken_penalty": 0.01, "secret_reward": 2.0},
        {"notifications_buffer_enabled": True, "doom_game_path": "freedoom1.wad"},
    ],
)
def test_options_equal_vizdooms(options: dict[str, Any]) -> None:
    compare("VizdoomDeadlyCorridor-v1", 4, by_form(20, 200), frame_skip=2, **options)


@pytest.mark.parametrize("rate", ["SR_11025", "SR_22050"])
def test_the_sound_equals_vizdooms(rate: str) -> None:
    theirs = getattr(importlib.import_module("vizdoom").SamplingRate, rate)
    compare(
        "VizdoomBasicAudio-v1", 5, 40, {"audio_sampling_rate": theirs}, audio_sampling_rate=rate
    )


@pytest.mark.parametrize(
    "task_id", ["VizdoomFreedoom1E1M2-S4-v0", *by_form([], ["VizdoomFreedoom2MAP07-S1-v0"])]
)
def test_whole_games_equal_vizdooms(task_id: str) -> None:
    compare(task_id, 6, by_form(40, 400), frame_skip=4)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"screen_format": "GRAY8", "automap_buffer_enabled": True},
        {"depth_buffer_enabled": True, "labels_buffer_enabled": True},
    ],
)
def test_pictures_equal_vizdooms(options: dict[str, Any]) -> None:
    task_id = "VizdoomDefendCenter-v1"
    theirs: Any = make_theirs(task_id, render_mode="rgb_array", **options)
    with parallel_pool.make(task_id, num_envs=1, render_mode="rgb_array", **options) as ours:
        ours.reset(seed=3)
        theirs.reset(seed=3)
        for step in range(20):
            assert np.array_equal(ours.render()[0], theirs.render()), step
            ours.step(np.array([step % 4]))
            theirs.step(step % 4)
    theirs.close()


def test_the_last_picture_of_an_episode_is_shown() -> None:
    # Vizdoom's is black there.
    options: dict[str, Any] = {"num_envs": 1, "render_mode": "rgb_array", "episode_timeout": 5}
    with parallel_pool.make("VizdoomBasic-v1", **options) as env:
        env.reset()
        truncated = np.array([False])
        while not truncated[0]:
            obs, _, _, truncated, _ = env.step(np.array([0]))
        assert not obs["screen"].any()
        assert len(np.unique(env.render()[0])) > 50


@pytest.mark.parametrize("task_id", TASKS)
def test_spaces_equal_vizdooms(task_id: str) -> None:
    ours = parallel_pool.make_spec(task_id, num_envs=None)
    theirs = make_theirs(task_id)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.render_fps == theirs.metadata["render_fps"]
