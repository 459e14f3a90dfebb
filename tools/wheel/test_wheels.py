"""Tests each wheel in dist/ in the Python that it is for; ends with `N passed, N failed`.

Each Python has a virtual environment with the wheel, installed by pip, and with the versions that
tests.lock pins for it. There it runs tests of this checkout, among them the rules that all tasks
satisfy. Then it plays tasks of all families, whose digests must be those of the running Python.
Usage: python3 -m tools.wheel.test_wheels PYTHON...     interpreters, as find_pythons.py prints them
"""

import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tools.run_tests import count_cases

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
_LOCK = "tools/wheel/tests.lock"
_TEST_FAMILY = "//parallel_pool/core/testing:_family.so"
# Tests that need no more than tests.lock.
_TESTS = (
    "python/conformance_test.py",
    "python/dm_api_test.py",
    "python/gymnasium_api_test.py",
    "python/out_test.py",
    "python/per_env_test.py",
    "python/pool_test.py",
    "python/states_test.py",
    "python/threads_test.py",
    "python_envs/make_python_test.py",
    "python_envs/same_results_test.py",
)
# Prints the name of a Python: cp311, or cp313t if it is free-threaded.
_TAG = 'import sys; print("cp%d%d" % sys.version_info[:2] + sys.abiflags)'


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def copy_helpers(package: pathlib.Path) -> None:
    """Adds what tests of this checkout import to an installed package: a family that fails, too."""
    shutil.copytree(_ROOT / "parallel_pool/testing", package / "testing", dirs_exist_ok=True)
    subprocess.run(["tools/bazel.sh", "build", _TEST_FAMILY], cwd=_ROOT, check=True)
    built = _output(str(_ROOT / "tools/bazel.sh"), "info", "bazel-bin")
    path = _TEST_FAMILY.removeprefix("//").replace(":", "/")
    copy = package.parent / path
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.unlink(missing_ok=True)
    shutil.copy(pathlib.Path(built, path), copy)


def make_venv(python: str) -> pathlib.Path:
    """An environment of this interpreter, with its wheel and the helpers of tests."""
    venv = pathlib.Path(".wheels", _output(python, "-I", "-c", _TAG))
    env = os.environ | {"PYTHON": python}
    subprocess.run(["tools/venv.sh", str(venv), _LOCK], cwd=_ROOT, env=env, check=True)
    subprocess.run(["tools/install_wheel.sh", str(venv)], cwd=_ROOT, check=True)
    return _ROOT / venv


def run_tests(python: pathlib.Path) -> collections.Counter[str]:
    """Runs the tests in this environment; the numbers that passed, failed or were skipped."""
    find = "import parallel_pool; print(parallel_pool.__path__[0])"
    package = pathlib.Path(_output(str(python), "-I", "-c", find))
    copy_helpers(package)
    with tempfile.TemporaryDirectory() as scratch:  # it has no sources to import
        tests = []
        for test in _TESTS:
            tests.append(pathlib.Path(scratch, test.replace("/", "_")))
            shutil.copy(_ROOT / "parallel_pool" / test, tests[-1])
        xml = pathlib.Path(scratch, "test.xml")
        options = ["-q", "-p", "no:cacheprovider", f"--junitxml={xml}", f"--rootdir={scratch}"]
        command = [str(python), "-I", "-B", "-m", "pytest", *options, *map(str, tests)]
        code = subprocess.run(command, cwd=scratch, check=False).returncode
        counts = count_cases(xml)
    if code and not counts["failed"]:
        counts["failed"] = 1  # pytest failed before it wrote its results
    return counts


def digests(python: pathlib.Path) -> list[str]:
    """The lines of digests.py in this environment."""
    return _output(str(python), "-I", str(_ROOT / "tools/wheel/digests.py")).splitlines()


def main() -> int:
    """Tests the wheels of the interpreters of the command line."""
    counts: collections.Counter[str] = collections.Counter()
    expected = digests(make_venv(sys.executable) / "bin/python")
    for interpreter in sys.argv[1:]:
        venv = make_venv(interpreter)
        print(f"wheels: testing {venv.name}: {interpreter}", flush=True)
        counts += run_tests(venv / "bin/python")
        played = digests(venv / "bin/python")
        other = set(expected) ^ set(played)
        counts["passed"] += len(set(expected) & set(played))
        counts["failed"] += len(other)
        for line in sorted(other):
            where = (
                "is only in the running Python" if line in expected else f"is only in {venv.name}"
            )
            print(f"wheels: a digest {where}: {line}", flush=True)
    line = f"{counts['passed']} passed, {counts['failed']} failed"
    print(line + (f", {counts['skipped']} skipped" if counts["skipped"] else ""), flush=True)
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
