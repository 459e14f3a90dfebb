"""The question `training` reads the programs' last lines, and compares medians."""

import pathlib
import sys
from typing import Any

import pytest

from benchmark.questions import training


def test_reads_the_last_line_of_the_programs() -> None:
    line = "mean return 477.1 after 172,032 steps in 16.4 s"
    assert training.result(line) == {"result": 477.1, "steps": 172032, "seconds": 16.4}
    assert training.result("FetchReach-v4: " + line.replace("return", "success"))["steps"] == 172032
    with pytest.raises(ValueError, match="the program ended with 'Killed'"):
        training.result("Killed")
    for name in training.PROGRAMS:
        text = (training._FOLDER / name).read_text()
        assert '"--seed"' in text and " steps in {seconds:.1f} s" in text


def test_the_libraries_of_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "without_missing", list)
    commands = training.variants(["ppo_cartpole.py", "LunarLander-v3"])
    assert list(commands) == ["gymnasium", "envpool", "parallel_pool", "with a Rollout"]
    program = [str(training._FOLDER / "ppo_cartpole.py"), "LunarLander-v3"]
    assert commands["envpool"][-3:] == ["envpool", *program]
    assert commands["with a Rollout"] == ["-I", *program]
    assert list(training.variants(["sb3_ppo.py"])) == ["gymnasium", "parallel_pool"]


def test_plays_the_program(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "program.py"
    line = "mean return 1.0 after {} steps in {} s"
    program.write_text(f"import sys; print('{line}'.format(sys.argv[1], sys.argv[2][7:]))")
    run = training.play([str(program), "16"], 3)
    assert (run["seed"], run["steps"], run["seconds"]) == (3, 16, 3.0)
    assert 0 < run["cpu_seconds"] < 60
    program.write_text("print('so far'); raise SystemExit('no such env')")
    with pytest.raises(SystemExit, match=r"program.py: the program ended with 'so far': no such"):
        training.play([str(program)], 3)


def test_an_unknown_program_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["training", "ppo.py"])
    with pytest.raises(SystemExit):
        training.main()
    assert "there is no program 'ppo.py'; allowed are ppo_cartpole.py," in capsys.readouterr().err


def test_table_has_medians_and_ratios() -> None:
    def run(steps: int, seconds: float, cpu: float) -> dict[str, float]:
        return {"steps": steps, "result": 475.0, "seconds": seconds, "cpu_seconds": cpu}

    results: list[Any] = [
        {"library": "gymnasium", "rounds": [run(10, 30, 5), run(30, 10, 7), run(20, 40, 6)]},
        {"library": "parallel_pool", "rounds": [run(10, 5, 1), run(30, 20, 2), run(20, 10, 3)]},
    ]
    shown = training.table({"results": results})
    cells = [cell.strip() for cell in shown.splitlines()[2].strip("|").split("|")]
    assert cells == ["gymnasium", "20", "475.00", "30.0", "6.0", "x3.00"]
    assert shown.count("x1.00") == 1
