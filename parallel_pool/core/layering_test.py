"""The engine and what families share name no family, and no family names another."""

import pathlib
import re

import pytest

from parallel_pool._build_info import FAMILIES

_ROOT = pathlib.Path("parallel_pool")


def names_in(folder: pathlib.Path, names: set[str]) -> list[str]:
    """Lines of the folder's sources that name one of `names`."""
    pattern = re.compile(rf"\b({'|'.join(sorted(names))})\b", re.IGNORECASE)
    return [
        f"{file}: {line}"
        for file in folder.rglob("*")
        if file.suffix in {".h", ".cc"}
        for line in file.read_text().splitlines()
        if pattern.search(line)
    ]


@pytest.mark.parametrize("folder", ["core", "drawing"])
def test_what_is_shared_names_no_family(folder: str) -> None:
    assert any(_ROOT.joinpath(folder).glob("*.cc"))
    assert names_in(_ROOT / folder, set(FAMILIES)) == []


def test_core_does_not_draw() -> None:
    assert names_in(_ROOT / "core", {"drawing"}) == []


def test_no_family_names_another() -> None:
    for family in FAMILIES:
        assert any(_ROOT.joinpath(family).glob("*.cc"))
        assert names_in(_ROOT / family, set(FAMILIES) - {family}) == []
