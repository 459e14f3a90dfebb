"""The options of Atari tasks: computed defaults, refused values and their messages."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"mode": 3}, ValueError, r"mode=3: breakout has 0, 4, 8, .* \(and -1, its default\)"),
        ({"mode": -2}, ValueError, "mode is -2; it must be at least -1"),
        ({"difficulty": 9}, ValueError, r"difficulty=9: breakout has 0, 1 \(and -1"),
        ({"frame_skip": 0}, ValueError, "frame_skip is 0; it must be at least 1"),
        ({"frame_skip": (0, 3)}, ValueError, r"frame_skip is \(0, 3\)"),
        ({"frame_skip": (3, 3)}, ValueError, r"frame_skip is \(3, 3\).* end must be greater"),
        ({"frame_skip": 2.5}, TypeError, "frame_skip must be an int"),
        ({"stack_num": 0}, ValueError, "stack_num is 0; it must be between 1 and 1000"),
        ({"img_height": 0}, ValueError, "img_height is 0; it must be between 1 and 4096"),
        ({"img_width": 5000}, ValueError, "img_width is 5000"),
        (
            {"img_height": 4096, "img_width": 4096, "stack_num": 20},
            ValueError,
            "stack_num=20, img_height=4096, img_width=4096 make observations of 335544320 bytes; "
            "allowed are 268435456",
        ),
        ({"noop_max": -1}, ValueError, "noop_max is -1"),
        ({"repeat_action_probability": 1.5}, ValueError, "between 0 and 1"),
        ({"continuous_action_threshold": -0.5}, ValueError, "between 0 and 1"),
        (
            {"obs_type": "grayscale"},
            ValueError,
            "allowed are 'gray', 'rgb', 'ram'; did you mean gr",
        ),
        ({"obs_type": "gray", "gray_scale": False}, ValueError, "'gray' and gray_scale=False cont"),
        ({"obs_type": "ram", "gray_scale": False}, ValueError, "'ram' and gray_scale=False contra"),
        ({"obs_type": "rgb", "gray_scale": True}, ValueError, "'rgb' and gray_scale=True contrad"),
        ({"preset": "gymnasum"}, ValueError, "'ale_vector'; did you mean gymnasium"),
        ({"frameskip": 4}, TypeError, "no option 'frameskip'; it is frame_skip here"),
        ({"render_mode": "ansi"}, ValueError, "allowed are 'rgb_array', 'human' and None"),
        ({"max_episode_steps": 0}, ValueError, "max_episode_steps is 0"),
    ],
)
def test_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parallel_pool.make("Breakout-v5", **options)


@pytest.mark.parametrize(
    ("options", "config"),
    [
        ({}, {"obs_type": "gray", "gray_scale": True, "frame_skip": 4, "preset": "envpool"}),
        ({"gray_scale": False}, {"obs_type": "rgb"}),
        ({"obs_type": "rgb"}, {"gray_scale": False}),
        ({"obs_type": "ram"}, {"gray_scale": True}),
        ({"frame_skip": (2, 5)}, {"frame_skip": (2, 5)}),
        ({}, {"use_fire_reset": True, "reward_clip": False, "repeat_action_probability": 0.0}),
        ({"preset": "gymnasium"}, {"use_fire_reset": False, "repeat_action_probability": 0.25}),
        ({"preset": "gymnasium", "use_fire_reset": True}, {"use_fire_reset": True}),
        ({"preset": "ale_vector"}, {"reward_clip": True, "repeat_action_probability": 0.0}),
        ({"preset": "ale_vector", "reward_clip": False}, {"reward_clip": False}),
    ],
)
def test_config_shows_what_is(options: dict[str, Any], config: dict[str, Any]) -> None:
    spec = parallel_pool.make_spec("Pong-v5", **options)
    assert {name: spec.config[name] for name in config} == config
    assert spec.config["max_episode_steps"] == spec.max_episode_steps == 27000


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        ({}, (4, 84, 84)),
        ({"obs_type": "rgb", "stack_num": 2, "img_height": 60, "img_width": 50}, (6, 60, 50)),
        ({"obs_type": "ram"}, (4, 128)),
        ({"obs_type": "ram", "stack_num": 1, "img_height": 60}, (1, 128)),
    ],
)
def test_shapes(options: dict[str, Any], shape: tuple[int, ...]) -> None:
    with parallel_pool.make("Pong-v5", num_envs=2, **options) as pool:
        assert pool.observation_space.shape == shape
        assert pool.reset()[0].shape == (2, *shape)


def test_continuous_actions() -> None:
    with parallel_pool.make("Pong-v5", num_envs=2, continuous=True) as pool:
        space = gymnasium.spaces.Box(
            np.array([0, -np.pi, 0], np.float32), np.array([1, np.pi, 1], np.float32)
        )
        assert pool.action_space == space
        pool.reset()
        with pytest.raises(ValueError, match="action"):
            pool.step([0, 1])
        pool.step(np.stack([space.sample(), space.sample()]))


def test_sound_is_there_if_asked_for() -> None:
    with parallel_pool.make("Pong-v5") as pool:
        assert "sound" not in pool.reset()[1]
    with parallel_pool.make("Pong-v5", num_envs=3, sound_obs=True) as pool:
        pool.reset()
        loud = False
        for _ in range(50):
            sound = pool.step([2, 3, 1])[4]["sound"]
            assert (sound.dtype, sound.shape) == (np.uint8, (3, 512))
            loud |= len(np.unique(sound)) > 1
        assert loud


def test_the_time_limit_is_the_tasks_own() -> None:
    with parallel_pool.make("Pong-v5", max_episode_steps=3) as pool:
        pool.reset()
        assert [bool(pool.step([0])[3][0]) for _ in range(4)] == [False, False, True, False]
