"""make release goes on where it ended, refuses a changed checkout, and reports failed steps."""

import json
import pathlib
import shutil
import subprocess
import sys
from typing import Any

import pytest

from tools.release import release
from tools.release.certificate import FOLDER
from tools.release.conftest import GIT, commit
from tools.release.steps import Step, counts, steps

ROOT = pathlib.Path(__file__).parent.parent.parent


def said(root: pathlib.Path) -> dict[str, Any]:
    """The steps of the certificate."""
    made: dict[str, Any] = json.loads((root / FOLDER / "certificate.json").read_text())
    found: dict[str, Any] = made["steps"]
    return found


STEPS = [
    Step("first", "echo first >>runs; echo '3 passed, 0 failed, 1 skipped'"),
    Step("second", "echo second >>runs; ! test -e broken"),
]


def make(root: pathlib.Path, *only: str, again: list[str] | None = None) -> int:
    return release.make(root, STEPS, list(only), again or [], short=False)


def clone_with_certificate(root: pathlib.Path) -> pathlib.Path:
    """A clone as on another machine, to which the certificate was copied."""
    other = root.parent / "other"
    subprocess.run(["git", "clone", "-q", root, other], check=True)
    shutil.copytree(root / FOLDER, other / FOLDER)
    return other


def test_a_second_call_runs_what_has_not_passed(root: pathlib.Path) -> None:
    (root / "broken").touch()
    assert make(root) == 1
    assert said(root)["first"]["counts"] == {"passed": 3, "failed": 0, "skipped": 1}
    assert said(root)["second"]["code"] == 1
    assert (
        "| `echo second >>runs; ! test -e broken` | **failed** (exit 1) |"
        in (root / FOLDER / "certificate.md").read_text()
    )

    (root / "broken").unlink()
    assert make(root) == 0  # the certificate itself does not count as a change
    assert said(root)["second"]["code"] == 0
    assert make(root) == 0
    assert (root / "runs").read_text().split() == ["first", "second", "second"]
    assert make(root, again=["first"]) == 0
    assert (root / "runs").read_text().split()[3:] == ["first"]


def test_steps_that_were_not_run_are_named(
    root: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(root, "first") == 1
    assert "failed: none; not run: ['second']" in capsys.readouterr().err
    assert said(root)["second"] is None
    page = (root / FOLDER / "certificate.md").read_text()
    assert "| `echo second >>runs; ! test -e broken` | not run |" in page


def test_another_commit_begins_anew(root: pathlib.Path) -> None:
    assert make(root) == 0
    (root / "new.py").touch()
    commit(root)
    assert make(root) == 0
    assert (root / "runs").read_text().split() == ["first", "second"] * 2


def test_another_machine_goes_on_with_a_copy_of_the_certificate(root: pathlib.Path) -> None:
    (root / "broken").touch()
    assert make(root) == 1
    begun = json.loads((root / FOLDER / "certificate.json").read_text())["versions"]
    other = clone_with_certificate(root)
    certificate = other / FOLDER / "certificate.json"
    certificate.write_text(certificate.read_text().replace(begun["processor"], "Z80, 1 cores"))
    assert make(other) == 0
    assert (other / "runs").read_text().split() == ["second"]
    assert said(other)["first"]["counts"]["passed"] == 3
    ended = json.loads(certificate.read_text())["versions"]
    assert ended == begun | {"processor": f"Z80, 1 cores; {begun['processor']}"}
    # The long form does not take the results of the short one.
    assert release.make(other, STEPS, [], [], short=True) == 0
    assert (other / "runs").read_text().split() == ["second", "first", "second"]


def test_a_torn_certificate_is_an_error(root: pathlib.Path) -> None:
    (root / FOLDER).mkdir(parents=True)
    (root / FOLDER / "certificate.json").write_text("<<<<<<< HEAD")
    with pytest.raises(
        SystemExit, match=r"certificate/certificate.json cannot be read .*: remove it"
    ):
        make(root)
    assert not (root / "runs").exists()
    assert list(root.rglob(".work/release/*")) == []


def test_a_step_needs_files_of_this_machine(root: pathlib.Path) -> None:
    table = Step("table", "echo table >>runs", needs=("first",))
    assert release.make(root, [*STEPS, table], ["first", "second"], [], short=False) == 1
    other = clone_with_certificate(root)
    assert release.make(other, [*STEPS, table], [], [], short=False) == 0
    assert (other / "runs").read_text().split() == ["first", "table"]


def test_a_changed_checkout_is_refused(
    root: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "build_defs/version.bzl").write_text("")
    (root / "new.py").touch()
    assert make(root) == 2
    assert "commit these first: build_defs/version.bzl, new.py" in capsys.readouterr().err
    assert not (root / "runs").exists()


def test_a_checkout_that_changes_during_a_step_is_refused(
    root: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    go_on = f"git add new.py; {' '.join(GIT)} commit -q -m x"
    for command, what in (("touch new.py", "new.py"), (f"touch new.py; {go_on}", "HEAD")):
        both = [Step("bad", command), Step("never", "echo never >>runs")]
        (root / "new.py").unlink(missing_ok=True)
        assert release.make(root, both, [], [], short=False) == 2
        assert f"{what} changed while bad ran" in capsys.readouterr().err
    assert list((root / ".work/release").rglob("*.json")) == []
    assert not (root / "runs").exists()


def test_an_interrupted_step_has_not_passed(root: pathlib.Path) -> None:
    step = Step("once", "echo >>runs; if test -e broken; then kill -INT $PPID; sleep 600; fi")
    assert release.make(root, [step], [], [], short=False) == 0
    (root / "broken").touch()
    with pytest.raises(KeyboardInterrupt):
        release.make(root, [step], [], ["once"], short=False)
    (root / "broken").unlink()
    assert release.make(root, [step], [], [], short=False) == 0
    assert len((root / "runs").read_text()) == 3


def test_a_step_runs_again_after_those_that_it_needs(root: pathlib.Path) -> None:
    known = [*STEPS, Step("table", "echo table >>runs", needs=("first",))]
    assert release.make(root, known, [], [], short=False) == 0
    assert release.make(root, known, [], ["second"], short=False) == 0
    assert release.make(root, known, [], ["first"], short=False) == 0
    assert release.make(root, known, ["second"], ["first"], short=False) == 0
    runs = ["first", "second", "table", "second", "first", "table", "first", "table"]
    assert (root / "runs").read_text().split() == runs


def test_an_unknown_step_is_an_error_with_the_nearest_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["release", "--only", "lnit"])
    with pytest.raises(SystemExit, match=r"there is no step 'lnit'; did you mean lint\?"):
        release.main()


@pytest.mark.parametrize("short", [False, True])
def test_steps_are_targets_of_the_makefile(short: bool) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for step in steps(short):
        for command in step.command.split(" && "):
            program, target = command.split()[:2]
            assert program == ".work/bench/bin/python" or f"\n{target}:" in makefile, command


def test_counts_are_those_of_the_last_line() -> None:
    assert counts("1 passed, 2 failed\nmore\n10 passed, 0 failed, 3 skipped\n") == {
        "passed": 10,
        "failed": 0,
        "skipped": 3,
    }
    assert counts("nothing") == {}
