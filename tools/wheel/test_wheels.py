"""Tests each wheel in dist/ in the Python that it is for; ends with `N passed, N failed`.

First it checks the files and the metadata of all wheels (checks.py). Each Python has a virtual
environment with the wheel, installed by pip, and with the versions that tests.lock pins for it.
There it runs tests of this checkout, among them the rules that all tasks satisfy. It also plays
tasks of all families, whose digests must be those of the running Python. As many Pythons run at
once as there are processors.
Usage: python3 -m tools.wheel.test_wheels PYTHON...     interpreters, as find_pythons.py prints them
"""

import collections
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from tools.testing.pytest_runs import run_pytest, side_by_side
from tools.testing.run_tests import print_counts

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
_CHECKS = ".wheels/checks"
# The family that fails, and libraries that are none, in core/testing.
_TEST_LIBRARIES = ("_family.so", "no_family.so", "old_family.so")
# Tests that need no more than tests.lock: those of pools, on any processor, and others.
POOL_TESTS = (
    "python/check/conformance_test.py",
    "python/apis/dm_api_test.py",
    "python/apis/gymnasium_api_test.py",
    "python/pools/out_test.py",
    "python/options/per_env_test.py",
    "python/pools/pool_test.py",
    "python/pools/states_test.py",
    "python/pools/threads_test.py",
)
_TESTS = (
    *POOL_TESTS,
    "python_envs/make_python_test.py",
    "python_envs/same_results_test.py",
)
# Prints the name of a Python, cp311, or cp313t if it is free-threaded; and that of its C library.
_DESCRIBE = """
import os, sys
print("cp%d%d" % sys.version_info[:2] + sys.abiflags)
print(os.confstr("CS_GNU_LIBC_VERSION"))
"""


def _output(*command: str, env: dict[str, str] | None = None) -> str:
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env)
    return run.stdout.strip()


def build(path: str, *options: str) -> pathlib.Path:
    """Builds a library, with these options of Bazel."""
    folder, _, name = path.rpartition("/")
    bazel = str(_ROOT / "tools/bazel.sh")
    subprocess.run([bazel, "build", *options, f"//{folder}:{name}"], cwd=_ROOT, check=True)
    return pathlib.Path(_output(bazel, "info", *options, "bazel-bin"), path)


def build_test_libraries(*options: str) -> list[pathlib.Path]:
    """Builds what tests load, with these options of Bazel."""
    return [build(f"parallel_pool/core/testing/{name}", *options) for name in _TEST_LIBRARIES]


def copy_helpers(package: pathlib.Path, libraries: Sequence[pathlib.Path]) -> None:
    """Adds what tests of this checkout import to an installed package, and what they load."""
    shutil.copytree(_ROOT / "parallel_pool/testing", package / "testing", dirs_exist_ok=True)
    folder = package / "core/testing"
    folder.mkdir(parents=True, exist_ok=True)
    for library in libraries:
        (folder / library.name).unlink(missing_ok=True)
        shutil.copy(library, folder)


def copy_tests(tests: Sequence[str], folder: pathlib.Path) -> list[pathlib.Path]:
    """Copies tests of this checkout into a folder without sources that they could import."""
    copies = [folder / test.replace("/", "_") for test in tests]
    for test, copy in zip(tests, copies, strict=True):
        shutil.copy(_ROOT / "parallel_pool" / test, copy)
    return copies


class Venv:
    """A virtual environment with a wheel and what its tests need."""

    def __init__(self, interpreter: str) -> None:
        self.name, libc = _output(interpreter, "-I", "-c", _DESCRIBE).splitlines()
        # ViZDoom's engine is a process that shares mutexes with ours, so both need the same C
        # library, and there is no vizdoom for free-threaded Pythons.
        same_libc = libc == os.confstr("CS_GNU_LIBC_VERSION")
        self.has_vizdoom = same_libc and not self.name.endswith("t")
        path = f".wheels/{self.name}"
        locks = ["tools/wheel/tests.lock"] + ["tools/wheel/vizdoom.lock"] * self.has_vizdoom
        env = os.environ | {"PYTHON": interpreter}
        subprocess.run(["tools/venv.sh", path, *locks], cwd=_ROOT, env=env, check=True)
        subprocess.run(["tools/install_wheel.sh", path], cwd=_ROOT, check=True)
        self.python = str(_ROOT / path / "bin/python")
        self.env = os.environ | ({} if self.has_vizdoom else {"WITHOUT_FAMILY": "vizdoom"})

    def package(self) -> pathlib.Path:
        """The folder of the installed package."""
        find = "import parallel_pool; print(parallel_pool.__path__[0])"
        return pathlib.Path(_output(self.python, "-I", "-c", find, env=self.env))

    def digests(self) -> list[str]:
        """The lines of digests.py."""
        script = str(_ROOT / "tools/wheel/digests.py")
        return _output(self.python, "-I", script, env=self.env).splitlines()


def compare(expected: list[str], played: list[str], venv: Venv) -> collections.Counter[str]:
    """Compares the digests of this environment with those of the running Python."""
    if not venv.has_vizdoom:
        expected = [line for line in expected if not line.startswith("vizdoom ")]
    for line in sorted(set(expected) ^ set(played)):
        where = "the running Python" if line in expected else venv.name
        print(f"wheels: a digest is only in {where}: {line}", flush=True)
    equal = len(set(expected) & set(played))
    return collections.Counter(passed=equal, failed=max(len(expected), len(played)) - equal)


def test_all(venvs: Sequence[Venv]) -> collections.Counter[str]:
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
    counts += test_all(venvs)
    print_counts(counts)
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
