import pathlib
import re

import gymnasium
import minigrid  # registers the ids
import numpy as np
import pytest
from parallel_pool._build_info import FAMILIES
from PIL import Image

import parallel_pool
from parallel_pool.testing import dm_control_suite
from tools.docs import gallery, pages, tables
from tools.docs.readmes import FOLDER, READMES


def test_every_generated_part_of_the_pages_exists() -> None:
    names = set()
    for page in [*pathlib.Path("docs").glob("*.md"), *map(pathlib.Path, READMES.values())]:
        names |= set(re.findall(r"<!-- generated: (.*?) -->", page.read_text()))
    assert {"families", "tasks", "common options", "options", "pictures of atari"} <= names
    for name in names - {"nothing"}:
        filled, found = pages.fill(f"a\n\n<!-- generated: {name} -->\n\nb")
        assert found and "<!--" not in filled and filled.startswith("a\n\n") and len(filled) > 30


def test_every_page_is_in_one_group_of_the_menu() -> None:
    index = pathlib.Path("docs/index.md").read_text()
    index = index.replace("<!-- generated: family pages -->", pages.part("family pages"))
    groups = re.findall(r"^```\{toctree\}\n(.*?)^```", index, re.DOTALL | re.MULTILINE)
    named = re.findall(r"^[\w/]+$", "".join(groups), re.MULTILINE)
    own = {path.stem for path in pathlib.Path("docs").glob("*.md")} - {"index"}
    assert sorted(named) == sorted(own | {f"{FOLDER}/{page}" for page in READMES})
    assert len(groups) <= 7, "a reader looks through the groups first"


def test_a_page_without_generated_parts_stays() -> None:
    assert pages.fill("text <!-- a comment -->") == ("text <!-- a comment -->", False)


def test_an_unknown_part_is_an_error() -> None:
    with pytest.raises(KeyError, match="no such part"):
        pages.fill("<!-- generated: no such part -->")


def test_all_games_are_pictured() -> None:
    atari = tables.of_suite("atari")
    assert gallery.tasks("atari") == atari
    cards = pages.pictures("atari")
    assert all(f"/{task}.png)" in cards for task in atari)


def test_each_domain_of_the_suite_is_pictured() -> None:
    domains = {domain for domain, _ in dm_control_suite.ALL.values()}
    assert set(gallery.SUITE.values()) == domains
    for task, domain in gallery.SUITE.items():
        assert dm_control_suite.ALL[task][0] == domain
    assert set(tables.of_suite("dm_control")) == set(dm_control_suite.ALL)
    assert not set(gallery.tasks("mujoco")) & set(dm_control_suite.ALL)


@pytest.mark.parametrize(
    ("suite", "family", "count"),
    [
        ("metaworld", "mujoco", 50),
        ("ogbench", "mujoco", 23),
        ("pettingzoo", "atari", 24),
        ("robotics", "mujoco", 52),
    ],
)
def test_suites_are_pictured_on_pages_of_their_own(suite: str, family: str, count: int) -> None:
    tasks = gallery.GALLERIES[suite]
    assert set(tasks) <= set(tables.of_suite(suite))
    assert len(tables.of_suite(suite)) == count
    assert not set(gallery.tasks(family)) & set(tables.of_suite(suite))
    cards = pages.fill(f"<!-- generated: pictures of {suite} -->")[0]
    assert all(f"/{task}.png)" in cards for task in tasks)


def test_each_kind_of_level_is_pictured() -> None:
    assert minigrid.__version__
    shown = gallery.tasks("minigrid")
    assert len(shown) == len(set(shown))
    kinds = {gymnasium.spec(task).entry_point for task in tables.families()["minigrid"]}
    assert {gymnasium.spec(task).entry_point for task in shown} == kinds


def test_only_the_newest_version_is_pictured() -> None:
    robots = gallery.tasks("mujoco")
    assert "Ant-v5" in robots and "Ant-v4" not in robots


def test_every_family_has_a_card() -> None:
    cards = pages.families()
    assert all(f"](readmes/{family}.md)" in cards for family in FAMILIES)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_faces_are_tasks_of_the_family(family: str) -> None:
    faces = gallery.faces(family, 4)
    assert len(faces) <= 4 and set(faces) <= set(tables.families()[family])


@pytest.mark.parametrize("task", ["Pong-v5", "CartPole-v1", "Taxi-v4"])
def test_a_still_shows_the_task(task: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "picture.png"
    gallery.still(task, file)
    with Image.open(file) as image:
        assert max(image.size) <= 320
        assert len(np.unique(np.array(image.convert("RGB")).reshape(-1, 3), axis=0)) > 2


def test_players_move_and_close_their_pools() -> None:
    player = gallery.play("Pong-v5")
    first, second = next(player), next(player)
    assert first.shape == (210, 160, 3) and (first != second).any()
    player.close()
    assert "rgb_array" in parallel_pool.make_gymnasium("Pong-v5").metadata["render_modes"]


def test_a_quotation_for_readers_of_the_file_is_replaced() -> None:
    page = "a\n\n<!-- generated: nothing -->\n\n> See\n> b.\n\n> c\n\nd\n"
    assert pages.fill(page) == ("a\n\n\n\nd\n", True)
