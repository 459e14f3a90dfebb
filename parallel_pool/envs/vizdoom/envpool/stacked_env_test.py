"""The spaces, options, errors, pictures and demos of EnvPool's tasks."""

import pathlib
from typing import Any

import gymnasium
import numpy as np
import pytest
import vizdoom

import parallel_pool
from parallel_pool.envs.vizdoom.envpool.stacked_reference import (
    DEFAULTS,
    INFOS,
    SCENARIOS,
    Reference,
)
from parallel_pool.envs.vizdoom.reference import (
    PACKAGE,
    STACKED_TASKS,
    TASKS,
    WITHOUT_FILES,
)

# EnvPool 1.2.5's buttons, and actions with use_combined_action. A frame has 3 channels in all but
# four tasks.
BUTTONS_AND_ACTIONS = {
    "D1Basic": (3, 6), "D2Navigation": (3, 6), "Basic": (3, 6), "BasicAudio": (3, 6),
    "BasicNotifications": (3, 6), "Cig": (10, 108), "DeadlyCorridor": (7, 54),
    "Deathmatch": (20, 4536), "DefendTheCenter": (3, 6), "DefendTheLine": (3, 6),
    "HealthGathering": (3, 6), "HealthGatheringSupreme": (3, 6), "MultiDuel": (3, 6),
    "MyWayHome": (5, 18), "PredictPosition": (3, 6), "RocketBasic": (3, 6),
    "SimplerBasic": (3, 6), "TakeCover": (2, 3),
}  # fmt: skip
GRAY = {"D1Basic", "D2Navigation", "RocketBasic", "SimplerBasic"}


def make_spec(task_id: str, **options: Any) -> Any:
    return parallel_pool.make_spec(task_id, **options)


def test_the_tasks_are_envpools() -> None:
    assert {task.removesuffix("-v1") for task in STACKED_TASKS} == set(BUTTONS_AND_ACTIONS)
    assert not set(TASKS) & set(STACKED_TASKS)


@pytest.mark.parametrize("task_id", STACKED_TASKS)
def test_spaces_are_envpools(task_id: str) -> None:
    name = task_id.removesuffix("-v1")
    buttons, actions = BUTTONS_AND_ACTIONS[name]
    spec = make_spec(task_id)
    channels = 4 if name in GRAY else 12
    assert spec.observation_space == gymnasium.spaces.Box(0, 255, (channels, 84, 84), np.uint8)
    assert (spec.action_space.shape, spec.action_space.dtype) == ((buttons,), np.float64)
    assert np.isfinite(spec.action_space.sample()).all()
    combined = make_spec(task_id, use_combined_action=True)
    assert combined.action_space.n == actions
    assert spec.config["max_episode_steps"] == 525
    infos = [a for a in spec.state_arrays if a.name.removeprefix("info:") in INFOS]
    assert [a.name for a in infos] == [f"info:{name}" for name in INFOS]
    assert {(a.dtype, tuple(a.shape)) for a in infos} == {("float64", ())}


def test_defaults_are_envpools() -> None:
    config = make_spec("Basic-v1").config
    for name in ("reward_config", "selected_weapon_reward_config", "delta_button_config"):
        assert config[name] == DEFAULTS[name], name
    assert list(config["selected_weapon_reward_config"]) == list(range(8))
    for name, value in {
        "img_height": 84, "img_width": 84, "stack_num": 4, "frame_skip": 4, "lmp_save_dir": "",
        "episodic_life": False, "use_combined_action": False, "force_speed": False,
        "use_inter_area_resize": True, "weapon_duration": 5, "game_args": "", "map_id": "map01",
        "cfg_path": str(SCENARIOS / "basic.cfg"), "wad_path": str(SCENARIOS / "basic.wad"),
        "vzd_path": str(PACKAGE / "vizdoom"), "iwad_path": str(PACKAGE / "freedoom2.wad"),
    }.items():  # fmt: skip
        assert config[name] == value, name


