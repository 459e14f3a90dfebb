"""benchmark/training.py reads the output of the example and compares medians."""

import pathlib

import pytest

from benchmark import training
from benchmark.training import Run


def test_reads_the_last_line_of_the_programs() -> None:
    line = "mean return 477.1 after 172,032 steps in 16.4 s (parallel_pool)"
    assert training.result(line)[:2] == (172032, 16.4)
    assert training.result(line.replace("477.1", "-3.0"))[:2] == (172032, 16.4)
    for task, (program, example) in training.TASKS.items():
        for path in (f"benchmark/ppo/{program}", f"examples/training/{example}"):
            text = pathlib.Path(path).read_text()
            assert "mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s" in text
            assert f'"{task}"' in text
        text = pathlib.Path(f"benchmark/ppo/{program}").read_text()
        assert ('"--overlap"' in text) == (program in training.OVERLAPPING)
        sb3 = pathlib.Path("benchmark/ppo/sb3.py").read_text()
        assert (f'"{task}"' in sb3) == (task in training.OF_SB3)
    with pytest.raises(ValueError, match="the program ended with 'Killed'"):
        training.result("Killed")


def test_plays_the_program(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_ROOT", tmp_path)
    line = "mean return 1.0 after {} steps in {} s"
    (tmp_path / "good.py").write_text(
        f"import sys; print(sys.argv); print('{line}'.format(sys.argv[-3], sys.argv[-1]))"
    )
    run = training.play(["good.py", "envpool", "16"], 3)
    assert run[:2] == (16, 3.0)
    assert 0 < run.cpu < 60
    (tmp_path / "bad.py").write_text("print('so far'); raise SystemExit(1)")
    with pytest.raises(SystemExit, match=r"bad.py envpool --seed 3 failed: so far"):
        training.play(["bad.py", "envpool"], 3)


def test_the_rows_of_a_task() -> None:
    rows = training.variants("Pong-v5")
    assert list(rows) == [*training.LIBRARIES, training.EXAMPLE]
    assert rows[training.EXAMPLE] == ["examples/training/ppo_pong.py"]
    more = ["envpool --overlap", "parallel_pool --overlap", training.EXAMPLE]
    of_sb3 = ["sb3 gymnasium", "sb3 parallel_pool"]
    assert list(training.variants("HalfCheetah-v5")) == [*training.LIBRARIES, *more, *of_sb3]
    assert training.variants("HalfCheetah-v5")["envpool --overlap"] == [
        *("benchmark/ppo/robots.py", "HalfCheetah-v5"),
        *("--library", "envpool", "--overlap"),
    ]


def test_refuses_no_seeds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["training.py", "--seeds", "0"])
    with pytest.raises(SystemExit):
        training.main()
    assert "--seeds must be at least 1, not 0" in capsys.readouterr().err


def test_table_has_medians_and_ratios() -> None:
    shown = training.table(
        {
            "gymnasium": [Run(10, 30.0, 5.0), Run(30, 10.0, 7.0), Run(20, 40.0, 6.0)],
            "parallel_pool": [Run(10, 5.0, 1.0), Run(30, 20.0, 2.0), Run(20, 10.0, 3.0)],
        }
    )
    cells = [cell.strip() for cell in shown.splitlines()[2].strip("|").split("|")]
    assert cells == ["gymnasium", "20", "30.0", "6.0", "x3.00"]
    assert shown.count("x1.00") == 1
