"""Tests the wheel for 64-bit ARM in dist/ in an emulated processor; ends with `N passed, N failed`.

QEMU runs Debian's Python of that processor, with the wheel and the packages of the build's lock.
There it runs the rules that all tasks satisfy, and tests that compare envs with their references.
Then it runs selftest, and plays tasks of all families: their digests must be those of this
machine's wheel. MuJoCo's are left out, because its library for ARM rounds otherwise; the tests
compare it with itself.
Usage: python3 -m tools.wheel.try_aarch64
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping

from tools.testing.run_tests import print_counts
from tools.wheel import another_system
from tools.wheel.another_system import ROOT, Emulated, Packages, run_tests

_FOLDER = ROOT / ".work/wheels/aarch64"
# The Debian whose Python is that of the wheel.
_SUITES = {(3, 11): "bookworm", (3, 13): "trixie", (3, 14): "forky"}
_PLATFORMS = [f"manylinux{v}_aarch64" for v in ("2014", "_2_17", "_2_27", "_2_28")]
# box2d has no wheel for ARM.
_WITHOUT = ("box2d",)
# The processor of Graviton2 and Ampere's servers. On those with SVE, and on some older ones, the
# OpenBLAS in NumPy sums products in another order than pools do.
_PROCESSOR = "neoverse-n1"


def environment(here: Mapping[str, str], site: pathlib.Path) -> dict[str, str]:
    """The environment of the Python for ARM: that of this machine, without its processor."""
    return another_system.here(here) | {"PYTHONPATH": str(site), "QEMU_CPU": _PROCESSOR}


def emulated() -> Emulated:
    """A Python for ARM, with the wheel."""
    suite = _SUITES.get(sys.version_info[:2])
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if suite is None:
        known = ", ".join(f"{major}.{minor}" for major, minor in _SUITES)
        sys.exit(f"aarch64: no Debian has Python {version}, the wheel's; there are {known}")
    packages = Packages("aarch64", _FOLDER, _PLATFORMS, _WITHOUT)
    root, program = _FOLDER / "root", _FOLDER / "python"
    emulator = ["qemu-aarch64-static", "-L", str(root)]
    if not packages.is_complete(suite):
        print(f"aarch64: installing Debian's Python {version}", flush=True)
        shutil.rmtree(_FOLDER, ignore_errors=True)
        script = str(ROOT / "tools/wheel/debian_packages.sh")
        names = [f"python{version}", "libstdc++6", "zlib1g"]
        subprocess.run([script, suite, "arm64", str(root), *names], check=True)
        # QEMU does not emulate what a process starts, so Python starts itself by this program.
        command = shlex.join([*emulator, str(root / f"usr/bin/python{version}")])
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        program.chmod(0o755)
        packages.complete(suite)
        line = f"import sys\n\nsys.executable = {str(program)!r}\n"
        (packages.site / "sitecustomize.py").write_text(line)
    packages.install_wheel()
    env = environment(os.environ, packages.site)
    python = [str(root / f"usr/bin/python{version}"), "-s", "-B"]
    return Emulated("aarch64", emulator, python, env, _FOLDER)


def main() -> int:
    """Tests the wheel."""
    package = _FOLDER / "site/parallel_pool"
    counts = run_tests(emulated(), package, "--config=aarch64", ["mujoco"])
    print_counts(counts)
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
