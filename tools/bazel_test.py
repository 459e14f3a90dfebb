"""tools/bazel.sh builds with the real interpreter, whatever the shell's PATH is."""

import os
import pathlib
import re
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).parent.parent


def python_of(path: str, home: pathlib.Path) -> str:
    """The interpreter that Bazel's rules see, with such a PATH."""
    fake = home / "bin"
    fake.mkdir(exist_ok=True)
    (fake / "bazel").write_text('#!/bin/sh\necho "$PARALLEL_POOL_PYTHON"\n')
    (fake / "bazel").chmod(0o755)
    env = {"HOME": str(home), "PATH": f"{fake}:{path}"}
    command = [str(ROOT / "tools/bazel.sh"), "info"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_an_active_environment_changes_nothing(tmp_path: pathlib.Path) -> None:
    base: str = os.path.realpath(sys._base_executable)  # type: ignore[attr-defined]
    first = tmp_path / "first"
    first.mkdir()
    (first / "python3").symlink_to(base)
    venv.create(tmp_path / "venv", symlinks=True)
    for folder in (first, tmp_path / "venv/bin"):
        assert python_of(f"{folder}:/usr/bin:/bin", tmp_path) == base


def test_the_environment_of_the_build_does_not_depend_on_path() -> None:
    rule = (ROOT / "third_party/pip/pip.bzl").read_text()
    (names,) = re.findall(
        r"implementation = _pip_venv_impl,.*?environ = (\[.*?\])", rule, re.DOTALL
    )
    assert names == '["PARALLEL_POOL_PYTHON"]'
