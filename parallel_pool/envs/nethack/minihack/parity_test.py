"""All names of MiniHack equal minihack 1.0.2 by ==: all arrays, rewards and ends."""

from typing import Any

import numpy as np
import pytest

from parallel_pool.envs.nethack.names import NAMES
from parallel_pool.envs.nethack.play_reference import key_of, play
from parallel_pool.testing.form import by_form

STEPS = by_form(100, 2000)
SEEDS = by_form(1, 5)
_TOGETHER = 12  # tasks that the reference plays in one process

TASKS = [name for name in NAMES if "Custom" not in name]
GROUPS = [TASKS[i::_TOGETHER] for i in range(_TOGETHER)]

# A level of one's own, with events.
LEVEL = """
MAZE: "mylevel", ' '
FLAGS: hardfloor
INIT_MAP: solidfill, ' '
GEOMETRY: center, center
MAP
|-------|
|.......|
|...{...|
|.......|
|-------|
ENDMAP
REGION: (0,0,8,4), lit, "ordinary"
BRANCH: (1,1,2,2), (0,0,0,0)
STAIR: (7,3), down
"""
ARRAYS = ["tty_chars_crop", "tty_colors_crop", "chars_crop", "tty_cursor", "inv_strs"]
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("MiniHack-Skill-Custom-v0", {"des_file": LEVEL, "pet": True}),
    ("MiniHack-Skill-Custom-v0", {"des_file": "mazewalk.des", "include_see_actions": False}),
    ("MiniHack-Navigation-Custom-v0", {"des_file": LEVEL, "reward_win": 5, "reward_lose": -2}),
    ("MiniHack-Room-Ultimate-15x15-v0", {"obs_crop_h": 5, "obs_crop_w": 5, "obs_crop_pad": 7}),
    ("MiniHack-Room-Dark-5x5-v0", {"autopickup": False, "character": "wiz-elf-cha-fem"}),
    ("MiniHack-Room-Monster-5x5-v0", {"penalty_mode": "linear", "penalty_time": 0.01}),
    ("MiniHack-Corridor-R5-v0", {"observation_keys": ARRAYS}),
    ("MiniHack-River-v0", {"lgen": 3}),
    ("MiniHack-River-Narrow-v0", {"n_monster": 3}),
    ("MiniHack-Sokoban2a-v1", {"penalty_time": -0.5, "reward_shaping_coefficient": 2.0}),
]
# Keys with which agents that play at random meet the events of a task.
EVENTS = {
    "MiniHack-Eat-Fixed-v0": "e h j k l y u b n",
    "MiniHack-ExploreMaze-Easy-v0": "e h j k l y u b n",
    "MiniHack-KeyRoom-Fixed-S5-v0": ", a h j k l y u b n",
    "MiniHack-Memento-Short-F2-v0": "h j k l y u b n",
    "MiniHack-Pray-Fixed-v0": "M-p y y h j k l u b n",
    "MiniHack-Sink-Fixed-v0": "q y h j k l u b n",
    "MiniHack-Sokoban3b-v1": "h j k l y u b n",
    "MiniHack-WoD-Easy-Restricted-v0": "z f l h",
}


@pytest.mark.parametrize("group", range(_TOGETHER))
def test_equals_minihack(group: int) -> None:
    counts = [play(GROUPS[group], 10 * seed, STEPS) for seed in range(SEEDS)]
    assert sum(count["terminated"] + count["truncated"] for count in counts) > 0


@pytest.mark.parametrize(("task_id", "options"), OPTIONS)
def test_equals_minihack_with_options(task_id: str, options: dict[str, Any]) -> None:
    play(task_id, 3, 2 * STEPS, **options)


@pytest.mark.parametrize("task_id", EVENTS)
def test_events_are_rewarded(task_id: str) -> None:
    keys = EVENTS[task_id].split()

    def policy(random: np.random.Generator, names: Any) -> int:
        return [key_of(name) for name in names].index(str(random.choice(keys)))

    assert play(task_id, 0, by_form(300, 3000), envs=16, policy=policy)["positive"] > 0
