"""Runs the race tests in a CPython without a GIL, with ThreadSanitizer.

The interpreter, the engine and the families that the tests play are built with ThreadSanitizer.
Each test calls pools from several threads, which no GIL orders. A planted race shows that races are
reported. Ends with `N passed, N failed`. Usage: python3 -m tools.sanitize.free_threaded
"""

import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tools.testing.pytest_runs import run_pytest
from tools.testing.run_tests import print_counts
from tools.wheel.venv import Venv, build_test_libraries, copy_helpers, copy_tests

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
_PYTHON = pathlib.Path.home() / ".cache/parallel_pool/python3.13t-tsan"
_TEST = "python/pools/threads_test.py"
# Path in the package: target. They replace the wheel's.
_BUILT = {
    "core/_core.cpython-313t-x86_64-linux-gnu.so": "//parallel_pool/core:_core_cp313t",
    "envs/classic_control/_family.so": "//parallel_pool/envs/classic_control:_family.so",
    "envs/toy_text/_family.so": "//parallel_pool/envs/toy_text:_family.so",
}
_PLANTED = "parallel_pool/core/testing/planted.so"
_RACE = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).PlantedRace()"


def _bazel(*arguments: str) -> str:
    command = [str(_ROOT / "tools/bazel.sh"), *arguments]
    run = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return run.stdout.strip()


def main() -> int:
    """Builds all, and runs the tests."""
    subprocess.run([str(_ROOT / "tools/sanitize/tsan_python.sh"), str(_PYTHON)], check=True)
    interpreter = str(_PYTHON / "bin/python3.13t")
    os.environ["TSAN_OPTIONS"] = "report_bugs=0"  # pip is not what this tests
    os.environ["PARALLEL_POOL_WHEELS_FOR"] = interpreter
    subprocess.run([str(_ROOT / "tools/wheel/build.sh"), interpreter], check=True)
    venv = Venv(interpreter)
    package = venv.package()
    copy_helpers(package, build_test_libraries("--config=tsan"))

    planted = "//" + _PLANTED.replace("/planted", ":planted")
    _bazel("build", "--config=tsan", *_BUILT.values(), planted)
    folder = pathlib.Path(_bazel("info", "--config=tsan", "bazel-bin"))
    for path in _BUILT:
        (package / path).unlink()
        shutil.copy(folder / "parallel_pool" / path, package / path)

    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:  # it has no sources to import
        suppressions = pathlib.Path(scratch, "tsan.supp")
        files = (_PYTHON / "tsan.supp", _ROOT / "tools/sanitize/tsan.supp")
        suppressions.write_text("\n".join(file.read_text() for file in files))
        env = venv.env | {"TSAN_OPTIONS": f"suppressions={suppressions}"}

        race = [venv.python, "-I", "-c", _RACE, str(folder / _PLANTED)]
        run = subprocess.run(race, env=env, stderr=subprocess.PIPE, text=True, check=False)
        reported = run.returncode != 0 and "ThreadSanitizer: data race" in run.stderr
        counts["passed" if reported else "failed"] += 1
        if not reported:
            print(f"free_threaded: a planted race was not reported: {run.stderr}", flush=True)

        # A process in which a race was reported ends with an error.
        tests = copy_tests([_TEST], pathlib.Path(scratch))
        python = [venv.python, "-I", "-B"]
        counts += run_pytest("free_threaded", python, tests, pathlib.Path(scratch), env, ["-s"])
    print_counts(counts)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
