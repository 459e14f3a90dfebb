"""Lost games, saved states, names of keys, errors and pictures, which nle has not."""

import pathlib
from typing import Any

import nle.nethack
import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.nethack.play_reference import code_of, key_of
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.testing.results import same

KEYS: dict[str, Any] = {"observation_keys": ["glyphs", "blstats", "tty_chars"]}
# Keys that make NetHack call abort() in its debug mode.
PANIC = ["#", "p", "a", "n", "i", "c", "^M", "y"]


def test_a_game_that_aborts_is_an_error_and_the_others_go_on() -> None:
    options = {"wizard": True, "allow_all_modes": True, "actions": [*PANIC, "s"], **KEYS}
    waits = len(PANIC)
    with (
        parallel_pool.make("NetHack-v0", num_envs=3, num_threads=2, **options) as pool,
        parallel_pool.make("NetHack-v0", num_envs=3, num_threads=1, **options) as calm,
    ):
        same(pool.reset(), calm.reset())
        with pytest.raises(parallel_pool.EnvError, match=r"env 1.*NetHack has called abort\(\)"):
            for key in range(20):
                pool.step(np.array([waits, min(key, waits - 1), waits]))
        result = pool.step(np.full(3, waits))  # env 1 begins again
        assert result[4]["elapsed_step"][1] == 0
        for _ in range(30):
            obs = pool.step(np.full(3, waits))[0]
        assert (obs["blstats"][:, 20] > 1).all()  # turns


def test_a_state_is_its_seeds_and_actions() -> None:
    with (
        parallel_pool.make("NetHackScore-v0", num_envs=3, num_threads=2, **KEYS) as pool,
        parallel_pool.make("NetHackScore-v0", num_envs=3, seed=900, **KEYS) as other,
    ):
        random = np.random.default_rng(1)
        pool.reset()
        other.reset()
        for _ in range(150):
            pool.step(random_actions(pool.spec, random, 3))
            other.step(random_actions(pool.spec, random, 3))
        states = pool.save()
        assert len(states) < 3000
        other.load(states)
        for _ in range(150):
            actions = random_actions(pool.spec, random, 3)
            same(pool.step(actions), other.step(actions))


def test_damaged_states_are_refused() -> None:
    with parallel_pool.make("NetHackScore-v0", num_envs=1, **KEYS) as pool:
        random = np.random.default_rng(2)
        pool.reset()
        for _ in range(30):
            pool.step(random_actions(pool.spec, random, 1))
        state = pool.save()
        for place in random.integers(len(state), size=40):
            damaged = bytearray(state)
            damaged[place] ^= 1 << random.integers(8)
            with pytest.raises(ValueError, match="state"):
                pool.load(bytes(damaged))
        pool.load(state)


def rows_of(pool: Any, steps: int) -> list[list[Any]]:
    """Each env's rows, by any order of batches; actions depend on env and step."""
    rows: list[list[Any]] = [[] for _ in range(pool.num_envs)]
    pool.async_reset()
    while min(map(len, rows)) < steps:
        obs, reward, terminated, truncated, info = pool.recv()
        ids = info["env_id"]
        for i, env in enumerate(ids):
            row = {name: array[i].copy() for name, array in obs.items()}
            rows[env].append((row, reward[i], terminated[i], truncated[i], None))
        actions = [np.random.default_rng([env, len(rows[env])]).integers(23) for env in ids]
        pool.send(np.array(actions), ids)
    return [own[:steps] for own in rows]


def test_threads_and_batches_change_nothing() -> None:
    with (
        parallel_pool.make("NetHackScore-v0", num_envs=6, num_threads=1, **KEYS) as pool,
        parallel_pool.make("NetHackScore-v0", num_envs=6, num_threads=3, batch_size=2, **KEYS) as b,
    ):
        same(rows_of(pool, 200), rows_of(b, 200))


def test_a_reset_may_choose_the_game() -> None:
    with parallel_pool.make("NetHackScore-v0", num_envs=4, **KEYS) as pool:
        first, _ = pool.reset(options={"core": 7, "disp": 8})
        assert all((first["tty_chars"] == first["tty_chars"][0]).ravel())
        second, _ = pool.reset()
        assert (second["tty_chars"] != second["tty_chars"][0]).any()
        again, _ = pool.reset(options={"core": 7, "disp": 8})
        np.testing.assert_array_equal(first["glyphs"], again["glyphs"])


def test_things_to_begin_with_need_the_debug_mode() -> None:
    items = {"wizkit_items": ["magic marker", "wand of wishing"]}
    options: dict[str, Any] = {"observation_keys": ["inv_strs"]}
    with parallel_pool.make("NetHack-v0", num_envs=1, wizard=True, **options) as pool:
        obs, _ = pool.reset(options=items)
        assert b"magic marker" in bytes(obs["inv_strs"])
        assert b"magic marker" not in bytes(pool.reset()[0]["inv_strs"])
    with (
        parallel_pool.make("NetHack-v0", num_envs=1, **options) as pool,
        pytest.raises(parallel_pool.EnvError, match="wizkit_items needs wizard=True"),
    ):
        pool.reset(options=items)


def test_keys_have_names_and_notations() -> None:
    spec = parallel_pool.make_spec("NetHack-v0", actions=["KICK", "k", "M-p", "north", "^V", " "])
    assert spec.action_meanings == (
        *("KICK (^D)", "NORTH (k)", "PRAY (M-p)", "NORTH (k)", "^V (^V)", "SPACE ( )"),
    )
    names = parallel_pool.make_spec("NetHackChallenge-v0").action_meanings or ()
    assert len(names) == len(set(names)) == 121


