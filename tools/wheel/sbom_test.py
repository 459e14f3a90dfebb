"""The wheel's bill of materials names what is in it, in the versions that the build pins."""

import fnmatch
import json
import pathlib
import zipfile
from typing import Any

import pytest

from tools.wheel import sbom

ROOT = pathlib.Path(__file__).parent.parent.parent
PARTS = sbom.parts(ROOT / "tools/wheel/parts.toml")


@pytest.fixture(scope="module")
def names(wheel: pathlib.Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return [name for name in archive.namelist() if not name.endswith("/")]


@pytest.fixture(scope="module")
def document(wheel: pathlib.Path, names: list[str]) -> dict[str, Any]:
    (name,) = [n for n in names if "/sboms/" in n]
    assert name.endswith(".dist-info/sboms/parallel_pool.cdx.json")
    with zipfile.ZipFile(wheel) as archive:
        found: dict[str, Any] = json.loads(archive.read(name))
    return found


def test_all_parts_are_in_the_wheel(document: dict[str, Any], names: list[str]) -> None:
    expected = [part["name"] for part in PARTS if sbom.is_for(part, "manylinux_2_28_x86_64")]
    assert [c["name"] for c in document["components"]] == expected
    for component in document["components"]:
        for place in component["evidence"]["occurrences"]:
            assert fnmatch.filter(names, place["location"]), component["name"]
    assert document["dependencies"][0]["dependsOn"] == expected


def test_each_library_has_a_part(document: dict[str, Any], names: list[str]) -> None:
    places = [
        place["location"]
        for component in document["components"]
        for place in component["evidence"]["occurrences"]
    ]
    libraries = [name for name in names if name.endswith(".so")]
    assert libraries
    for library in libraries:
        assert any(fnmatch.fnmatch(library, place) for place in places), library


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part["name"])
def test_versions_are_those_of_the_build(part: sbom.Part) -> None:
    if "version" not in part:
        assert part["name"] == "libstdc++"  # it is that of the compiler
        return
    text = "\n" + (ROOT / part["pinned_in"]).read_text()
    project = part["purl"].removeprefix("pkg:pypi/").split("@")[0]
    pins = {
        ".lock": f"\n{project}=={part['version']} ",
        ".bzl": f'project = "{project}",',
        "": f"{part['name']} {part['version']}",
    }
    pinned_in = pathlib.Path(part["pinned_in"])
    assert pins[pinned_in.suffix] in text
    if pinned_in.suffix == ".bzl":
        rule = text.split(pins[".bzl"])[1].split(")")[0]
        assert f'version = "{part["version"]}"' in rule
    if "@" in part["purl"]:
        assert part["purl"].split("@")[1].split("#")[0] == part["version"]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part["name"])
def test_the_notice_names_each_part(part: sbom.Part) -> None:
    notice = " ".join((ROOT / "NOTICE").read_text().lower().split())
    words = {"games of ale-py": "the games that the wheel of ale-py"}
    name: str = part["name"]
    assert words.get(name, name).lower().replace("-", "_") in notice.replace("-", "_")


def test_parts_that_a_wheel_lacks_are_left_out() -> None:
    files = ["parallel_pool/envs/atari/_family.so"]
    found = sbom.in_wheel(PARTS, files, "manylinux_2_28_aarch64")
    assert [part["name"] for part in found] == ["libstdc++", "ale-py"]
    box2d = ["parallel_pool/envs/box2d/_family.so"]
    tags = ("manylinux_2_28_x86_64", "manylinux_2_28_aarch64", "macosx_11_0_arm64", "win_amd64")
    x86, arm, mac, windows = (
        {part["name"] for part in sbom.in_wheel(PARTS, box2d, tag)} for tag in tags
    )
    assert arm - x86 == {"SIMDe"}
    assert x86 < arm
    assert (mac - arm, arm - mac) == ({"libc++"}, {"libstdc++"})
    assert windows == mac - {"SIMDe"}
    atari = {part["name"] for part in sbom.in_wheel(PARTS, files, "win_amd64")}
    assert atari == {"libc++", "ale-py", "zlib"}
