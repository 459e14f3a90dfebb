"""benchmark/training.py reads the output of the example and compares medians."""

import pathlib

import pytest

from benchmark import training
from benchmark.training import Run


def test_reads_the_last_line_of_the_example() -> None:
    line = "mean return 477.1 after 172,032 steps in 16.4 s (parallel_pool)"
    assert training.result(line)[:2] == (172032, 16.4)
    assert training.result(line.replace("477.1", "-3.0"))[:2] == (172032, 16.4)
    printed = "mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s ({args.library})"
    for program, (task, goal) in training.PROGRAMS.items():
        text = (pathlib.Path("examples/training") / program).read_text()
        assert f'print(f"{printed}")' in text
        assert f"GOAL = {goal:.1f}" in text or f'"{task}": {goal:.1f}' in text
        assert ('"--overlap"' in text) == (program in training.OVERLAPPING)
        assert f'"{task}"' in text
    with pytest.raises(ValueError, match="the program ended with 'Killed'"):
        training.result("Killed")


def test_plays_the_program(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_EXAMPLES", tmp_path)
    line = "mean return 1.0 after {} steps in {} s"
    (tmp_path / "good.py").write_text(
        f"import sys; print(sys.argv); print('{line}'.format(sys.argv[-1], sys.argv[-3]))"
    )
    run = training.play("good.py", "envpool", 3, 16)
    assert run[:2] == (16, 3.0)
    assert 0 < run.cpu < 60
    (tmp_path / "bad.py").write_text("print('so far'); raise SystemExit(1)")
    with pytest.raises(SystemExit, match=r"bad.py with --library envpool --seed 3 failed: so far"):
        training.play("bad.py", "envpool", 3, None)


def test_a_second_row_learns_while_the_envs_step() -> None:
    assert training.variants("ppo_pong.py") == list(training.LIBRARIES)
    more = ["envpool --overlap", "parallel_pool --overlap"]
    assert training.variants("ppo_mujoco.py") == [*training.LIBRARIES, *more]


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
