"""A checkout to release, for the tests."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
GIT = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com"]


def commit(root: pathlib.Path) -> None:
    """Commits all files."""
    subprocess.run([*GIT, "add", "."], cwd=root, check=True)
    subprocess.run([*GIT, "commit", "-q", "-m", "a: go on"], cwd=root, check=True)


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    """A git checkout with the files that a certificate reads."""
    root = tmp_path / "checkout"
    for name in (
        "benchmark/requirements.lock",
        "build_defs/version.bzl",
        "third_party/pip/mujoco4.lock",
        "third_party/pip/requirements.lock",
        "third_party/procgen/workspace.bzl",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes((ROOT / name).read_bytes())
    (root / ".gitignore").write_text("/.work/\n/dist/\n/runs\n/broken\n")
    subprocess.run([*GIT, "init", "-q"], cwd=root, check=True)
    commit(root)
    return root
