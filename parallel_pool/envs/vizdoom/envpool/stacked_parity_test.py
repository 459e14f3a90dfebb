"""EnvPool's tasks equal their reference on vizdoom.DoomGame, array for array, by ==."""

import pathlib
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.vizdoom.envpool.stacked_reference import SCENARIOS, Reference
from parallel_pool.envs.vizdoom.reference import STACKED_TASKS
from parallel_pool.testing.form import by_form
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same
from parallel_pool.testing.side_by_side import compare as compare_rows

NUM_ENVS = by_form(1, 2)


def actions(space: gymnasium.Space[Any], random: np.random.Generator, rows: int) -> Any:
    """Random actions; turns are at most some degrees."""
    if isinstance(space, gymnasium.spaces.Discrete):
        return random.integers(space.n, size=rows)
    assert isinstance(space, gymnasium.spaces.Box)
    is_delta = space.low < 0
    pressed = random.integers(2, size=(rows, *space.shape))
    return np.where(is_delta, random.normal(0, 3, pressed.shape), pressed)


def compare(
    task_id: str,
    seed: int,
    steps: int,
    limit: int = 525,
    press: list[float] | None = None,
    **options: Any,
) -> tuple[int, int, float]:
    """Compares a reset, `steps` steps and the resets in them; the actions are random or `press`.

    Returns the number of terminations and of truncations, and the sum of absolute rewards.
    """
    own = {k: v for k, v in options.items() if k != "use_combined_action"}
    theirs = [Reference(task_id, seed + i, **own) for i in range(NUM_ENVS)]
    random, ended = np.random.default_rng(seed), np.zeros(NUM_ENVS, bool)
    terminations = truncations = 0
    total = 0.0
    same = Same(f"{task_id} {options}", seed)
    with parallel_pool.make(
        task_id,
        num_envs=NUM_ENVS,
        seed=seed,
        num_threads=2,
        reward_dtype="float64",
        max_episode_steps=limit,
        **options,
    ) as ours:
        compare_rows(same, ours.reset(), [env.reset() for env in theirs])
        elapsed = np.zeros(NUM_ENVS, int)
        lost_life = np.zeros(NUM_ENVS, bool)
        for same.step in range(1, steps + 1):
            action = actions(ours.single_action_space, random, NUM_ENVS)
            action = action if press is None else np.array([press] * NUM_ENVS)
            result: Any = ours.step(action)
            _, reward, terminated, truncated, info = result
            elapsed = np.where(ended, info["elapsed_step"], elapsed + 1)
            wanted: list[Any] = []
            for i, env in enumerate(theirs):
                if ended[i]:
                    obs, infos = env.reset(lost_life[i])
                    wanted.append((obs, 0.0, False, False, infos))
                else:
                    obs, gain, is_over, is_late, infos = env.step(action[i])
                    is_late = is_late or elapsed[i] >= limit
                    wanted.append((obs, gain, is_over, is_late, infos))
            compare_rows(same, result, wanted)
            total += float(abs(reward[~ended]).sum())
            ended, lost_life = terminated | truncated, terminated & ~truncated
            terminations += int(terminated.sum())
            truncations += int(truncated.sum())
    for env in theirs:
        env.close()
    played(task_id, seed, steps, NUM_ENVS)
    return terminations, truncations, total


@pytest.mark.parametrize("task_id", STACKED_TASKS)
@pytest.mark.parametrize("frame_skip", by_form([4], [1, 4]))
def test_equals_vizdoom(task_id: str, frame_skip: int) -> None:
    compare(task_id, 42, by_form(12, 1200), frame_skip=frame_skip)


@pytest.mark.parametrize("task_id", by_form(["DefendTheCenter-v1"], STACKED_TASKS))
def test_combined_actions_equal_vizdooms(task_id: str) -> None:
    compare(task_id, 7, by_form(20, 400), use_combined_action=True)


def test_deaths_and_limits_equal_vizdooms() -> None:
    steps = by_form(160, 1500)
    assert compare("DeadlyCorridor-v1", 3, steps)[0] >= 1
    assert compare("SimplerBasic-v1", 3, by_form(30, 300), frame_skip=1, limit=13)[1] >= 2


