"""All tasks equal nle 1.3.0 by ==: all arrays, rewards and ends, with every option."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.nethack.reference import PLAIN_DAY, TASKS, Reference, keys_of
from parallel_pool.testing.form import by_form
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same

ENVS = by_form(2, 4)
STEPS = by_form(400, 5000)
SEEDS = by_form(1, 5)  # of ENVS envs each
LIMIT = by_form(150, 1500)

Policy = Callable[[np.random.Generator, list[str]], int]

ALL_ARRAYS = [*parallel_pool.make_spec("NetHack-v0").config["observation_keys"]]
ALL_ARRAYS += ["program_state", "internal", "misc"]
SEED_OF_LEVELS, NEW_MOON = 5, 947185200  # 6 January 2000, in the evening

# Each option at another value than its default.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("NetHack-v0", {"observation_keys": ALL_ARRAYS}),
    ("NetHack-v0", {"observation_keys": ["glyphs", "blstats"]}),
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


def play(task_id: str, seed: int, policy: Policy, **options: Any) -> dict[str, int]:
    """Plays a pool and nle with the same actions; returns how often episodes ended, by kind."""
    same = Same(f"{task_id} {options}", seed)
    random = np.random.default_rng(seed)
    own = dict(options)
    clock = own.pop("clock", PLAIN_DAY)
    if "actions" in own:
        own["actions"] = [code_of(key) for key in own["actions"]]
    ends = {"terminated": 0, "truncated": 0, "success": 0}
    with parallel_pool.make(
        task_id,
        num_envs=ENVS,
        num_threads=2,
        seed=seed,
        max_episode_steps=LIMIT,
        reward_dtype="float64",
        **options,
    ) as pool:
        kwargs = [{"task_id": task_id, "seed": seed + i, "limit": LIMIT} for i in range(ENVS)]
        reference = Reference([env | own for env in kwargs], clock)
        names = list(pool.spec.action_meanings or ())
        obs, info = pool.reset()
        ours = obs, *np.zeros((3, ENVS)), info
        equal(same, ours, reference.first)
        for same.step in range(1, STEPS + 1):
            action = np.array([policy(random, names) for _ in range(ENVS)])
            ours = pool.step(action)
            equal(same, ours, reference.step(action))
            ends["terminated"] += int(ours[2].sum())
            ends["truncated"] += int(ours[3].sum())
            ends["success"] += int((ours[2] & (ours[4]["end_status"] == 2)).sum())
        reference.close()
    played(task_id, seed, STEPS, ENVS)
    return ends


def equal(same: Same, ours: Any, theirs: list[Any]) -> None:
    """Asserts that all envs have equal results."""
    obs, reward, terminated, truncated, info = ours
    assert obs.keys() == theirs[0][0].keys()
    for name, rows in obs.items():
        wanted = np.stack([result[0][name] for result in theirs])
        assert rows.dtype == wanted.dtype, f"{same}: {name} is of {rows.dtype}, not {wanted.dtype}"
        same.rows(name, rows, wanted)
    same.rows("reward", reward, [result[1] for result in theirs])
    same.rows("terminated", terminated, [result[2] for result in theirs])
    same.rows("truncated", truncated, [result[3] for result in theirs])
    for name in ("end_status", "is_ascended"):
        same.rows(name, info[name], [int(result[4][name]) for result in theirs])


def code_of(key: str) -> int:
    """The code of a key in NetHack's notation."""
    if key.startswith("M-"):
        return 0x80 | ord(key[2])
    return ord(key[1]) & 0x1F if len(key) == 2 else ord(key)


def any_key(random: np.random.Generator, names: list[str]) -> int:
    """Any action."""
    return int(random.integers(len(names)))


@pytest.mark.parametrize("task_id", TASKS)
def test_equals_nle(task_id: str) -> None:
    ends = [play(task_id, 100 * seed, any_key) for seed in range(SEEDS)]
    assert sum(end["truncated"] + end["terminated"] for end in ends) > 0


@pytest.mark.parametrize(("task_id", "options"), OPTIONS)
def test_equals_nle_with_options(task_id: str, options: dict[str, Any]) -> None:
    play(task_id, 7, any_key, **options)


class Traveler:
    """Travels to stairs that it sees and waits there, else runs about."""

    def __init__(self) -> None:
        self._typed = {env: "" for env in range(ENVS)}
        self._env = 0

    def __call__(self, random: np.random.Generator, names: list[str]) -> int:
        """The next key of the next env."""
        self._env = (self._env + 1) % ENVS
        if not self._typed[self._env]:
            self._typed[self._env] = (
                "_>.ss" if random.random() < 0.3 else random.choice(list("HJKL"))
            )
        key, self._typed[self._env] = self._typed[self._env][0], self._typed[self._env][1:]
        return next(i for i, name in enumerate(names) if name.endswith(f"({key})"))


@pytest.mark.parametrize("task_id", ["NetHackStaircase-v0", "NetHackStaircasePet-v0"])
def test_a_task_that_is_reached_ends_the_episode(task_id: str) -> None:
    actions = list("_>.HJKLs")
    assert play(task_id, 6, Traveler(), actions=actions)["success"] > 0


@pytest.mark.parametrize("task_id", TASKS)
def test_spaces_are_those_of_nle(task_id: str) -> None:
    spec = parallel_pool.make_spec(task_id)
    kwargs = [{"task_id": task_id, "seed": 0, "limit": None}]
    reference = Reference(kwargs)
    obs = reference.first[0][0]
    reference.close()
    assert set(obs) == set(spec.config["observation_keys"])
    names = spec.action_meanings or ()
    keys = [name[name.index("(") + 1 : -1] for name in names]
    assert [code_of(key) for key in keys] == keys_of(task_id)