def test_speed_is_forced_or_free() -> None:
    options: dict[str, Any] = {"use_combined_action": True}
    assert make_spec("Deathmatch-v1", force_speed=True, **options).action_space.n == 2268
    deltas = {"LOOK_UP_DOWN_DELTA": (3, -1, 1), "MOVE_LEFT_RIGHT_DELTA": (0, 5, 5)}
    spec = make_spec("Deathmatch-v1", delta_button_config=deltas, **options)
    assert spec.action_space.n == 4536 * 3


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"reward_config": {"HELTH": (1, 1)}}, ValueError, "'HELTH'; did you mean 'HEALTH'"),
        ({"reward_config": {"HEALTH": 1}}, TypeError, "must be a list of 2 numbers, not 1"),
        ({"reward_config": {"HEALTH": (1, 2, 3)}}, ValueError, "it must be 2 numbers"),
        ({"reward_config": {"HEALTH": (1, "2")}}, TypeError, "must be a number, not '2'"),
        ({"reward_config": {"HEALTH": (1, float("nan"))}}, ValueError, "is nan"),
        ({"selected_weapon_reward_config": {12: 1}}, ValueError, "slot 12; did you mean 9"),
        ({"selected_weapon_reward_config": {"1": 1}}, TypeError, "a key must be an int, not '1'"),
        (
            {"delta_button_config": {"LOOK_DELTA": (3, -1, 1)}},
            ValueError,
            "no delta button 'LOOK_DELTA'; did you mean 'LOOK_UP_DOWN_DELTA'",
        ),
        ({"delta_button_config": {"ATTACK": (3, -1, 1)}}, ValueError, "no delta button 'ATTACK'"),
        (
            {"delta_button_config": {"LOOK_UP_DOWN_DELTA": (1.5, -1, 1)}},
            ValueError,
            "its count is 1.5; it must be an integer from 0 to 1000",
        ),
        (
            {
                "delta_button_config": {"LOOK_UP_DOWN_DELTA": (1000, -1, 1)},
                "use_combined_action": True,
            },
            ValueError,
            "more than 1000000 actions",
        ),
        ({"cfg_path": "no.cfg"}, ValueError, "cfg_path is 'no.cfg': there is no such file"),
        ({"wad_path": "no.wad"}, ValueError, "wad_path is 'no.wad': there is no such file"),
        ({"vzd_path": "no"}, ValueError, "vzd_path is 'no': there is no such file"),
        ({"iwad_path": "no"}, ValueError, "iwad_path is 'no': there is no such file"),
        ({"map_id": "map02"}, ValueError, "is 'map02': there is no such map"),
        ({"lmp_save_dir": "/no/folder"}, ValueError, "is '/no/folder': there is no such folder"),
        ({"stack_num": 0}, ValueError, "stack_num is 0"),
        ({"screen_resolution": "RES_320X241"}, ValueError, "did you mean RES_320X240"),
    ],
)
def test_errors_name_the_value_and_the_nearest(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        make_spec("Deathmatch-v1", **options)


def test_a_scenario_without_delta_buttons_says_so() -> None:
    with pytest.raises(ValueError, match="'TURN_LEFT_RIGHT_DELTA'; the scenario has no delta"):
        make_spec("Basic-v1", delta_button_config={"TURN_LEFT_RIGHT_DELTA": (3, -1, 1)})


@pytest.mark.parametrize("task_id", WITHOUT_FILES)
def test_tasks_without_files_say_what_they_need(task_id: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="this task needs cfg_path and wad_path: "):
        make_spec(task_id)
    file = tmp_path / "own.cfg"
    file.write_text("available_buttons = { ATTACK }\n")
    with pytest.raises(ValueError, match="this task needs wad_path, too: "):
        make_spec(task_id, cfg_path=str(file))
    wad = str(SCENARIOS / "basic.wad")
    spec = make_spec(task_id, cfg_path=str(file), wad_path=wad)
    assert spec.action_space.shape == (1,)
    file.write_text("doom_skill = 3\n")
    with pytest.raises(ValueError, match="a task needs available_buttons"):
        make_spec(task_id, cfg_path=str(file), wad_path=wad)


def test_files_of_the_user_replace_the_tasks() -> None:
    iwad = str(PACKAGE / "freedoom2")  # as EnvPool's users write it
    cfg = str(SCENARIOS / "take_cover.cfg")
    spec = make_spec("D1Basic-v1", cfg_path=cfg, iwad_path=iwad, game_args="+a 1 +b 2")
    assert spec.action_space.shape == (2,)
    assert spec.observation_space.shape == (12, 84, 84)  # not gray, as the task's own scenario


@pytest.mark.parametrize(
    ("task_id", "options"),
    [("Basic-v1", {}), ("SimplerBasic-v1", {"screen_resolution": "RES_160X120"})],
)
def test_render_shows_the_engines_screen(task_id: str, options: dict[str, Any]) -> None:
    theirs = Reference(task_id, 4, **options)
    with parallel_pool.make(task_id, num_envs=1, render_mode="rgb_array", **options) as env:
        env.reset(seed=4)
        theirs.reset()
        env.step(np.ones((1, 3)))
        theirs.step([1, 1, 1])
        screen = np.moveaxis(theirs.screen(), 0, -1)
        wanted = np.broadcast_to(screen, (*screen.shape[:2], 3))
        shown = np.asarray(env.render())
        np.testing.assert_array_equal(shown.reshape(wanted.shape), wanted)
        assert env.metadata["render_fps"] == 8
    theirs.close()


def test_the_shared_memory_has_the_screen() -> None:
    # Parity at an episode's end stands on this.
    theirs = Reference("Basic-v1", 4)
    theirs.reset()
    for _ in range(3):
        theirs.step([1, 0, 0])
        np.testing.assert_array_equal(theirs.shared_screen(), theirs.screen())
    theirs.close()


def test_demos_replay_the_episodes(tmp_path: pathlib.Path) -> None:
    frames: list[Any] = []
    action = np.array([[1.0, 0.0, 1.0]])
    options: dict[str, Any] = {"frame_skip": 1, "stack_num": 1, "max_episode_steps": 8}
    with (
        parallel_pool.make("Basic-v1", num_envs=1, seed=9, **options) as plain,
        parallel_pool.make(
            "Basic-v1", num_envs=1, seed=9, lmp_save_dir=str(tmp_path), **options
        ) as env,
    ):
        env.reset()
        plain.reset()
        for _ in range(8 + 1 + 5):
            obs = env.step(action)[0]
            np.testing.assert_array_equal(obs, plain.step(action)[0])  # recording changes nothing
            frames.append(obs[0])
    files = sorted(file.name for file in tmp_path.iterdir())
    assert files == ["env_0_0.lmp", "env_0_1.lmp"]
    assert replay(tmp_path / files[0])[:2] == ["MOVE_LEFT ATTACK"] * 2


def test_a_folder_of_demos_fits_into_a_command(tmp_path: pathlib.Path) -> None:
    long = tmp_path / ("x" * 120)
    quoted = tmp_path / 'a"b'
    for folder, words in [
        (long, "characters longer than the engine takes"),
        (quoted, "must not contain quotation marks"),
    ]:
        folder.mkdir()
        with pytest.raises(ValueError, match=words):
            make_spec("Basic-v1", lmp_save_dir=str(folder))
    with pytest.raises(ValueError, match="a match cannot be recorded"):
        make_spec("Cig-v1", lmp_save_dir=str(tmp_path))


def replay(demo: pathlib.Path) -> list[str]:
    """The buttons of each tic of a demo, as vizdoom replays it."""
    game = vizdoom.DoomGame()
    game.load_config(str(SCENARIOS / "basic.cfg"))
    game.set_window_visible(False)
    game.init()
    game.replay_episode(str(demo))
    pressed: list[str] = []
    while not game.is_episode_finished() and len(pressed) < 100:
        game.advance_action()
        last = game.get_last_action()
        names = [b.name for b in game.get_available_buttons()]
        pressed.append(" ".join(n for n, x in zip(names, last, strict=True) if x))
    game.close()
    return pressed
