"""A Python of another system, which an emulator runs, with that system's wheel of dist/."""

import collections
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence

from tools.testing.pytest_runs import run_pytest, run_quietly, side_by_side
from tools.testing.run_tests import count_cases
from tools.wheel.venv import (
    POOL_TESTS,
    Venv,
    build,
    build_test_libraries,
    copy_helpers,
    copy_tests,
)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOCK = ROOT / "third_party/pip/requirements.lock"
# A library that a test loads, where it finds it.
_CAPI = "parallel_pool/envs/mujoco/engine/numpy_math_capi.so"
# Tests in C++, and those in Python that need no more than the wheel and LOCK, have this tag. The
# parity test of Atari has not, because OpenCV, with which it compares, rounds some pixels otherwise
# on other systems.
_TAGGED = r"attr(tags, '\banother_system\b', //parallel_pool/...)"
# Cases that cannot pass there: of the sdist gym, of Procgen, and those that need OpenGL, as a reset
# of dm_control's own quadruped does.
_LEFT_OUT = "v0_equals_gym or v3_equals_gym or CoinrunEasy or QuadrupedEscape or drawn_env"
# The families that are for Linux on x86-64 only.
ONLY_X86_64_LINUX = ("nethack", "procgen", "vizdoom")


def without(lock: str, projects: Sequence[str]) -> str:
    """A lock without the entries of some projects."""
    for project in projects:
        entry = rf"^{re.escape(project)}==.*\n(?:\s+.*\n)*"
        lock, found = re.subn(entry, "", lock, flags=re.MULTILINE)
        if not found:
            raise ValueError(f"the lock has no {project}")
    return lock


def compare(
    name: str, expected: list[str], played: list[str], left_out: Sequence[str]
) -> collections.Counter[str]:
    """Compares digests of this machine and of system `name`, but for the families `left_out`."""
    wanted = {line for line in expected if line.split()[0] not in left_out}
    found = {line for line in played if line.split()[0] not in left_out}
    for line in sorted(wanted ^ found):
        where = "this machine" if line in wanted else name
        print(f"{name}: a digest is only on {where}: {line}", flush=True)
    return collections.Counter(passed=len(wanted & found), failed=len(wanted - found))


