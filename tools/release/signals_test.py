"""Ctrl-C and its like end a step of make release with all its processes."""

import contextlib
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tools.release import release
from tools.release.steps import Step


def assert_ends(pid: int) -> None:
    stat = pathlib.Path(f"/proc/{pid}/stat")
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the system has forgotten it
        while stat.read_text().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.05)


@pytest.fixture
def begin(root: pathlib.Path) -> Iterator[Callable[[str], tuple[subprocess.Popen[bytes], int]]]:
    """Calls main() in a process; its one step writes the id of a child into `runs`."""
    started: list[subprocess.Popen[bytes]] = []

    def start(command: str) -> tuple[subprocess.Popen[bytes], int]:
        program = f"""
import pathlib, sys
sys.path[:0] = {sys.path!r}
from tools.release import release
from tools.release.steps import Step
release._ROOT = pathlib.Path({str(root)!r})
release._PATIENCE = 10**6
release.steps = lambda short: [Step("long", {command!r})]
sys.argv[1:] = []
sys.exit(release.main())
"""
        started.append(subprocess.Popen([sys.executable, "-c", program]))
        while not (root / "runs").exists() or not (root / "runs").read_text().strip():
            assert started[0].poll() is None
            time.sleep(0.05)
        return started[0], int((root / "runs").read_text())

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_ends_a_step_with_its_children(
    root: pathlib.Path,
    begin: Callable[[str], tuple[subprocess.Popen[bytes], int]],
    number: signal.Signals,
) -> None:
    process, child = begin("sleep 600 & echo $! >runs; wait")
    process.send_signal(number)
    assert process.wait() == 130
    assert_ends(child)
    assert list((root / ".work/release").rglob("*.json")) == []
    assert not (root / "docs/certificate.md").exists()


def test_a_second_ctrl_c_does_not_wait(
    begin: Callable[[str], tuple[subprocess.Popen[bytes], int]],
) -> None:
    process, child = begin("trap '' INT; sleep 600 & echo $! >runs; wait")
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None  # it waits for the step to end
    while process.poll() is None:  # two signals at once would count as one
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
    assert process.wait() == 130
    assert_ends(child)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_a_step_that_is_just_starting(
    root: pathlib.Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, command: list[str], **options: Any) -> None:
            super().__init__(command, **options)
            if command[0] == "env":
                started.append(self)
                signal.raise_signal(number)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            release.make(root, [Step("long", "sleep 600")], [], [], short=False)
    finally:
        signal.signal(number, before)
    assert_ends(started[0].pid)
    assert list((root / ".work/release").rglob("*.json")) == []


def test_ctrl_c_works_in_the_steps_of_a_program_in_the_background(root: pathlib.Path) -> None:
    step = Step("interrupted", "bash -c 'kill -INT $$; echo went on >>runs'; test $? = 130")
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell without job control does
    try:
        assert release.make(root, [step], [], [], short=False) == 0
    finally:
        signal.signal(signal.SIGINT, before)
    assert not (root / "runs").exists()
