"""Each family has its files and lines inside and outside of its folder; a test names what lacks."""

import pathlib
import re
import shutil
from collections.abc import Iterable

import pytest
from parallel_pool._build_info import FAMILIES

import parallel_pool
from parallel_pool.python.specs.names import names

ROOT = pathlib.Path(__file__).resolve().parents[2]  # the checkout, to which Bazel's links lead
ENVS = "parallel_pool/envs"
# `CartPole-v1` in the first cell of a table's row.
_TASK = re.compile(r"`([A-Za-z][\w.]*(?:-[\w.]+)*-v\d+)`")


def missing(root: pathlib.Path, families: Iterable[str]) -> list[str]:
    """The files and lines that the documentation of the families lacks."""
    found = []
    for name in families:
        readme = f"parallel_pool/envs/{name}/README.md"
        if not (root / readme).exists():
            found.append(f"{readme}: the page of the family")
        if f"]({readme}) |" not in (root / "README.md").read_text():
            found.append(f"README.md, Tasks: | [{name}]({readme}) | its tasks |")
        if f"](../{readme}) |" not in (root / "docs/installation.md").read_text():
            found.append(f"docs/installation.md: | [{name}](../{readme}) | packages |")
    return found


def left_out(root: pathlib.Path) -> list[str]:
    """The files of families that nothing uses: families.bzl, a family.cc or a BUILD lacks them."""
    listed = (root / ENVS / "families.bzl").read_text()
    found = []
    for folder in sorted(path.parent for path in (root / ENVS).glob("*/BUILD")):
        if f'"{folder.name}": ' not in listed:
            found.append(f'{ENVS}/families.bzl: "{folder.name}": "the reference of its tasks",')
        files = sorted(path for path in folder.rglob("*.*") if path.suffix in (".h", ".cc", ".py"))
        code = "".join(path.read_text() for path in files)
        builds = "".join(path.read_text() for path in folder.rglob("BUILD"))
        for file in files:
            name = file.relative_to(root)
            if file.suffix == ".h" and f'#include "{name}"' not in code:
                found.append(f"{name}: family.cc does not include it, and registers no task of it")
            test = file.stem.removesuffix("_test")
            if test != file.stem and not re.search(rf"\b{test}(_test)?\b", builds):
                found.append(f"{name}: {name.parent}/BUILD does not list this test")
    return found


def unregistered(root: pathlib.Path, families: Iterable[str], known: Iterable[str]) -> list[str]:
    """The tasks that the tables of a family's README name, and that its family.cc does not add.

    A table may leave out how an id begins: `MultiRoom-N2-S4-v0`, `N6-v0`.
    """
    found, ids = [], tuple(known)
    for name in families:
        readme = f"{ENVS}/{name}/README.md"
        for line in (root / readme).read_text().splitlines():
            if not line.startswith("| "):
                continue
            for task in _TASK.findall(line.split("|")[1]):
                if not any(known_id.endswith(task) for known_id in ids):
                    found.append(f"{readme}: {task} is not registered in {name}/family.cc")
    return found


def test_every_file_of_a_family_is_used() -> None:
    lines = left_out(ROOT)
    assert not lines, "\n".join(lines)


def test_every_task_of_a_table_is_registered() -> None:
    lines = unregistered(ROOT, FAMILIES, [*parallel_pool.list_all_envs(), *names()])
    assert not lines, "\n".join(lines)


def test_what_is_left_out_is_named(tmp_path: pathlib.Path) -> None:
    envs = tmp_path / ENVS
    toys = envs / "toys"
    toys.mkdir(parents=True)
    (envs / "families.bzl").write_text('FAMILIES = {\n    "toys": "none",\n}\n')
    (toys / "BUILD").write_text('[name + "_test" for name in ["ball"]]')
    (toys / "ball.h").touch()
    (toys / "ball_test.py").touch()
    (toys / "family.cc").write_text(f'#include "{ENVS}/toys/ball.h"\n')
    (toys / "README.md").write_text("| `Ball-v0`, `Ball-v1` | a ball |\nLike `Top-v0`.\n")
    assert left_out(tmp_path) == []
    assert unregistered(tmp_path, ["toys"], ["Ball-v0", "Ball-v1"]) == []
    (toys / "top.h").touch()
    (toys / "top_test.py").touch()
    (envs / "dolls").mkdir()
    (envs / "dolls/BUILD").touch()
    assert left_out(tmp_path) == [
        f'{ENVS}/families.bzl: "dolls": "the reference of its tasks",',
        f"{ENVS}/toys/top.h: family.cc does not include it, and registers no task of it",
        f"{ENVS}/toys/top_test.py: {ENVS}/toys/BUILD does not list this test",
    ]
    assert unregistered(tmp_path, ["toys"], ["Ball-v1"]) == [
        f"{ENVS}/toys/README.md: Ball-v0 is not registered in toys/family.cc"
    ]


def test_the_documentation_has_every_family() -> None:
    lines = missing(ROOT, FAMILIES)
    assert not lines, "add:\n" + "\n".join(lines)


def test_every_family_says_what_it_is_made_after() -> None:
    assert FAMILIES
    assert all(FAMILIES.values())


@pytest.mark.parametrize(
    ("file", "old", "new", "line"),
    [
        (
            "README.md",
            "envs/atari/README.md) |",
            "envs/README.md) |",
            "README.md, Tasks: | [atari](",
        ),
        (
            "docs/installation.md",
            "envs/atari/README.md) |",
            "envs/ale/README.md) |",
            "docs/installation.md: | [atari](../parallel_pool/envs/atari/README.md) | packages |",
        ),
    ],
)
def test_a_missing_line_is_named(
    tmp_path: pathlib.Path, file: str, old: str, new: str, line: str
) -> None:
    for name in (
        "README.md",
        "docs/installation.md",
        "parallel_pool/envs/atari/README.md",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    assert missing(tmp_path, ["atari"]) == []
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new))
    (found,) = missing(tmp_path, ["atari"])
    assert found.startswith(line)


def test_a_family_without_documentation() -> None:
    assert len(missing(ROOT, ["no_such_family"])) == 3
