"""Checks that users of the package see a type for each public name, as pyright counts them.

pyright looks at an installed package only, so the modules are copied into .lint for a moment. The
names that it may miss have types of libraries without types, such as dm_env and Ray.
Usage: python3 tools/lint/public_types.py    with .lint, which lint.sh makes
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
_PERCENT = 97.5  # of the public names have a known type
# Neither in the wheel nor public.
_PRIVATE = re.compile(r"(_test|conftest|/reference|_reference)\.py$|/testing/|/envs/")


def _copy(folder: pathlib.Path) -> None:
    """Copies the modules of the wheel, and stands in for the generated one."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "parallel_pool/"]
    listed = subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.PIPE, text=True)
    for name in listed.stdout.splitlines():
        if name.endswith((".py", ".pyi", "py.typed")) and not _PRIVATE.search(name):
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(_ROOT / name, copy)
    text = 'VERSION: str = ""\nFAMILIES: dict[str, str] = {}\n'
    (folder / "parallel_pool/_build_info.py").write_text(text)


def main() -> int:
    """Prints the names without a known type if there are too many."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    venv = _ROOT / ".lint/venv"
    site = venv / "lib" / version / "site-packages"
    # It asks the python on PATH for the folder of installed packages.
    env = os.environ | {"PATH": f"{venv}/bin{os.pathsep}{os.environ['PATH']}"}
    pyright = str(_ROOT / ".lint/node/node_modules/.bin/pyright")
    command = [pyright, "--verifytypes", "parallel_pool", "--ignoreexternal"]
    with tempfile.TemporaryDirectory() as scratch:
        try:
            _copy(site)
            run = subprocess.run(
                command, cwd=scratch, env=env, capture_output=True, text=True, check=False
            )
        finally:
            shutil.rmtree(site / "parallel_pool", ignore_errors=True)
    score = re.search(r"^Type completeness score: ([\d.]+)%$", run.stdout, re.MULTILINE)
    if not score or float(score[1]) < _PERCENT:
        print(run.stdout + run.stderr)
        print(f"public types: the score must be {_PERCENT} %")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
