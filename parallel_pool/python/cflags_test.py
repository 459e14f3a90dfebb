"""python -m parallel_pool --cflags."""

import pathlib
import re
import shlex

import pytest

from parallel_pool.command_line.parser import main
from parallel_pool.python.cflags import INCLUDE, cflags


def test_prints_the_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cflags"]) == 0
    assert shlex.split(capsys.readouterr().out) == cflags()
    assert (INCLUDE / "parallel_pool/core/env.h").is_file()
    assert f"-I{INCLUDE.as_posix()}" in cflags()


def test_language_and_rounding_are_those_of_the_build() -> None:
    build = pathlib.Path(".bazelrc").read_text()
    used = re.findall(r"^build --(?:cxxopt|copt)=(-std=\S+|-ffp-\S+)", build, re.MULTILINE)
    assert len(used) == 2
    assert set(used) <= set(cflags())


def test_ships_all_that_it_includes() -> None:
    headers = list(INCLUDE.rglob("*.h"))
    shipped = {str(header.relative_to(INCLUDE)) for header in headers}
    included = {
        name
        for header in headers
        for name in re.findall(r'^#include "(.*)"', header.read_text(), re.MULTILINE)
    }
    assert included <= shipped


@pytest.mark.parametrize("arguments", [["--cflag"], ["--cflags", "my_env.cc"]])
def test_refuses_what_it_does_not_know(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert re.search(f"(unrecognized arguments|invalid choice).*{arguments[-1]}", shown)


def test_shows_help_when_there_is_nothing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "--cflags" in capsys.readouterr().err
