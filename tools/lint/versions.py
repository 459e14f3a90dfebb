#!/usr/bin/env python3
"""Finds pages that name another version of a library than the locks have.

So figures and differences are those of the libraries that are measured and compared with. The words
"measured with EnvPool 1.2.5" allow figures that are older; "pins" and "needs" say what others need.
Usage: tools/lint/versions.py    (in a git checkout)
"""

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping

_LOCKS = (
    "benchmark/requirements.lock",
    "integration_tests/torch/requirements.lock",
    "third_party/pip/requirements.lock",
    "third_party/pip/sdists.lock",
)
# The names that pages use, and those of the packages.
_PACKAGES = {
    "EnvPool": "envpool",
    "Gymnasium": "gymnasium",
    "PettingZoo": "pettingzoo",
    "Tianshou": "tianshou",
    "ale-py": "ale-py",
    "dm_control": "dm-control",
    "highway-env": "highway-env",
    "lbforaging": "lbforaging",
    "minigrid": "minigrid",
    "minihack": "minihack",
    "mpe2": "mpe2",
    "multi-agent-ale-py": "multi-agent-ale-py",
    "nle": "nle",
    "rware": "rware",
    "vizdoom": "vizdoom",
}
_NAMED = re.compile(
    r"(?<!measured with )(?<!pins )(?<!needs )"
    rf"(?<![\w-])({'|'.join(_PACKAGES)})(?: |==)(\d+(?:\.\d+)+)(?![\d.]*\d|\s+or\s+newer)"
)


def pins(locks: Iterable[str]) -> dict[str, str]:
    """The version of each package in the texts of locks; the first lock counts."""
    found: dict[str, str] = {}
    for text in locks:
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE):
            found.setdefault(name, version)
    return found


def faults(pages: Mapping[str, str], pinned: Mapping[str, str]) -> list[str]:
    """A line for each version that is not the pinned one, or its beginning: 1.4 of 1.4.0."""
    found = []
    for page, text in pages.items():
        for match in _NAMED.finditer(text):
            name, version = match.groups()
            pin = pinned[_PACKAGES[name]]
            if not f"{pin}.".startswith(f"{version}."):
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{page}:{line}: {match[0]}; the locks have {pin}")
    return found


def main() -> int:
    """Prints the faults; 1 if there are some."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    # The changelog tells of the past.
    paths = [pathlib.Path(name) for name in listed if name != "CHANGELOG.md"]
    pages = {str(path): path.read_text() for path in paths if path.is_file()}
    lines = faults(pages, pins(pathlib.Path(lock).read_text() for lock in _LOCKS))
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
