"""A golden file that differs shows the difference and the command that rewrites it."""

import pathlib

import pytest

from parallel_pool.testing import golden, testing_family  # noqa: F401

TASK = "Bytes-v0"


@pytest.fixture
def file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    path = pathlib.Path("parallel_pool/envs/bytes/golden", f"{TASK}.txt")
    path.parent.mkdir(parents=True)
    path.write_text(golden.play(TASK))
    (path.parent.parent / "README.md").write_text(f"# Bytes\n`{TASK}`\n")
    return path


def test_a_difference_is_shown(file: pathlib.Path) -> None:
    golden.check("bytes", TASK)
    lines = file.read_text().splitlines()
    assert lines[-1] == "0 -> reward 0.0 obs [40]"
    file.write_text("\n".join([*lines[:-1], "0 -> reward 0.0 obs [41]"]) + "\n")
    with pytest.raises(AssertionError) as raised:
        golden.check("bytes", TASK)
    shown = [line.strip() for line in str(raised.value).splitlines()]  # pytest indents them
    assert "-0 -> reward 0.0 obs [41]" in shown
    assert "+0 -> reward 0.0 obs [40]" in shown
    assert "tools/bazel.sh run //parallel_pool/envs/bytes:golden_test rewrites the file" in shown


def test_a_long_difference_is_cut(file: pathlib.Path) -> None:
    file.write_text("other\n" * 100)
    with pytest.raises(AssertionError, match=r"\n *\(\d+ more lines\)\n"):
        golden.check("bytes", TASK)
