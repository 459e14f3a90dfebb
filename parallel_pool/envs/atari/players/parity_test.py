"""All tasks for several players equal PettingZoo 1.27 by ==: screens, RAM, rewards, lives, ends."""

from typing import Any

import numpy as np
import pytest

from parallel_pool.envs.atari.players.reference import TASKS, Reference
from parallel_pool.testing.form import by_form, some
from parallel_pool.testing.side_by_side import SideBySide

ENVS = 2

# Each option at another value than its default, and each mode of the games that have some.
PONGS = ("two_paddles", "soccer", "foozpong", "hockey", "handball", "volleyball", "basketball")
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("boxing-v2", {"obs_type": "grayscale_image"}),
    ("joust-v3", {"obs_type": "ram"}),
    ("pong-v3", {"full_action_space": True}),
    ("maze_craze-v3", {"frame_skip": 4, "stack_num": 4, "obs_type": "grayscale_image"}),
    ("wizard_of_wor-v3", {"frame_skip": 3, "stack_num": 2, "reward_clip": True}),
    ("boxing-v2", {"frame_skip": 4, "img_height": 84, "img_width": 84, "reward_clip": True}),
    ("combat_tank-v2", {"img_height": 100, "use_inter_area_resize": False}),
    (
        "warlords-v3",
        {
            "obs_type": "grayscale_image",
            "frame_skip": 4,
            "stack_num": 4,
            "img_height": 84,
            "img_width": 84,
            "agent_indicator": True,
        },
    ),
    ("tennis-v3", {"obs_type": "ram", "stack_num": 3, "agent_indicator": True}),
    ("pong-v3", {"agent_indicator": True}),
    ("pong-v3", {"repeat_action_probability": 0.25}),
    ("joust-v3", {"repeat_action_probability": 0.5, "frame_skip": 4}),
    ("surround-v2", {"max_episode_steps": 50}),
    ("basketball_pong-v3", {"num_players": 4}),
    ("foozpong-v3", {"num_players": 2}),
    ("volleyball_pong-v3", {"num_players": 2}),
    *(("pong-v3", {"game_version": name, "num_players": n}) for name in PONGS for n in (2, 4)),
    ("pong-v3", {"num_players": 4}),
    ("pong-v3", {"game_version": "quadrapong", "num_players": 4}),
    *(
        ("combat_plane-v2", {"game_version": name, "guided_missile": guided})
        for name in ("bi-plane", "jet")
        for guided in (False, True)
    ),
    *(
        ("combat_tank-v2", {"has_maze": a, "is_invisible": b, "billiard_hit": c})
        for a in (False, True)
        for b in (False, True)
        for c in (False, True)
    ),
    *(
        ("maze_craze-v3", {"game_version": name, "visibilty_level": level})
        for name in ("robbers", "race", "capture")
        for level in range(4)
    ),
    *(
        ("space_invaders-v2", {name: name != "moving_shields"})
        for name in (
            "alternating_control",
            "moving_shields",
            "zigzaging_bombs",
            "fast_bomb",
            "invisible_invaders",
        )
    ),
]


def play(task_id: str, steps: int, seed: int, **options: Any) -> int:
    """Plays a pool and PettingZoo with actions that are held; the number of episodes that ended."""
    random = np.random.default_rng(seed)
    envs = [Reference(task_id, **options) for _ in range(ENVS)]
    with SideBySide(task_id, seed, envs, **options) as both:
        n = both.pool.spec.action_space.n
        held = random.integers(n, size=(ENVS, 4))
        for _ in range(steps):
            # An action is held for ten steps on average: players get about.
            held = np.where(
                random.random(held.shape) < 0.1, random.integers(n, size=held.shape), held
            )
            info = both.ours[-1]["players"]
            both.step(
                [held[i][info["agent"][info["env_id"] == i]].astype(np.int32) for i in range(ENVS)]
            )
    return both.episodes


@pytest.mark.parametrize("task_id", TASKS)
def test_equals_pettingzoo(task_id: str) -> None:
    play(task_id, by_form(200, 15000), seed=7)


@pytest.mark.parametrize(
    "task_id", ["maze_craze-v3", "wizard_of_wor-v3", *by_form([], ["joust-v3", "warlords-v3"])]
)
def test_players_leave_and_episodes_end(task_id: str) -> None:
    assert play(task_id, by_form(900, 15000), seed=1, frame_skip=4, obs_type="ram") > 0


@pytest.mark.parametrize(("task_id", "options"), some(OPTIONS, 4))
def test_options_equal_pettingzoo(task_id: str, options: dict[str, Any]) -> None:
    play(task_id, by_form(100, 1000), seed=3, **options)


@pytest.mark.parametrize("seed", [2**31 + 77, 2**32 + 9])
def test_the_seed_has_32_bits(seed: int) -> None:
    play("ice_hockey-v2", 20, seed)
