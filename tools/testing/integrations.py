"""Tests the wheel in dist/ with other libraries; ends with the line `N passed, N failed`.

Usage: python3 -m tools.testing.integrations [NAME...]

A NAME is a folder of integration_tests/ or one of its tests, such as "gymnasium" or "sb3"; the
default is all. Each folder has its own virtual environment, with the versions that
integration_tests/FOLDER pins, or several.
"""

import collections
import difflib
import pathlib
import subprocess
import sys
import tempfile

from tools.testing.run_tests import count_cases, print_counts

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_TESTS = _ROOT / "integration_tests"
# The builds of torch that a folder's tests can run with: names of locks in integration_tests/torch.
# The first environment that can be made is used. _MORE are further locks of each environment.
_VARIANTS = {folder: ["cpu", "cuda"] for folder in ("agilerl", "rllib", "sample_factory", "torch")}
# The tests of these folders run in several environments: these are their locks.
_VERSIONS = {"jax": ["jax0.5", "jax0.8", "jax0.10"]}
_MORE = {
    "mujoco": ["integration_tests/mujoco/models.lock"],
    "torch": [
        "integration_tests/torch/cleanrl.lock",
        "third_party/pip/sdists.lock",
        "third_party/pip/metaworld.lock",
    ],
}


def tests_of(names: list[str]) -> dict[str, list[pathlib.Path]]:
    """The test files of `names`, by folder; exits with the known names if one is unknown."""
    found = sorted(_TESTS.glob("*/*_test.py"))
    known = {path.parent.name for path in found}
    known |= {path.name.removesuffix("_test.py") for path in found}
    known |= {version for path in found for version in _VERSIONS.get(path.parent.name, [])}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
            sys.exit(f"there is no integration {name!r}; {hint}")
    chosen: dict[str, list[pathlib.Path]] = {}
    for path in found:
        folder = path.parent.name
        own = {folder, path.name.removesuffix("_test.py"), *_VERSIONS.get(folder, [])}
        if not names or own & set(names):
            chosen.setdefault(folder, []).append(path)
    return chosen


def locks_of(folder: str, names: list[str]) -> list[str]:
    """The locks of a folder's environments: those of `names`, or all if it has none of them."""
    locks = _VERSIONS.get(folder, ["requirements"])
    return [lock for lock in locks if lock in names] or locks


def make_venv(folder: str, lock: str) -> pathlib.Path:
    """The environment of a folder's tests by one of its locks, with the wheel installed."""
    base = folder if lock == "requirements" else lock
    for variant in _VARIANTS.get(folder, [""]):
        venv = pathlib.Path(".work/integrations", f"{base}_{variant}" if variant else base)
        locks = [f"integration_tests/torch/{variant}.lock"] if variant else []
        locks += [f"integration_tests/{folder}/{lock}.lock", *_MORE.get(folder, [])]
        command = ["tools/venv.sh", str(venv), *locks]
        if subprocess.run(command, cwd=_ROOT, check=False).returncode == 0:
            subprocess.run(["tools/install_wheel.sh", str(venv)], cwd=_ROOT, check=True)
            return _ROOT / venv
        print(f"{venv}: cannot be made here", file=sys.stderr)
    sys.exit(f"{folder}: no environment for its tests")


def run(folder: str, tests: list[pathlib.Path], lock: str) -> collections.Counter[str]:
    """Runs a folder's tests; the numbers that passed, failed or were skipped."""
    python = make_venv(folder, lock) / "bin/python"
    # The folder has no sources, which could be imported instead of the wheel.
    with tempfile.TemporaryDirectory() as scratch:
        xml = pathlib.Path(scratch, "test.xml")
        options = ["-q", "-p", "no:cacheprovider", "--durations=5", f"--junitxml={xml}"]
        roots = [f"--rootdir={_TESTS}", f"--confcutdir={_TESTS}"]
        command = [str(python), "-I", "-B", "-m", "pytest", *options, *roots, *map(str, tests)]
        code = subprocess.run(command, cwd=scratch, check=False).returncode
        counts = count_cases(xml)
    if code and not counts["failed"]:
        counts["failed"] = 1  # pytest failed before it wrote its results
    return counts


def main() -> int:
    """Runs the tests of the command line."""
    counts: collections.Counter[str] = collections.Counter()
    for folder, tests in tests_of(sys.argv[1:]).items():
        for lock in locks_of(folder, sys.argv[1:]):
            counts += run(folder, tests, lock)
    print_counts(counts)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
