"""All tasks equal nle 1.3.0 by ==: all arrays, rewards and ends, with every option."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.nethack.play_reference import code_of, key_of, play
from parallel_pool.envs.nethack.reference import TASKS, Reference, keys_of
from parallel_pool.testing.form import IS_LONG, by_form

ENVS = by_form(2, 4)
STEPS = by_form(400, 5000)
SEEDS = by_form(1, 5)  # of ENVS envs each
LIMIT = by_form(150, 1500)

ALL_ARRAYS = [*parallel_pool.make_spec("NetHack-v0").config["observation_keys"]]
ALL_ARRAYS += ["program_state", "internal", "misc"]
SEED_OF_LEVELS, NEW_MOON = 5, 947185200  # 6 January 2000, in the evening

# Each option at another value than its default.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("NetHack-v0", {"observation_keys": ALL_ARRAYS}),
    ("NetHack-v0", {"observation_keys": ["glyphs", "blstats"]}),
    ("NetHack-v0", {"observation_keys": ["inv_letters", "message"]}),
    ("NetHack-v0", {"character": "@"}),
    ("NetHack-v0", {"character": "wiz-elf-cha-fem"}),
    ("NetHack-v0", {"options": ["nobones", "nolegacy", "time", "color", "race:elf"]}),
    ("NetHack-v0", {"wizard": True}),
    ("NetHack-v0", {"allow_all_yn_questions": True}),
    ("NetHack-v0", {"allow_all_modes": True}),
    ("NetHack-v0", {"spawn_monsters": False}),
    ("NetHack-v0", {"lgen": SEED_OF_LEVELS}),
    ("NetHack-v0", {"clock": NEW_MOON}),
    ("NetHackScore-v0", {"penalty_mode": "always", "penalty_step": -0.3}),
    ("NetHackScore-v0", {"penalty_mode": "exp", "penalty_step": -1e-9, "penalty_time": -0.1}),
    ("NetHackEat-v0", {"penalty_mode": "square", "penalty_time": 0.7}),
    ("NetHackGold-v0", {"penalty_mode": "linear"}),
    ("NetHackScout-v0", {"penalty_mode": "constant", "penalty_time": 0.2}),
    ("NetHackChallenge-v0", {"no_progress_timeout": 40}),
]


@pytest.mark.parametrize("task_id", TASKS)
def test_equals_nle(task_id: str) -> None:
    counts = [play(task_id, 100 * seed, STEPS, envs=ENVS, limit=LIMIT) for seed in range(SEEDS)]
    assert sum(count["truncated"] + count["terminated"] for count in counts) > 0


@pytest.mark.parametrize(("task_id", "options"), OPTIONS)
def test_equals_nle_with_options(task_id: str, options: dict[str, Any]) -> None:
    play(task_id, 7, STEPS, envs=ENVS, limit=LIMIT, **options)


class Traveler:
    """Travels to stairs that it sees and waits there, else runs about."""

    def __init__(self) -> None:
        self._typed = [""] * ENVS
        self._env = 0

    def __call__(self, random: np.random.Generator, names: Sequence[str]) -> int:
        """The next key of the next env."""
        self._env = (self._env + 1) % ENVS
        if not self._typed[self._env]:
            travels = random.random() < 0.3
            self._typed[self._env] = "_>.ss" if travels else random.choice(list("HJKL"))
        key, self._typed[self._env] = self._typed[self._env][0], self._typed[self._env][1:]
        return [key_of(name) for name in names].index(key)


@pytest.mark.parametrize("task_id", ["NetHackStaircase-v0", "NetHackStaircasePet-v0"])
def test_a_task_that_is_reached_ends_the_episode(task_id: str) -> None:
    counts = play(
        task_id, 6, STEPS, envs=ENVS, limit=LIMIT, policy=Traveler(), actions=list("_>.HJKLs")
    )
    assert counts["success"] > 0


@pytest.mark.parametrize("task_id", TASKS)
def test_spaces_and_keys_are_those_of_nle(task_id: str) -> None:
    spec = parallel_pool.make_spec(task_id)
    with Reference([{"task_id": task_id, "seed": 0, "limit": 10}]) as reference:
        assert spec.observation_space == reference.observation_space
    keys = [code_of(key_of(name)) for name in spec.action_meanings or ()]
    assert keys == keys_of(task_id)


@pytest.mark.skipif(not IS_LONG, reason="the long form: 200,000 steps")
def test_whole_games_of_the_challenge() -> None:
    play("NetHackChallenge-v0", 1, 50000, envs=4, observation_keys=["glyphs", "tty_chars"])
