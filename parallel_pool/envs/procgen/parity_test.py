"""All rows equal those of Procgen's own library, by ==."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.procgen.reference import GAMES, Reference
from parallel_pool.testing.form import by_form, some
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same

SEEDS = by_form((5,), (0, 42, 1234567))
STEPS = by_form(150, 3000)
NUM_ENVS = 3

INFOS = ("level_seed", "prev_level_seed", "prev_level_complete")
# Each option at another value, and the modes that few games have.
OPTIONS: list[dict[str, Any]] = [
    {"num_levels": 3, "start_level": 17},
    {"num_levels": 5, "use_sequential_levels": True},
    {"center_agent": False},
    {"use_backgrounds": False},
    {"use_monochrome_assets": True},
    {"restrict_themes": True},
    {"use_generated_assets": True},
    {"paint_vel_info": True},
    {"debug_mode": 1},
]
MODES = {
    "extreme": ["chaser", "dodgeball", "leaper", "starpilot"],
    "memory": ["caveflyer", "dodgeball", "heist", "jumper", "maze", "miner"],
    "exploration": [
        "coinrun",
        "caveflyer",
        "leaper",
        "jumper",
        "maze",
        "heist",
        "climber",
        "ninja",
    ],
}
# Per env: how many rows were compared, and how many episodes ended by each flag.
Count = dict[str, int]


def compare(game: str, seed: int, steps: int, **options: Any) -> Count:
    """Plays the same actions; every row that both have is equal."""
    theirs = [Reference(game, seed + i, **options) for i in range(NUM_ENVS)]
    count = {"rows": 0, "terminated": 0, "truncated": 0, "completed": 0}
    random = np.random.default_rng(seed)
    same = Same(f"procgen-{game}-v0 {options}", seed)
    with parallel_pool.make(
        f"procgen-{game}-v0", num_envs=NUM_ENVS, seed=seed, num_threads=1, **options
    ) as pool:
        obs, info = pool.reset()
        ended = np.zeros(NUM_ENVS, bool)
        for same.step in range(steps + 1):
            if same.step > 0:
                action = random.integers(15, size=NUM_ENVS)
                # Moves to the right complete levels that random moves do not.
                action[random.random(NUM_ENVS) < 0.5] = 7
                obs, reward, terminated, truncated, info = pool.step(action)
            for i, env in enumerate(theirs):
                if same.step == 0 or ended[i]:  # the row of a reset
                    row = env.row()
                    ended[i] = False
                else:
                    row = env.step(int(action[i]))
                    ended[i] = terminated[i] or truncated[i]
                    same.row("reward", reward[i], row["reward"], i)
                    same.row("end", ended[i], row["first"], i)
                    for name in INFOS[1:]:
                        same.row(name, info[name][i], row[name], i)
                    count["terminated"] += bool(terminated[i])
                    count["truncated"] += bool(truncated[i])
                    count["completed"] += bool(row["prev_level_complete"])
                if not ended[i]:  # theirs is the first row of the next episode
                    same.row("obs", obs[i], row["obs"], i)
                    for name in INFOS:
                        same.row(name, info[name][i], row[name], i)
                    count["rows"] += 1
    for env in theirs:
        env.env.close()
    played(f"procgen-{game}-v0", seed, steps, NUM_ENVS)
    return count


@pytest.mark.parametrize("mode", ["easy", "hard"])
@pytest.mark.parametrize("game", GAMES)
def test_rows_equal(game: str, mode: str) -> None:
    for seed in SEEDS:
        count = compare(game, seed, STEPS, distribution_mode=mode)
        assert count["rows"] > STEPS


@pytest.mark.parametrize(("mode", "game"), [(m, g) for m, games in MODES.items() for g in games])
def test_modes_equal(game: str, mode: str) -> None:
    compare(game, 3, by_form(80, 2000), distribution_mode=mode)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: next(iter(o)))
@pytest.mark.parametrize("game", GAMES)
def test_options_equal(game: str, options: dict[str, Any]) -> None:
    compare(game, 11, by_form(40, 1500), distribution_mode="easy", **options)


def test_episodes_end_in_each_way() -> None:
    count = compare("leaper", 2, 1200, distribution_mode="easy")
    assert count["terminated"] > 0
    assert compare("maze", 2, 1100, distribution_mode="hard")["truncated"] > 0
    assert compare("coinrun", 2, 500, distribution_mode="easy")["completed"] > 0


def test_sequential_levels_follow_each_other_in_one_episode() -> None:
    count = compare("coinrun", 2, 500, distribution_mode="easy", use_sequential_levels=True)
    assert count["completed"] > 0
    assert count["completed"] > count["terminated"] - count["completed"]


def test_a_reset_within_an_episode_equals_action_minus_1() -> None:
    theirs = Reference("coinrun", 9)
    with parallel_pool.make("procgen-coinrun-v0", num_envs=1, seed=9) as pool:
        obs, _ = pool.reset()
        for i in range(40):
            if i % 7 == 6:
                obs, _ = pool.reset()
                row = theirs.step(-1)
            else:
                obs, *_ = pool.step(np.array([i % 9]))
                row = theirs.step(i % 9)
            np.testing.assert_array_equal(row["obs"], obs[0])


def test_a_reset_may_complete_a_level_that_goes_on_by_itself() -> None:
    theirs = Reference("coinrun", 2, distribution_mode="easy", use_sequential_levels=True)
    options: dict[str, Any] = {"distribution_mode": "easy", "use_sequential_levels": True}
    completed = 0
    with parallel_pool.make("procgen-coinrun-v0", num_envs=1, seed=2, **options) as pool:
        pool.reset()
        for i in range(500):
            action = 7 if i % 5 else 8  # runs and jumps to the right
            _, _, terminated, truncated, _ = pool.step(np.array([action]))
            theirs.step(action)
            if terminated[0] or truncated[0]:
                pool.step(np.array([0]))
                continue
            state, (their_state,) = pool.save(), theirs.env.get_state()
            obs, info = pool.reset()
            row = theirs.step(-1)
            np.testing.assert_array_equal(row["obs"], obs[0])
            assert [row[name] for name in INFOS] == [info[name][0] for name in INFOS]
            completed += row["prev_level_complete"]
            pool.load(state)
            theirs.env.set_state([their_state])
    assert completed > 0


def test_a_new_seed_begins_anew() -> None:
    with parallel_pool.make("procgen-heist-v0", num_envs=1, seed=1) as pool:
        pool.reset()
        for _ in range(5):
            pool.step(np.array([7]))
        obs, _ = pool.reset(seed=23)
        np.testing.assert_array_equal(obs[0], Reference("heist", 23).row()["obs"])


@pytest.mark.parametrize("game", some(GAMES, 5))
def test_envpools_ids_are_the_same_games(game: str) -> None:
    with (
        parallel_pool.make(f"{game.capitalize()}Easy-v0", num_envs=2, seed=4) as first,
        parallel_pool.make(f"procgen-{game}-v0", num_envs=2, seed=4, distribution_mode=0) as last,
    ):
        obs, _ = first.reset()
        other, _ = last.reset()
        assert obs.shape == (2, 3, 64, 64)
        for i in range(20):
            np.testing.assert_array_equal(obs, other.transpose(0, 3, 1, 2))
            obs, *_ = first.step(np.full(2, i % 15))
            other, *_ = last.step(np.full(2, i % 15))
