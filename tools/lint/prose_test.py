import pathlib
import subprocess

import pytest

from tools.lint import prose


def found(path: str, text: str) -> list[str]:
    return [fault.removeprefix(f"{path}:") for fault in prose.faults(path, text)]


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.py", '"""What a pool returns."""\n', 1),
        ("a.py", "x = 1\n# The rows. Of each env\n# the last.\n", 2),
        ("a.py", 'def f():\n    """Text.\n\n    Whose env it is.\n    """\n', 2),
        ("a.h", "int a;\n// Of a frame: its format.\nint b;\n", 2),
        ("a.h", "int a;  // What it holds.\n", 1),
        ("a.md", "# Title\n\nThe pool. Who waits.\n", 3),
        ("a.md", "- text\n- What it has.\n", 2),
        ("a.md", "# Title\n\n    code\n\nText.\n\n```\nx\n```\n\nWhat it has.\n", 11),
        ("a.md", "\tcode\n\nWhat it has.\n", 3),
        ("a.sh", "#!/bin/sh\nx=1  # Of the last.\n", 2),
        ("a.sh", "# It waits. Who\n# waits.\n", 1),
        ("BUILD", "# What it has.\nx(name = 1)\n", 1),
        ("a.bzl", '"""What it has."""\n', 1),
    ],
)
def test_a_sentence_begins_with_its_subject(path: str, text: str, line: int) -> None:
    (fault,) = found(path, text)
    assert fault.startswith(f"{line}: a sentence begins with ")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "# It begins anew.\n"),
        ("a.h", "// It begins anew.\n"),
        ("a.md", "| a | begins\n\nIt begins anew.\n"),
    ],
)
def test_old_words_are_named_with_what_to_write(path: str, text: str) -> None:
    (fault,) = found(path, text)
    assert '"anew": write again' in fault


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'x = "anew"  # "What" and `anew` are quoted\n'),
        ("a.py", "# What is it?\n"),
        ("a.py", "# Of course it is.\n"),
        ("a.h", 'const char* a = "anew";\n'),
        ("a.md", "# What it is\n\n    What code says anew.\n\n```\nanew\n```\n"),
    ],
)
def test_quotations_questions_headings_and_code_are_left_out(path: str, text: str) -> None:
    assert found(path, text) == []


def test_the_program_reads_the_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    page = tmp_path / "a.md"
    page.write_text("It begins anew.\n")
    assert prose.main() == 1
    page.write_text("It begins again.\n")
    assert prose.main() == 0
