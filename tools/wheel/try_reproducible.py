"""Builds the wheel again, in another folder and without any cache; ends with `N passed, N failed`.

The same commit must make the same bytes, those of the wheel in dist/.
Usage: python3 -m tools.wheel.try_reproducible
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def differences(one: pathlib.Path, other: pathlib.Path) -> list[str]:
    """The differences of two wheels: files by name, or that they have the same files otherwise."""
    if one.read_bytes() == other.read_bytes():
        return []
    with zipfile.ZipFile(one) as a, zipfile.ZipFile(other) as b:
        contents = [{n: archive.read(n) for n in archive.namelist()} for archive in (a, b)]
    names = sorted(contents[0].keys() | contents[1].keys())
    found = [name for name in names if contents[0].get(name) != contents[1].get(name)]
    return found or ["the order or the attributes of the files"]


def _build(folder: pathlib.Path) -> pathlib.Path:
    """The wheel of this commit, built in a new clone by a user without caches."""
    clone, home = folder / "clone", folder / "home"
    home.mkdir()
    subprocess.run(["git", "clone", "--quiet", str(_ROOT), str(clone)], check=True)
    env = os.environ | {"HOME": str(home)}
    # pyenv and pip's configuration are the machine's, not caches.
    real = pathlib.Path.home()
    for name in (".pyenv", ".config", ".pip"):
        if (real / name).exists():
            (home / name).symlink_to(real / name)
    try:
        subprocess.run(["tools/wheel/build.sh"], cwd=clone, env=env, check=True)
    finally:
        subprocess.run(["tools/bazel.sh", "shutdown"], cwd=clone, env=env, check=False)
        # Bazel writes its output without the right to change it.
        subprocess.run(["chmod", "-R", "u+w", str(home / ".cache")], check=False)
    (wheel,) = (clone / "dist").glob("*.whl")
    return wheel


def main() -> int:
    """Compares the wheels."""
    with tempfile.TemporaryDirectory() as scratch:
        wheel = _build(pathlib.Path(scratch))
        mine = _ROOT / "dist" / wheel.name
        found = differences(mine, wheel) if mine.exists() else [f"there is no {mine}"]
    for name in found:
        print(f"reproducible: differs: {name}", flush=True)
    print("0 passed, 1 failed" if found else "1 passed, 0 failed", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
