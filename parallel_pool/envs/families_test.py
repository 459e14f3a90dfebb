"""Each family has its files and lines outside its folder; the test names a missing line."""

import pathlib
import shutil
from collections.abc import Iterable

import pytest
from parallel_pool._build_info import FAMILIES

ROOT = pathlib.Path.cwd()


def missing(root: pathlib.Path, families: Iterable[str]) -> list[str]:
    """The files and lines that the documentation of the families lacks."""
    found = []
    for name in families:
        readme = f"parallel_pool/envs/{name}/README.md"
        if not (root / readme).exists():
            found.append(f"{readme}: the page of the family")
        page = root / f"docs/{name}.md"
        include = f"```{{include}} ../{readme}"
        if not page.exists() or include not in page.read_text().splitlines():
            found.append(f"docs/{name}.md: {include}")
        if f"]({readme}) |" not in (root / "README.md").read_text():
            found.append(f"README.md, Tasks: | [{name}]({readme}) | its tasks |")
    return found


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
            "docs/atari.md",
            "atari",
            "mujoco",
            "docs/atari.md: ```{include} ../parallel_pool/envs/at",
        ),
    ],
)
def test_a_missing_line_is_named(
    tmp_path: pathlib.Path, file: str, old: str, new: str, line: str
) -> None:
    for name in (
        "README.md",
        "docs/atari.md",
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