def test_lost_lives_equal_vizdooms() -> None:
    # In a match, the player lives again after a death, in the same world.
    options: dict[str, Any] = {"episodic_life": True, "frame_skip": 6}
    options["game_args"] = "-host 1 +sv_forcerespawn 1 +viz_respawn_delay 0"
    terminations, _, _ = compare("DefendTheCenter-v1", 3, by_form(180, 1500), **options)
    assert terminations >= 2


def test_the_most_hits_and_damage_of_a_step_equal_vizdooms() -> None:
    # 31 hits in the first step: 5 count. 305 units of damage: 200 count.
    gains = {"HITCOUNT": (1, 0), "DAMAGECOUNT": (1, 0)}
    options: dict[str, Any] = {"doom_skill": 1, "frame_skip": 1000, "reward_config": gains}
    press = [0.0, 0.0, 1.0]
    _, _, total = compare("DefendTheLine-v1", 0, 1, press=press, **options)
    assert total >= 205


def test_episodes_of_a_match_equal_vizdooms() -> None:
    assert compare("Cig-v1", 3, by_form(14, 300), limit=5)[1] >= 2


def test_the_end_of_a_map_keeps_its_reward_and_picture() -> None:
    # A player that shoots all the time while moving hits the monster, which ends the map.
    terminations, _, total = compare("Basic-v1", 1, by_form(120, 1000))
    assert terminations >= 1
    assert total >= 1  # the kill


REWARDS = {"HEALTH": (2, 7), "AMMO2": (3, 5), "AMMO4": (1, 2), "KILLCOUNT": (100, 0)}
DELTAS = {"TURN_LEFT_RIGHT_DELTA": (5, -20, 20), "LOOK_UP_DOWN_DELTA": (1, -3, 3)}


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("DeadlyCorridor-v1", {"reward_config": REWARDS, "img_height": 60, "img_width": 80}),
        ("DeadlyCorridor-v1", {"selected_weapon_reward_config": {2: 0.25}, "weapon_duration": 3}),
        ("DefendTheLine-v1", {"use_inter_area_resize": False, "stack_num": 1, "frame_skip": 3}),
        ("D1Basic-v1", {"screen_resolution": "RES_160X120", "stack_num": 2, "episode_timeout": 30}),
        ("Deathmatch-v1", {"use_combined_action": True, "delta_button_config": DELTAS}),
        ("Deathmatch-v1", {"use_combined_action": True, "force_speed": True}),
        ("Deathmatch-v1", {"doom_skill": 5, "render_hud": True, "episodic_life": True}),
        ("RocketBasic-v1", {"game_args": "+sv_gravity 100", "frame_skip": 2}),
        ("MultiDuel-v1", {"game_args": "-host 1 -deathmatch +sv_gravity 100", "map_id": "MAP01"}),
    ],
)
def test_options_equal_vizdooms(task_id: str, options: dict[str, Any]) -> None:
    compare(task_id, 5, by_form(12, 300), **options)


def test_a_scenario_of_ones_own_equals_vizdooms(tmp_path: pathlib.Path) -> None:
    config = tmp_path / "own.cfg"
    config.write_text(
        "doom_skill = 4\nscreen_format = GRAY8\nrender_hud = true\nepisode_start_time = 20\n"
        "available_buttons = { TURN_LEFT TURN_RIGHT TURN_LEFT_RIGHT_DELTA SPEED ATTACK }\n"
        "available_game_variables = { POSITION_X WEAPON2 }\nmode = SPECTATOR\n"
    )
    wad = str(SCENARIOS / "defend_the_center.wad")
    gains: dict[str, Any] = {"reward_config": {"POSITION_X": (1, -1), "WEAPON2": (9, 9)}}
    _, _, total = compare(
        "VizdoomCustom-v1", 2, by_form(20, 300), cfg_path=str(config), wad_path=wad, **gains
    )
    assert total > 0