def test_keys_are_nles_enums_too() -> None:
    of_nle = nle.nethack.ACTIONS
    spec = parallel_pool.make_spec("NetHack-v0", actions=of_nle)
    meanings = spec.action_meanings or ()
    assert [code_of(key_of(name)) for name in meanings] == [int(key) for key in of_nle]
    mixed = (nle.nethack.CompassDirection.N, "KICK", 4, np.int64(0xF0), "4")
    spec = parallel_pool.make_spec("MiniHack-Room-5x5-v0", actions=mixed)
    assert spec.config["actions"] == ("k", "KICK", "^D", "M-p", "4")
    rows = {"actions": [of_nle[:2], [int(key) for key in of_nle[:2]]]}
    with parallel_pool.make("NetHack-v0", num_envs=2, per_env=rows) as pool:
        assert pool.config["actions"] == ("k", "l")


@pytest.mark.parametrize(
    ("task_id", "options", "message"),
    [
        ("NetHack-v0", {"actions": [107, 300]}, r"actions\[1\] is 300; the code of a key must be"),
        ("NetHack-v0", {"actions": [1.5]}, "must be a list of str or of the codes of keys, not"),
        ("NetHack-v0", {"observation_keys": [1]}, r"must be a list of str, not \[1\]"),
        ("NetHack-v0", {"actions": ["KIK"]}, "actions has 'KIK'; did you mean 'KICK'"),
        ("NetHack-v0", {"observation_keys": ["glyph"]}, "'glyph'; did you mean 'glyphs'"),
        ("NetHack-v0", {"observation_keys": []}, "observation_keys is \\[\\]"),
        ("NetHack-v0", {"character": "wix-hum"}, "character has 'wix'; did you mean 'wiz'"),
        ("NetHack-v0", {"penalty_mode": "linar"}, "penalty_mode"),
        ("NetHack-v0", {"obs_crop_h": 4}, "must be odd; one is 4"),
        ("NetHack-v0", {"clock": -1}, "clock"),
        ("NetHack-v0", {"engine_path": "/nowhere"}, "/nowhere/libnethack.so does not exist"),
        ("NetHackStair-v0", {}, "did you mean NetHackStaircase-v0"),
        ("MiniHack-Room-6x6-v0", {}, "did you mean MiniHack-Room-5x5-v0"),
        ("MiniHack-v0", {"des_file": "MAZE:what"}, "level.des: line 1"),
        ("MiniHack-v0", {"des_file": "romm.des"}, "'romm.des': there is no such file in"),
        ("MiniHack-v0", {"events": ["mesage\t1\tn\tx"]}, "kind 'mesage'; did you mean 'message'"),
        ("MiniHack-v0", {"events": ["point\t1\tn\tx\t2"]}, "a line without a number"),
        ("MiniHack-v0", {"events": ["place\t1"]}, "a line with 2 words"),
        ("MiniHack-v0", {"rules": "soko"}, "rules"),
        ("MiniHack-v0", {"minihack_path": "/nowhere"}, "/nowhere/lib/dungeon does not exist"),
        ("MiniHack-Skill-Custom-v0", {}, "needs des_file"),
        ("MiniHack-River-v0", {"n_monsters": 3}, "no option 'n_monsters'"),
    ],
)
def test_bad_options_are_named(task_id: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        parallel_pool.make_spec(task_id, **options)


def test_other_libraries_are_refused(tmp_path: pathlib.Path) -> None:
    whole = (pathlib.Path(nle.__path__[0]) / "libnethack.so").read_bytes()
    (tmp_path / "nethackdir").mkdir()
    (tmp_path / "nethackdir/nhdat").write_bytes(b"")
    file = tmp_path / "libnethack.so"
    cut = [whole[:size] for size in range(0, len(whole) * 9 // 10, len(whole) // 20)]
    renamed = whole.replace(b"nle_fill_fixed_tm", b"nle_fill_fixed_tn")
    for content in (*cut, b"no library" * 100, renamed):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"is not the library of the package nle 1\.3\.0"):
            parallel_pool.make_spec("NetHack-v0", engine_path=str(tmp_path))


def test_the_terminal_is_drawn() -> None:
    with parallel_pool.make(
        "NetHackScore-v0", num_envs=2, render_mode="ansi", observation_keys=["tty_chars"]
    ) as pool:
        obs, _ = pool.reset()
        for text, rows in zip(pool.render(), obs["tty_chars"], strict=True):
            lines = [bytes(row).decode().rstrip(" \0") for row in rows]
            assert text.split("\n") == lines
            assert "Agent the Candidate" in text
    with parallel_pool.make(
        "NetHackScore-v0",
        num_envs=2,
        render_mode="rgb_array",
        observation_keys=["tty_chars", "tty_cursor"],
    ) as pool:
        obs, _ = pool.reset()
        pictures = pool.render()
        assert pictures.shape == (2, 384, 640, 3)
        cells = pictures.reshape(2, 24, 16, 80, 8, 3).max((2, 4, 5))
        np.testing.assert_array_equal(cells > 0, ~np.isin(obs["tty_chars"], (0, ord(" "))))
        for picture, (row, column) in zip(pictures, obs["tty_cursor"], strict=True):
            assert picture[16 * int(row), 8 * int(column)].any()  # the cursor is inverted
