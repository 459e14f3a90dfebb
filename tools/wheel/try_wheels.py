"""Tests each wheel in dist/ in the Python that it is for; ends with `N passed, N failed`.

First it checks the files and the metadata of all wheels (checks.py). Each Python has a virtual
environment with the wheel, installed by pip, and with the versions that tests.lock pins for it.
There it runs tests of this checkout, among them the rules that all tasks satisfy. It also plays
tasks of all families, whose digests must be those of the running Python. As many Pythons run at
once as there are processors.
Usage: python3 -m tools.wheel.try_wheels PYTHON...     interpreters, as find_pythons.py prints them
"""

import collections
import functools
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from tools.testing.pytest_runs import run_pytest, side_by_side
from tools.testing.run_tests import print_counts
from tools.wheel.venv import POOL_TESTS, Venv, build_test_libraries, copy_helpers, copy_tests

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
_CHECKS = ".work/wheels/checks"
_TESTS = (
    *POOL_TESTS,
    "python_envs/make_python_test.py",
    "python_envs/same_results_test.py",
    "python_envs/seeds_test.py",
)


def compare(expected: list[str], played: list[str], venv: Venv) -> collections.Counter[str]:
    """Compares the digests of this environment with those of the running Python."""
    if not venv.has_vizdoom:
        expected = [line for line in expected if not line.startswith("vizdoom ")]
    for line in sorted(set(expected) ^ set(played)):
        where = "the running Python" if line in expected else venv.name
        print(f"wheels: a digest is only in {where}: {line}", flush=True)
    equal = len(set(expected) & set(played))
    return collections.Counter(passed=equal, failed=max(len(expected), len(played)) - equal)


def try_all(venvs: Sequence[Venv]) -> collections.Counter[str]:
    """Tests these environments; the first one is that of the running Python, for the digests."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        tests = copy_tests(_TESTS, folder)
        digests = side_by_side([venv.digests for venv in venvs])
        runs = side_by_side(
            [
                functools.partial(
                    run_pytest, f"wheels: {v.name}", [v.python, "-I", "-B"], tests, folder, v.env
                )
                for v in venvs[1:]
            ]
        )
    found = [
        compare(digests[0], played, venv)
        for venv, played in zip(venvs[1:], digests[1:], strict=True)
    ]
    return sum([*runs, *found], collections.Counter())


def check_files() -> collections.Counter[str]:
    """Checks the files and the metadata of all wheels in dist/ (checks.py)."""
    subprocess.run(["tools/venv.sh", _CHECKS, "tools/wheel/checks.lock"], cwd=_ROOT, check=True)
    wheels = sorted(str(wheel) for wheel in (_ROOT / "dist").glob("*.whl"))
    command = [str(_ROOT / _CHECKS / "bin/python"), "tools/wheel/checks.py", *wheels]
    run = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, check=False)
    print(run.stdout, end="", flush=True)
    line = re.search(r"^(\d+) passed, (\d+) failed$", run.stdout, re.MULTILINE)
    if not line:
        return collections.Counter(failed=1)
    return collections.Counter(passed=int(line[1]), failed=int(line[2]))


def main() -> int:
    """Tests the wheels of the interpreters of the command line."""
    counts = check_files()
    libraries = build_test_libraries()
    venvs = [Venv(sys.executable), *map(Venv, sys.argv[1:])]
    for venv in venvs[1:]:
        copy_helpers(venv.package(), libraries)
        print(f"wheels: testing {venv.name}: {venv.python}", flush=True)
    counts += try_all(venvs)
    print_counts(counts)
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
