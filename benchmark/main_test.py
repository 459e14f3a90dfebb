"""python -m benchmark lists its questions, and names the nearest to an unknown one."""

import pathlib
import re
import subprocess
import sys

import pytest

import benchmark.__main__ as program

ROOT = pathlib.Path(program.__file__).parents[1]


def ask(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "benchmark", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_help_has_a_line_for_each_question() -> None:
    lines = [line.split(maxsplit=1) for line in ask("--help").stdout.splitlines()[4:]]
    assert dict(lines) == program.questions()
    assert all(len(line) < 90 and line.endswith(".") for line in program.questions().values())
    assert ask().stdout == ask("--help").stdout


@pytest.mark.parametrize(("word", "near"), [("throughputs", "throughput"), ("startup", "start_up")])
def test_the_nearest_question_is_named(word: str, near: str) -> None:
    done = ask(word)
    assert done.returncode == 1
    assert f"there is no question {word!r}; did you mean {near}?" in done.stderr


def test_a_question_has_its_own_options() -> None:
    assert ask("scaling", "--help").stdout.startswith("usage: python -m benchmark scaling [-h]")


def test_the_script_names_questions() -> None:
    """tools/bench.sh has a case for each question with an environment of its own."""
    script = (ROOT / "tools/bench.sh").read_text()
    cases = re.findall(r"^  (\w+(?: \| \w+)*)\)$", script, re.MULTILINE)
    assert cases and {q for case in cases for q in case.split(" | ")} <= set(program.questions())
