"""The bill of materials (SBOM) of a wheel: the works of others in it, in CycloneDX's JSON form."""

import fnmatch
import json
import pathlib
from collections.abc import Iterable
from typing import Any

import tomllib

# A part of parts.toml, which says what the keys mean.
Part = dict[str, Any]


def parts(file: pathlib.Path) -> list[Part]:
    """The parts that parts.toml names."""
    found: list[Part] = tomllib.loads(file.read_text())["part"]
    return found


def matches(part: Part, names: Iterable[str]) -> list[str]:
    """The files of a wheel that contain this part, sorted."""
    return sorted({n for pattern in part["files"] for n in fnmatch.filter(names, pattern)})


def is_for(part: Part, platform: str) -> bool:
    """Whether wheels with this platform tag may contain the part."""
    return any(fnmatch.fnmatch(platform, pattern) for pattern in part.get("platforms", "*"))


def in_wheel(found: list[Part], names: Iterable[str], platform: str) -> list[Part]:
    """The parts that a wheel with these files and this platform tag contains."""
    files = list(names)
    return [part for part in found if is_for(part, platform) and matches(part, files)]


def _component(part: Part) -> dict[str, Any]:
    component = {
        "type": "library",
        "bom-ref": part["name"],
        "name": part["name"],
        "description": part["description"],
        "licenses": [{"expression": part["license"]}],
        # The patterns, for some parts are hundreds of files.
        "evidence": {"occurrences": [{"location": pattern} for pattern in part["files"]]},
    }
    return component | {key: part[key] for key in ("version", "purl") if key in part}


def bill(project: str, version: str, found: list[Part]) -> bytes:
    """The bill of a wheel with these parts, without a time or a random id: bytes are repeatable."""
    wheel = {
        "type": "library",
        "bom-ref": project,
        "name": project,
        "version": version,
        "purl": f"pkg:pypi/{project}@{version}",
        "licenses": [{"expression": "Apache-2.0"}],
    }
    names = [part["name"] for part in found]
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": wheel},
        "components": [_component(part) for part in found],
        "dependencies": [{"ref": project, "dependsOn": names}],
    }
    return (json.dumps(document, indent=2, allow_nan=False) + "\n").encode()
