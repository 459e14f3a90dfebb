#!/usr/bin/env python3
"""Prints the interpreters that wheels are built for, one in each line; says which are missing.

It looks for each version on PATH and in pyenv. For 3.13 and 3.14 it unpacks Debian's packages if
there is no other. Usage: tools/wheel/find_pythons.py [all | VERSION or INTERPRETER...]

"3.12+" prints one interpreter of that version or a newer one: that of `python3`, else the oldest.
"""

import difflib
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator

VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
_FROM_DEBIAN = ("3.13", "3.14")
_CACHE = pathlib.Path.home() / ".cache/parallel_pool"
_HERE = pathlib.Path(__file__).parent

# Prints the interpreter itself, not a shim or a link, if it is CPython with C headers and venv.
_CHECK = """
import ensurepip, os, sys, sysconfig, venv
headers = os.path.join(sysconfig.get_path("include"), "Python.h")
if sys.implementation.name == "cpython" and os.path.exists(headers):
    print("%d.%d" % sys.version_info[:2], sys.executable)
"""


def check(command: str) -> tuple[str, str]:
    """The version and path of an interpreter; empty if wheels cannot be built for it."""
    try:
        run = subprocess.run(
            [command, "-I", "-c", _CHECK], capture_output=True, text=True, check=False
        )
    except OSError:
        return "", ""
    version, _, path = run.stdout.strip().partition(" ")
    return version, path


def _candidates(version: str) -> Iterator[str]:
    yield from filter(None, [shutil.which(f"python{version}"), shutil.which("python3")])
    root = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    # The newest patch release comes first.
    folders = (root / "versions").glob(f"{version}.*")
    for folder in sorted(folders, key=lambda f: [len(f.name), f.name], reverse=True):
        yield str(folder / "bin/python")


def _of_debian(version: str) -> str | None:
    """The interpreter of Debian's packages; the script says why if there is none."""
    folder = _CACHE / f"python{version}"
    subprocess.run([str(_HERE / "debian_python.sh"), version, str(folder)], check=False)
    return str(folder / f"usr/bin/python{version}") if (folder / "complete").exists() else None


def find(version: str) -> str | None:
    """An interpreter of this version."""
    for command in _candidates(version):
        found, path = check(command)
        if found == version:
            return path
    return _of_debian(version) if version in _FROM_DEBIAN else None


def find_newer(oldest: str) -> str | None:
    """An interpreter of this version or a newer one."""
    wanted = VERSIONS[VERSIONS.index(oldest) :]
    version, path = check("python3")
    return path if version in wanted else next(filter(None, map(find, wanted)), None)


def main() -> int:
    """Prints the interpreters of the command line, or of all versions."""
    is_all = sys.argv[1:] in ([], ["all"])
    for wanted in VERSIONS if is_all else sys.argv[1:]:
        if wanted.endswith("+") and wanted[:-1] in VERSIONS:
            newer = find_newer(wanted[:-1])
            if newer is None:
                sys.exit(f"there is no CPython {wanted[:-1]} or newer: install one, or pyenv's")
            print(newer)
        elif os.sep in wanted:
            version, python = check(wanted)
            if version not in VERSIONS:
                sys.exit(
                    f"wheels: {wanted} is not a CPython of {', '.join(VERSIONS)} with C headers"
                )
            print(python)
        elif wanted not in VERSIONS:
            near = difflib.get_close_matches(wanted, VERSIONS, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            sys.exit(f"wheels: there is no CPython {wanted!r} among {', '.join(VERSIONS)}{hint}")
        elif found := find(wanted):
            print(found)
        else:
            print(f"wheels: CPython {wanted} is missing: no wheel for it", file=sys.stderr)
            if not is_all:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
