"""Runs that differ, by nothing, by a last bit, and by more."""

import pathlib
import re
from typing import Any

import numpy as np
import pytest

from parallel_pool.python.check import expected_results
from parallel_pool.python.check.expected_results import ExpectedResults, Group, Run, compare_runs


@pytest.fixture(name="run")
def a_run() -> Run:
    return expected_results.play("CartPole-v1", {"render_mode": "rgb_array"})


def test_a_play_equals_another(run: Run) -> None:
    again = expected_results.play("CartPole-v1", {"render_mode": "rgb_array"})
    assert compare_runs(again, run) == ("", 0.0)
    assert run.shape == (2, 17)
    assert {"obs", "reward", "terminated", "picture (CRC-32)"} < set(run.dtype.names or ())


def test_a_last_bit_is_no_difference(run: Run) -> None:
    other = run.copy()
    largest = np.abs(run["obs"]).max()
    assert largest > 1
    other["obs"][1, 3, 2] += 3 * np.spacing(largest)
    assert compare_runs(other, run) == ("", 3.0)
    picture = "picture (CRC-32)"
    other[picture][1, 3:] ^= 1  # drawn of these numbers
    assert compare_runs(other, run) == ("", 3.0)
    other[picture][0, 5] ^= 1
    assert compare_runs(other, run)[0].startswith(f"step 5: {picture} of env 0 is ")


@pytest.mark.parametrize(
    ("name", "element", "value", "text"),
    [
        ("obs", (2,), 7.5, r"step 3: obs\[2\] of env 1 is 7.5; expected .*, [\d,]+ ulps apart"),
        ("obs", (0,), np.nan, r"step 3: obs\[0\] of env 1 is nan; expected -?0\.\d+"),
        ("reward", (), 2, "step 3: reward of env 1 is 2.0; expected 1.0, "),
        ("terminated", (), True, "step 3: terminated of env 1 is True; expected False"),
        ("picture (CRC-32)", (), 1, r"step 3: picture \(CRC-32\) of env 1 is 1; expected \d+"),
    ],
)
def test_a_difference_is_named(
    run: Run, name: str, element: tuple[int, ...], value: Any, text: str
) -> None:
    other = run.copy()
    other[name][(1, 3, *element)] = value
    other["obs"][0, 9] = 0  # a later one
    found, _ = compare_runs(other, run)
    assert re.fullmatch(f"{text}.*", found)


def test_an_array_that_is_missing_is_named(run: Run) -> None:
    fewer = run[[name for name in run.dtype.names or () if name != "obs"]]
    assert compare_runs(fewer, run) == ("obs is missing; expected ('<f4', (4,))", 0.0)
    assert compare_runs(run, fewer) == ("obs is ('<f4', (4,)); expected none", 0.0)


def test_players_may_come_and_go() -> None:
    """Which of them an env shows is part of the run."""
    run = expected_results.play("TicTacToe-v0", {})
    assert {-1, 0, 1} == set(run["info:players.env_id"].ravel().tolist())


def test_a_file_has_the_groups(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "results.npz"
    groups = {"one": Group("toy_text", {"Taxi-v3": {}, "FrozenLake-v1": {"is_slippery": False}})}
    expected_results.save(file, groups)
    saved = ExpectedResults(file)
    assert saved.groups == groups
    assert saved.compare("one") == 0
