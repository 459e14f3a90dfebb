import argparse
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest

from benchmark.frame import report


def data() -> dict[str, Any]:
    return {
        "benchmark": "throughput",
        "machine": {"cpu": "A Chip", "cores": 1, "python": "3.11.7", "date": "2026-11-21"},
        "rounds": 1,
        "seconds": 0.5,
        "results": [{"name": "a"}, {"name": "b"}],
    }


def args_of(*argv: str) -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    parser = report.parser("throughput", "What it does.", "things: a b", seconds=2.0)
    return parser, parser.parse_args(argv)


def test_heading() -> None:
    assert report.heading(data()) == (
        "A Chip, 1 core, Python 3.11.7, 2026-11-21",
        "medians of 1 round of 0.5 s",
    )


def test_rounds_may_end_by_themselves() -> None:
    assert report.heading({**data(), "rounds": 3, "seconds": 0})[1] == "medians of 3 rounds"
    args = report.parser("start_up", None, "", seconds=0.0, rounds=3).parse_args([])
    assert (args.rounds, args.seconds) == (3, 0)


def test_machine_is_this_one() -> None:
    about = report.machine()
    assert about["cpu"] and about["cores"] >= 1
    assert len(about["date"]) == len("2026-11-21")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--rounds", "0"), "0 is not a whole number from 1 on"),
        (("--rounds", "1.5"), "1.5 is not a whole number"),
        (("--seconds", "0"), "0 is not above 0"),
        (("--seconds", "nan"), "nan is not above 0"),
        (("--seconds", "x"), "invalid duration value: 'x'"),
        (("--json", "/no/such/file.json"), "there is no folder /no/such"),
        (("--plot", "/no/such/file.png"), "there is no folder /no/such"),
        (("--plot", "file.txt"), "file.txt must end in .png"),
    ],
)
def test_what_cannot_be_is_refused_before_the_run(
    argv: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        args_of(*argv)
    assert message in capsys.readouterr().err


def test_an_earlier_run_is_read_and_not_measured(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "results.json"
    file.write_text(json.dumps(data()))
    parser, args = args_of("--from-json", str(file))

    def run() -> list[Any]:
        raise AssertionError("it measures")

    collected = report.collect("throughput", parser, args, run, lambda r: r["name"] == "b")
    assert collected == {**data(), "results": [{"name": "b"}]}


@pytest.mark.parametrize(
    "text", ["", "[]", "1", "null", "{}", '{"benchmark": "scaling"}', None, "\xff"]
)
def test_another_file_is_refused(
    text: str | None, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "results.json"
    if text is not None:
        file.write_bytes(text.encode("latin-1"))
    parser, args = args_of("--from-json", str(file))
    with pytest.raises(SystemExit):
        report.collect("throughput", parser, args, list, lambda _: True)
    said = (
        "No such file"
        if text is None
        else "was not written by --json of `python -m benchmark throughput`"
    )
    assert f"{file}" in (err := capsys.readouterr().err)
    assert said in err


def test_the_file_has_all_results_of_a_run_and_those_of_an_earlier_one(
    tmp_path: pathlib.Path,
) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    parser, args = args_of("--json", str(first))
    collected = report.collect("throughput", parser, args, lambda: [1, 2], lambda _: False)
    assert json.loads(first.read_text()) == collected
    parser, args = args_of("--from-json", str(first), "--json", str(second))
    collected = report.collect("throughput", parser, args, list, lambda result: result == 2)
    assert collected["results"] == [2]
    assert json.loads(second.read_text()) == collected


def test_ctrl_c_keeps_the_results_before(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "results.json"

    def run() -> Iterator[Any]:
        yield {"name": "a"}
        yield {"name": "b"}
        raise KeyboardInterrupt

    parser, args = args_of("--json", str(file))
    with pytest.raises(SystemExit) as ended:
        report.collect("throughput", parser, args, run, lambda _: True)
    assert ended.value.code == 130
    said = f"throughput: interrupted: 2 results are in {file}; --from-json shows them"
    assert said in capsys.readouterr().err
    parser, args = args_of("--from-json", str(file))
    collected = report.collect("throughput", parser, args, run, lambda _: True)
    assert collected["results"] == [{"name": "a"}, {"name": "b"}]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--things", "abd"), "there is nothing for abd; did you mean abc?"),
        (("--things", "xyz"), "there is nothing for xyz. --help lists all names"),
    ],
)
def test_names_that_select_nothing(
    argv: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = report.parser("throughput", "What it does.", "things: abc", seconds=2.0)
    parser.add_argument("--things", nargs="+", default=["*"])
    parser.add_argument("--others", nargs="+", default=["*"])
    with pytest.raises(SystemExit):
        report.collect("throughput", parser, parser.parse_args(argv), list, lambda _: True)
    assert said in capsys.readouterr().err
