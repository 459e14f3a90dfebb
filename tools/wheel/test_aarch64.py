"""Tests the wheel for 64-bit ARM in dist/ in an emulated processor; ends with `N passed, N failed`.

QEMU runs Debian's Python of that processor, with the wheel and the packages of the build's lock.
There it runs the rules that all tasks satisfy, and tests that compare envs with their references.
Then it runs selftest, and plays tasks of all families: their digests must be those of this
machine's wheel. MuJoCo's are left out, because its library for ARM rounds otherwise; the tests
compare it with itself.
Usage: python3 -m tools.wheel.test_aarch64
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
from collections.abc import Callable, Mapping

from tools.testing.pytest_runs import run_pytest, side_by_side
from tools.testing.run_tests import print_counts
from tools.wheel.test_wheels import POOL_TESTS, TEST_FAMILY, Venv, build, copy_helpers, copy_tests

_ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
_FOLDER = _ROOT / ".wheels/aarch64"
# The Debian whose Python is that of the wheel.
_SUITES = {(3, 11): "bookworm", (3, 13): "trixie", (3, 14): "forky"}
_PLATFORMS = [f"--platform=manylinux{v}_aarch64" for v in ("2014", "_2_17", "_2_27", "_2_28")]
_LOCK = _ROOT / "third_party/pip/requirements.lock"
# box2d has no wheel for ARM.
_WITHOUT = ("box2d",)
_ONLY_X86_64 = ("nethack", "procgen", "vizdoom")
# Cases that cannot pass there. There is no wheel of gym, no Procgen, and no OpenGL, with which
# dm_control's own quadruped resets.
_LEFT_OUT = "v0_equals_gym or v3_equals_gym or CoinrunEasy or QuadrupedEscape"
# The processor of Graviton2 and Ampere's servers. On those with SVE, and on some older ones, the
# OpenBLAS in NumPy sums products in another order than pools do.
_PROCESSOR = "neoverse-n1"
# A library that a test loads, where it finds it.
_CAPI = "parallel_pool/envs/mujoco/engine/numpy_math_capi.so"
# The tests of families that need no more than that have the tag aarch64. Atari's parity test has
# not, because OpenCV for ARM, with which it compares, rounds some pixels otherwise.
_QUERY = r"labels(srcs, attr(tags, '\baarch64\b', tests(//parallel_pool/envs/...)))"


def files_of(sources: str) -> tuple[str, ...]:
    """The files of the tests, relative to parallel_pool/, of the labels that the query prints."""
    labels = re.findall(r"^//parallel_pool/(\S+):(\S+_test\.py)$", sources, re.MULTILINE)
    return tuple(sorted({f"{folder}/{name}" for folder, name in labels}))


def without(lock: str, projects: tuple[str, ...]) -> str:
    """A lock without the entries of some projects."""
    for project in projects:
        entry = rf"^{re.escape(project)}==.*\n(?:\s+.*\n)*"
        lock, found = re.subn(entry, "", lock, flags=re.MULTILINE)
        if not found:
            raise ValueError(f"the lock has no {project}")
    return lock


def _install(site: pathlib.Path, *options: str) -> None:
    version = f"--python-version={sys.version_info[0]}.{sys.version_info[1]}"
    pip = [sys.executable, "-I", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    pip += ["--no-input", "--no-deps", "--only-binary=:all:", "--implementation=cp", version]
    subprocess.run([*pip, *_PLATFORMS, f"--target={site}", *options], cwd=_ROOT, check=True)


def environment(here: Mapping[str, str], site: pathlib.Path) -> dict[str, str]:
    """The environment of the Python for ARM: that of this machine, without its processor."""
    # If OPENBLAS_CORETYPE names no kernels of ARM, NumPy sums in the order of no real processor.
    env = {name: value for name, value in here.items() if name != "OPENBLAS_CORETYPE"}
    # Without OpenGL, whose libraries `mujoco` would look for by a program of this machine.
    env |= {"PYTHONPATH": str(site), "MUJOCO_GL": "disable"}
    return env | {"WITHOUT_FAMILY": "vizdoom", "QEMU_CPU": _PROCESSOR}


class Emulated:
    """A Python for ARM, with the wheel."""

    def __init__(self) -> None:
        suite = _SUITES.get(sys.version_info[:2])
        if suite is None:
            known = ", ".join(f"{major}.{minor}" for major, minor in _SUITES)
            found = f"{sys.version_info[0]}.{sys.version_info[1]}"
            sys.exit(f"aarch64: no Debian has Python {found}, the wheel's; there are {known}")
        self.name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        self.root, self.site = _FOLDER / "root", _FOLDER / "site"
        self.program = _FOLDER / "python"
        self.command = [str(self.program), "-s", "-B"]
        self.env = environment(os.environ, self.site)
        lock = without(_LOCK.read_text(), _WITHOUT)
        stamp = _FOLDER / "stamp"
        if not stamp.exists() or stamp.read_text() != suite + lock:
            self._make(suite, lock)
            stamp.write_text(suite + lock)
        shutil.rmtree(self.site / "parallel_pool", ignore_errors=True)
        for info in self.site.glob("parallel_pool-*.dist-info"):
            shutil.rmtree(info)
        _install(self.site, "--no-index", "--find-links=dist", "parallel_pool")

    def _make(self, suite: str, lock: str) -> None:
        print(f"aarch64: installing Debian's {self.name} and {_LOCK.name}", flush=True)
        shutil.rmtree(_FOLDER, ignore_errors=True)
        script = str(_ROOT / "tools/wheel/debian_packages.sh")
        packages = [self.name, "libstdc++6", "zlib1g"]
        subprocess.run([script, suite, "arm64", str(self.root), *packages], check=True)
        (_FOLDER / ".gitignore").write_text("*\n")
        with tempfile.NamedTemporaryFile("w", suffix=".lock") as file:
            file.write(lock)
            file.flush()
            _install(self.site, "--require-hashes", "-r", file.name)
        # QEMU does not emulate what a process starts, so Python starts itself by this program.
        interpreter = self.root / "usr/bin" / self.name
        self.program.write_text(
            f'#!/bin/sh\nexec qemu-aarch64-static -L "{self.root}" "{interpreter}" "$@"\n'
        )
        self.program.chmod(0o755)
        line = f"import sys\n\nsys.executable = {str(self.program)!r}\n"
        (self.site / "sitecustomize.py").write_text(line)

    def digests(self) -> list[str]:
        """The lines of digests.py."""
        return self._lines(str(_ROOT / "tools/wheel/digests.py"))

    def selftest(self) -> collections.Counter[str]:
        """Compares with results of x86-64, those of MuJoCo up to what its library rounds."""
        lines = self._lines("-m", "parallel_pool", "selftest")
        for line in lines:
            if " FAILED: " in line:
                print(f"aarch64: selftest: {line}", flush=True)
        found = re.search(r"^(\d+) ok, (\d+) failed", "\n".join(lines), re.MULTILINE)
        passed, failed = found.groups() if found else (0, 1)
        return collections.Counter(passed=int(passed), failed=int(failed))

    def _lines(self, *arguments: str) -> list[str]:
        run = subprocess.run(
            [*self.command, *arguments],
            cwd=_FOLDER,
            env=self.env,
            stdout=subprocess.PIPE,
            text=True,
            check=False,  # what is missing has failed
        )
        return run.stdout.splitlines()


def run_tests(python: Emulated, here: Venv) -> collections.Counter[str]:
    """Runs the tests and compares the digests; the numbers that passed, failed or were skipped."""
    package = python.site / "parallel_pool"
    copy_helpers(package, build(TEST_FAMILY, "--config=aarch64"))
    for reference in (_ROOT / "parallel_pool/envs").rglob("*reference.py"):
        copy = package / reference.relative_to(_ROOT / "parallel_pool")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(reference, copy)
    options = ["-k", f"not ({_LEFT_OUT})"]
    command = ["tools/bazel.sh", "query", _QUERY]
    sources = subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.PIPE, text=True)
    tests = (*POOL_TESTS, *files_of(sources.stdout))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / _CAPI).parent.mkdir(parents=True)
        shutil.copy(build(_CAPI, "--config=aarch64"), folder / _CAPI)
        calls: list[Callable[[], collections.Counter[str]]] = [
            functools.partial(
                run_pytest, f"aarch64: {test}", python.command, [copy], folder, python.env, options
            )
            for test, copy in zip(tests, copy_tests(tests, folder), strict=True)
        ]
        calls.append(lambda: compare(here.digests(), python.digests()))
        calls.append(python.selftest)
        return sum(side_by_side(calls), collections.Counter())


def compare(expected: list[str], played: list[str]) -> collections.Counter[str]:
    """Compares digests of both processors."""
    left_out = (*_ONLY_X86_64, "mujoco")
    wanted = {line for line in expected if line.split()[0] not in left_out}
    found = {line for line in played if line.split()[0] not in left_out}
    for line in sorted(wanted ^ found):
        where = "this machine" if line in wanted else "ARM"
        print(f"aarch64: a digest is only on {where}: {line}", flush=True)
    return collections.Counter(passed=len(wanted & found), failed=len(wanted - found))


def main() -> int:
    """Tests the wheel."""
    counts = run_tests(Emulated(), Venv(sys.executable))
    print_counts(counts)
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
