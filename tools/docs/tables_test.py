import pathlib
import re

import pytest
from parallel_pool._build_info import FAMILIES

import parallel_pool
from parallel_pool.python.options import pool_options
from parallel_pool.python.options.option import Option
from parallel_pool.python.options.pool_options import PoolOption
from parallel_pool.python.specs.registry import registry
from tools.docs import tables


def rows(table: str) -> list[list[str]]:
    """The cells of the rows below the headings."""
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def test_the_readme_has_the_number_of_tasks() -> None:
    readme = pathlib.Path(__file__).resolve().parents[2] / "README.md"
    row = f"| tasks | {len(parallel_pool.list_all_envs()):,} tasks of "
    assert row in readme.read_text(), f"README.md, Features: {row}"


def test_every_task_has_a_row() -> None:
    found = {row[0].strip("`"): row[1:] for row in rows(tables.tasks())}
    assert list(found) == [task for family in FAMILIES for task in tables.shown(family)]
    for task in set(parallel_pool.list_all_envs()) - set(found):
        assert registry().suite(task) == "whole_games" or registry().twin_of(task) in found, task
    assert found["Pong-v5"] == [
        "[Atari](readmes/atari.md)",
        "uint8 (4, 84, 84), 0 .. 255",
        "Discrete(6)",
        "27,000",
        "",
        "rgb_array",
    ]
    assert found["Ant-v5"][1:5] == ["float64 (105,)", "float32 (8,), -1 .. 1", "1,000", "6000"]
    assert found["CartPole-v1"][1:3] == ["float32 (4,), bounded", "Discrete(2)"]
    assert found["Taxi-v4"][-1] == "rgb_array, ansi"


def test_every_task_of_the_suite_has_a_row() -> None:
    found = {row[0].strip("`"): row[1:] for row in rows(tables.suite_tasks())}
    assert list(found) == tables.of_suite("dm_control")
    assert found["StackerStack2-v1"] == [
        "arm_pos (8, 2), arm_vel 8, touch 5, hand_pos 4, box_pos (2, 4), box_vel 6, target_pos 2",
        "5, -1 .. 1",
        "10 s",
    ]
    assert found["LqrLqr21-v1"] == ["position 2, velocity 2", "1, -1e+10 .. 1e+10", "none"]


def test_the_common_options_are_those_of_a_task() -> None:
    named = {row[0].strip("`") for row in rows(tables.common_options())}
    spec = parallel_pool.make_spec("CartPole-v1")
    own = {option.name for option in spec.source.options}
    assert tables.common_names() == set(spec.config) - own
    assert named == tables.common_names() | {"gym_reset_return_info"}


def test_every_option_of_every_task_is_in_a_table() -> None:
    for family, ids in tables.families().items():
        assert ids
        named = {row[0].strip("`") for row in rows(tables.family_options(family))}
        for task in ids:
            native = registry().find(task)
            assert {o.name for o in (*native.options, *native.reset_options)} <= named, task


def test_a_row_says_which_tasks_have_the_option() -> None:
    table = {row[0].strip("`"): row[1:] for row in rows(tables.family_options("classic_control"))}
    assert table["sutton_barto_reward"][1:] == ["bool", "`False`", "", "`CartPole`"]
    assert table["book_or_nips"][1:] == ["str", '`"book"`', '`"book"`, `"nips"`', "`Acrobot-v1`"]
    assert table["low"][2] == "depends on the task"
    (preset,) = (row for row in rows(tables.family_options("atari")) if row[0] == "`preset`")
    assert preset[5] == "suite `atari`"


def test_titles_are_those_of_the_readmes() -> None:
    for family in FAMILIES:
        with open(f"parallel_pool/envs/{family}/README.md") as readme:
            assert readme.readline() == f"# {tables.title(family)}\n"


def test_a_new_option_of_all_tasks_has_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    new = PoolOption(Option("zeal", "how eager the envs are", 3, 0, 9))
    monkeypatch.setattr(pool_options, "OPTIONS", (*pool_options.OPTIONS, new))
    assert ["`zeal`", "how eager the envs are", "int", "`3`", "0 to 9"] in rows(
        tables.common_options()
    )
    found = {row[0].strip("`"): row[1:] for row in rows(tables.common_options())}
    assert found["max_episode_steps"][1:3] == ["int", "the task's"]
    assert found["autoreset_mode"][3] == '`"next_step"`, `"same_step"`, `"disabled"`'


def test_a_cell_lists_no_more_than_some_lines() -> None:
    for family in FAMILIES:
        for row in rows(tables.family_options(family)):
            assert len(row) == 6, row
            assert all(row[k].count(",") <= 12 for k in (3, 4, 5)), row
    table = {row[0].strip("`"): row[1:] for row in rows(tables.family_options("vizdoom"))}
    sizes = table["screen_resolution"][3]
    assert sizes == '`"RES_160X120"`, `"RES_200X125"`, ..., `"RES_1920X1080"`: 36 values'
    assert table["reward_config"][2] == "23 entries"
    assert table["reward_config"][4] == "suite `envpool`"
    (level,) = (row for row in rows(tables.family_options("nethack")) if row[0] == "`des_file`")
    assert level[3] == "13 lines"
