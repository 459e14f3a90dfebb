"""Programs that run side by side, and the counts of pytest."""

import functools
import os
import pathlib
import sys
import threading
import time

import pytest

from tools.testing.pytest_runs import run_pytest, side_by_side


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})


def test_results_are_in_order_and_two_run_at_once() -> None:
    both = threading.Barrier(2, timeout=60)

    def call(number: int) -> int:
        both.wait()
        time.sleep(0.01 * (4 - number))
        return number

    assert side_by_side([functools.partial(call, number) for number in range(4)]) == [0, 1, 2, 3]
    assert side_by_side([]) == []


def test_none_begins_after_an_exception() -> None:
    begun: list[int] = []
    failed = threading.Event()

    def call(number: int) -> None:
        begun.append(number)
        if number == 0:
            failed.set()
            raise KeyboardInterrupt
        failed.wait(60)
        time.sleep(0.5)  # the thread of the first call is free meanwhile, and finds nothing to do

    with pytest.raises(KeyboardInterrupt):
        side_by_side([functools.partial(call, number) for number in range(20)])
    assert len(begun) < 20


def test_counts_of_pytest(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = tmp_path / "some_test.py"
    python = [sys.executable, "-B"]
    env = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    test.write_text(
        "import pytest\n"
        "def test_good(): pass\n"
        "def test_left_out(): pass\n"
        "def test_bad(): assert 0\n"
        "def test_other(): pytest.skip()\n"
    )
    options = ["-k", "not left_out"]
    run = functools.partial(run_pytest, "cp311", python, [test], tmp_path, env)
    assert run(options) == {"passed": 1, "failed": 1, "skipped": 1}
    printed = capsys.readouterr().out
    assert printed.startswith("cp311:\n")
    assert "assert 0" in printed
    test.write_text("import does_not_exist")
    assert run()["failed"] == 1
    assert run(["--no-such-option"]) == {"failed": 1}
