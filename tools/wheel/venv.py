"""A virtual environment with a wheel of dist/, and the tests of this checkout that run in it."""

import os
import pathlib
import shutil
import subprocess
from collections.abc import Sequence

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
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
        path = f".work/wheels/{self.name}"
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