class Packages:
    """The packages of LOCK in a folder, for another system.

    Args:
        name: the system, for the output.
        folder: where they are installed, as `site`; it is made again when the lock changes.
        platforms: tags of that system's wheels.
        missing: projects of the lock that have no wheel for it.
    """

    def __init__(
        self, name: str, folder: pathlib.Path, platforms: Sequence[str], missing: Sequence[str]
    ) -> None:
        self.name, self.folder, self.site = name, folder, folder / "site"
        self._platforms = [f"--platform={tag}" for tag in platforms]
        self._lock = without(LOCK.read_text(), missing)

    def install(self, *options: str) -> None:
        """Installs with pip what these options name."""
        version = f"--python-version={sys.version_info[0]}.{sys.version_info[1]}"
        pip = [sys.executable, "-I", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        pip += ["--no-input", "--no-deps", "--only-binary=:all:", "--implementation=cp", version]
        subprocess.run([*pip, *self._platforms, f"--target={self.site}", *options], check=True)

    def is_complete(self, needs: str) -> bool:
        """Whether the folder has this lock's packages, and what `needs` stands for."""
        stamp = self.folder / "stamp"
        return stamp.exists() and stamp.read_text() == needs + self._lock

    def complete(self, needs: str) -> None:
        """Installs the packages of the lock, and remembers that."""
        print(f"{self.name}: installing {LOCK.name}", flush=True)
        with tempfile.NamedTemporaryFile("w", suffix=".lock") as file:
            file.write(self._lock)
            file.flush()
            self.install("--require-hashes", "-r", file.name)
        (self.folder / ".gitignore").write_text("*\n")
        (self.folder / "stamp").write_text(needs + self._lock)

    def install_wheel(self) -> None:
        """Installs the wheel of dist/."""
        shutil.rmtree(self.site / "parallel_pool", ignore_errors=True)
        for info in self.site.glob("parallel_pool-*.dist-info"):
            shutil.rmtree(info)
        self.install("--no-index", f"--find-links={ROOT / 'dist'}", "parallel_pool")


class Emulated:
    """A Python that an emulator runs.

    Args:
        name: the system, for the output.
        emulator: runs a program of that system.
        python: the interpreter, with its options.
        env: their environment.
        folder: where it is started; it has nothing to import.
    """

    def __init__(
        self,
        name: str,
        emulator: Sequence[str],
        python: Sequence[str],
        env: Mapping[str, str],
        folder: pathlib.Path,
    ) -> None:
        self.name, self._emulator, self._folder = name, emulator, folder
        self.command, self.env = [*emulator, *python], env

    def digests(self) -> list[str]:
        """The lines of digests.py."""
        return self.lines(str(ROOT / "tools/wheel/digests.py"))

    def selftest(self) -> collections.Counter[str]:
        """Compares with results of Linux on x86-64, up to what a library rounds otherwise."""
        lines = self.lines("-m", "parallel_pool", "selftest")
        for line in lines:
            print(f"{self.name}: {line}", flush=True)
        found = re.search(r"^(\d+) ok, (\d+) failed", "\n".join(lines), re.MULTILINE)
        passed, failed = found.groups() if found else (0, 1)
        return collections.Counter(passed=int(passed), failed=int(failed))

    def run_program(self, program: pathlib.Path, scratch: pathlib.Path) -> collections.Counter[str]:
        """Runs a test in C++, in the folder that has its data."""
        xml = scratch / f"{program.name}.xml"
        link = scratch / f"{program.name}.exe"  # Windows knows a program by this end
        link.symlink_to(program)
        data = (program.with_name(f"{program.name}.runfiles") / "parallel_pool").resolve()
        relative = os.path.relpath(xml.resolve(), data)  # GoogleTest on Windows asks for a letter
        command = [*self._emulator, str(link), f"--gtest_output=xml:{relative}"]
        status, printed = run_quietly(command, data, {**self.env, "TEST_TMPDIR": str(scratch)})
        counts = count_cases(xml)
        if status:
            print(f"{self.name}: {program.name}:\n{printed}", flush=True)
            counts["failed"] = counts["failed"] or 1
        return counts

    def lines(self, *arguments: str) -> list[str]:
        """Runs the interpreter with these arguments; the lines that it prints."""
        return run_quietly([*self.command, *arguments], self._folder, self.env)[1].splitlines()


def here(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """This machine's environment, without what is for its processor and its Python."""
    # If OPENBLAS_CORETYPE names no kernels of a processor, NumPy sums in the order of no real one.
    dropped = ("OPENBLAS_CORETYPE", "PYTHONPATH", "PYTHONHOME")
    kept = {name: value for name, value in env.items() if name not in dropped}
    # Without OpenGL, whose libraries `mujoco` would look for by a program of this machine.
    return kept | {"MUJOCO_GL": "disable", "WITHOUT_FAMILY": "vizdoom"}


def files_of(sources: str) -> tuple[str, ...]:
    """The files of the tests, relative to parallel_pool/, of the labels that the query prints."""
    labels = re.findall(r"^//parallel_pool/(\S+):(\S+_test\.py)$", sources, re.MULTILINE)
    return tuple(sorted({f"{folder}/{name}" for folder, name in labels}))


def _query(expression: str) -> str:
    command = ["tools/bazel.sh", "query", expression]
    run = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return run.stdout


def run_tests(
    python: Emulated,
    package: pathlib.Path,
    config: str,
    left_out: Sequence[str],
    more_tests: Sequence[str] = (),
) -> collections.Counter[str]:
    """Runs the tests and compares the digests; the numbers that passed, failed or were skipped.

    Args:
        python: the Python.
        package: the package that is installed there.
        config: the option of Bazel for this system.
        left_out: families whose digests are other ones.
        more_tests: files below parallel_pool/, in addition to POOL_TESTS and those with the tag.
    """
    here = Venv(sys.executable)
    copy_helpers(package, build_test_libraries(config))
    for reference in (ROOT / "parallel_pool/envs").rglob("*reference.py"):
        copy = package / reference.relative_to(ROOT / "parallel_pool")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(reference, copy)
    tests = (*POOL_TESTS, *more_tests, *files_of(_query(f"labels(srcs, kind(py_test, {_TAGGED}))")))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / _CAPI).parent.mkdir(parents=True)
        shutil.copy(build(_CAPI, config), folder / _CAPI)
        calls: list[Callable[[], collections.Counter[str]]] = [
            functools.partial(
                run_pytest,
                f"{python.name}: {test}",
                python.command,
                [copy],
                folder,
                python.env,
                ["-k", f"not ({_LEFT_OUT})"],
            )
            for test, copy in zip(tests, copy_tests(tests, folder), strict=True)
        ]
        others = (*ONLY_X86_64_LINUX, *left_out)
        calls.append(lambda: compare(python.name, here.digests(), python.digests(), others))
        calls.append(python.selftest)
        for library in package.glob("envs/mujoco/*.dll"):  # Windows finds it next to a program
            shutil.copy(library, folder)
        for test in _query(f"kind(cc_test, {_TAGGED})").split():
            program = build(test.removeprefix("//").replace(":", "/"), config)
            calls.append(functools.partial(python.run_program, program, folder))
        return sum(side_by_side(calls), collections.Counter())
