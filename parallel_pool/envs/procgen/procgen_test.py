"""Pictures, saved states, errors, and what the library costs those who do not play it."""

import struct
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.procgen.reference import GAMES, Reference
from parallel_pool.testing.form import by_form, some


@pytest.mark.parametrize("game", some(GAMES, 3))
def test_pictures_equal_and_do_not_change_the_game(game: str) -> None:
    theirs = Reference(game, 6, render_mode="rgb_array")
    with parallel_pool.make(f"procgen-{game}-v0", num_envs=1, seed=6, render_mode="rgb_array") as p:
        obs, _ = p.reset()
        for i in range(by_form(12, 200)):
            row = theirs.step(i % 15)
            obs, _, terminated, truncated, _ = p.step(np.array([i % 15]))
            if terminated[0] or truncated[0]:
                break
            np.testing.assert_array_equal(p.render()[0], row["rgb"])
            np.testing.assert_array_equal(obs[0], row["obs"])


@pytest.mark.parametrize("game", by_form(GAMES[1::3], GAMES))
def test_a_loaded_env_goes_on_as_the_saved_one(game: str) -> None:
    random = np.random.default_rng(3)
    with (
        parallel_pool.make(f"procgen-{game}-v0", num_envs=2, seed=8) as saved,
        parallel_pool.make(f"procgen-{game}-v0", num_envs=2, seed=99) as loaded,
    ):
        saved.reset()
        loaded.reset()
        for _ in range(by_form(2, 10)):
            for _ in range(60):
                saved.step(random.integers(15, size=2))
            loaded.load(saved.save())
            for _ in range(by_form(60, 400)):
                action = random.integers(15, size=2)
                ours, theirs = loaded.step(action), saved.step(action)
                for one, other in zip(ours[:4], theirs[:4], strict=True):
                    np.testing.assert_array_equal(one, other)


def _with_timeout(state: bytes, game: str, timeout: int) -> bytes:
    """A state of the library with another time limit."""
    place = 4 + 4 + len(game) + 12 * 4 + 5 * 4  # version, name, options, level numbers
    for _ in range(2):  # random numbers: whether they are seeded, and a text
        (size,) = struct.unpack_from("<i", state, place + 4)
        place += 8 + size
    place += 4 * 4  # reward, done, level_complete, action
    (old,) = struct.unpack_from("<i", state, place)
    assert old == 500
    return state[:place] + struct.pack("<i", timeout) + state[place + 4 :]


def test_the_last_observation_of_a_truncated_episode() -> None:
    theirs = Reference("maze", 1)
    with parallel_pool.make("procgen-maze-v0", num_envs=1, seed=1) as pool:
        pool.reset()
        for i in range(499):
            pool.step(np.array([i % 2]))
            theirs.step(i % 2)
        # The library does not show this row, unless the limit is another.
        (state,) = theirs.env.get_state()
        theirs.env.set_state([_with_timeout(state, "maze", 600)])
        row = theirs.step(5)
        obs, reward, terminated, truncated, info = pool.step(np.array([5]))
        assert not row["first"]
        assert (terminated[0], truncated[0]) == (False, True)
        np.testing.assert_array_equal(obs[0], row["obs"])
        assert info["level_seed"][0] == row["level_seed"]


def test_the_last_observation_of_a_lost_episode_is_of_its_level() -> None:
    with parallel_pool.make("procgen-bossfight-v0", num_envs=1, seed=1, paint_vel_info=True) as p:
        p.reset()
        while True:
            obs, _, terminated, _, info = p.step(np.array([4]))
            if terminated[0]:
                break
            before, level = obs, info["level_seed"][0]
        assert info["level_seed"][0] == level
        after, *_, info = p.step(np.array([4]))
        assert info["level_seed"][0] != level
        assert (obs == before).mean() > 0.5 > (obs == after).mean()


def test_generated_images_cannot_be_saved() -> None:
    with parallel_pool.make("procgen-maze-v0", num_envs=1, use_generated_assets=True) as pool:
        pool.reset()
        with pytest.raises(RuntimeError, match="use_generated_assets is true"):
            pool.save()
        pool.step(np.array([0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"distribution_mode": "extreme"},
            r"'extreme'; allowed for coinrun are 'easy' \(0\), 'har",
        ),
        ({"distribution_mode": 10}, r"distribution_mode is 10; allowed for coinrun are"),
        ({"num_levels": -1}, "num_levels"),
        ({"start_level": -1}, "start_level"),
        ({"num_levels": 2**31 - 1, "start_level": 1}, "their sum must be at most 2147483647"),
        ({"distribution_mode": "exploration", "num_levels": 5}, "it has one level"),
        ({"debug_mode": -1}, "debug_mode"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parallel_pool.make("procgen-coinrun-v0", num_envs=1, **options)


def test_a_damaged_state_does_not_reach_the_library() -> None:
    with parallel_pool.make("procgen-maze-v0", num_envs=1) as pool:
        pool.reset()
        state = bytearray(pool.save())
        state[len(state) // 2] ^= 1
        with pytest.raises(ValueError, match="damaged"):
            pool.load(bytes(state))
        pool.step(np.array([0]))


def test_other_families_do_not_load_the_library_and_none_loads_glib() -> None:
    code = (
        "import parallel_pool as p\n"
        "p.make('CartPole-v1', num_envs=1).reset(); p.make_spec('procgen-maze-v0')\n"
        "library = 'libparallel_pool_procgen'\n"
        "assert library not in open('/proc/self/maps').read()\n"
        "p.make('procgen-maze-v0', num_envs=1).reset()\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert library in maps and 'libglib' not in maps\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})
