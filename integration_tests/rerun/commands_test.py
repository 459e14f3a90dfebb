"""`python -m parallel_pool view`: its files, and its errors in one sentence."""

import pathlib
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from readback import plot, read, states

import parallel_pool
from parallel_pool.command_line.parser import main
from parallel_pool.integrations.rerun import viewer
from parallel_pool.replays.replay import Replay


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory, on a machine without a display."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(viewer, "has_display", lambda: False)


def test_without_a_display_it_writes_a_file(
    run: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", str(run), "--env", "1", "3", "--pictures", "0"]) == 0
    content = read("run.rrd")
    assert {name.partition("/")[0] for name in content if "env" in name} == {"env_1", "env_3"}
    said = capsys.readouterr().out
    assert "run.rrd: `rerun run.rrd` shows it on a machine with a display" in said
    assert "--serve" in said


def test_with_a_display_it_opens_a_window(
    run: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    def open_window(file: str) -> int:
        opened.append(len(plot(read(file), "env_0/reward")))
        return 0

    monkeypatch.setattr(viewer, "has_display", lambda: True)
    monkeypatch.setattr(viewer, "open_window", open_window)
    assert main(["view", str(run), "--steps", "0:7"]) == 0
    assert opened == [7]
    assert not list(pathlib.Path().glob("*.rrd"))


def other_run(path: pathlib.Path, steps: int, changed: int) -> pathlib.Path:
    """A run of CartPole-v1 whose env 2 takes the other action in one step."""
    rng = np.random.default_rng(1)
    with parallel_pool.make("CartPole-v1", num_envs=4, seed=3) as pool, pool.record(path):
        pool.reset()
        for step in range(steps):
            actions = rng.integers(2, size=4, dtype=np.int32)
            actions[2] ^= step == changed
            pool.step(actions)
    return path


def test_two_runs_are_marked_where_they_part(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = other_run(tmp_path / "a.ppr", 40, -1)
    b = other_run(tmp_path / "b.ppr", 40, 24)
    assert main(["view", str(a), str(b), "--out", "both.rrd"]) == 0
    says = "the runs part at result 25, env 2: action is"
    assert says in capsys.readouterr().out
    content = read("both.rrd")
    assert states(content, "parting") == [(0, "equal"), (25, "parted")]
    ((_, (text,)),) = content["parting/text"]["TextDocument:text"]
    assert text.startswith(says)
    mine, other = (plot(content, f"run_{k}/env_2/action") for k in (1, 2))
    assert next(step for step in mine if mine[step] != other.get(step)) == 25
    assert not any("env_0" in entity for entity in content)
    assert main(["view", str(a), str(a), "--out", "same.rrd"]) == 0
    assert states(read("same.rrd"), "parting") == [(0, "equal")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env", "9"], "env is 9; {run} has the envs 0 to 3"),
        (
            ["--episode", "wrost"],
            "episode is 'wrost'; allowed are best, median, worst, and numbers "
            "from 0 on; did you mean worst?",
        ),
        (["--episode", "1000"], "episode is 1000; those that end in the run are 0 to"),
        (["--steps", "900:990"], "steps is 900:990; the results of {run} are 0 to 300"),
        (["--out", "run.txt"], "--out is 'run.txt'; it must end in .rrd"),
        (["--out", "nowhere/run.rrd"], "No such file or directory: 'nowhere/run.rrd'"),
        (["--follow", "--env", "1"], "--follow shows the newest episodes; it does not take --env"),
        (["other.ppr", "--follow"], "--follow shows one run, not two"),
    ],
)
def test_wrong_arguments(
    run: pathlib.Path, words: Sequence[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", str(run), *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("python -m parallel_pool view: ")
    assert message.format(run=run) in said
    assert not list(pathlib.Path().glob("**/*.rrd*"))


def test_a_task_without_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    with parallel_pool.make("NChain-v0", num_envs=2) as pool, pool.record("chain.ppr"):
        pool.reset()
    assert main(["view", "chain.ppr"]) == 0
    assert main(["view", "chain.ppr", "--pictures", "1"]) == 2
    assert "NChain-v0 draws no pictures; give pictures 0" in capsys.readouterr().err


def test_a_machine_that_cannot_draw(
    run: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The view has no pictures, and a line says why; pictures that were asked for are an error."""

    def fail(played: Replay) -> None:
        raise RuntimeError("there is no OpenGL")

    monkeypatch.setattr(Replay, "render", fail)
    assert main(["view", str(run), "--env", "0"]) == 0
    assert "there are no pictures of it: there is no OpenGL" in capsys.readouterr().out
    content = read("run.rrd")
    assert len(plot(content, "env_0/reward")) == 301
    assert "env_0/picture" not in content
    assert main(["view", str(run), "--pictures", "9"]) == 2
    assert "there is no OpenGL" in capsys.readouterr().err


@pytest.mark.parametrize("damage", ["no recording", "cut", "missing"])
def test_damaged_files(run: pathlib.Path, damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = run.read_bytes()
    bad = pathlib.Path("bad.ppr")
    if damage != "missing":
        bad.write_bytes(b"hello" if damage == "no recording" else data[: len(data) - 10])
    code = main(["view", "bad.ppr", "--pictures", "0"])
    said = "".join(capsys.readouterr())
    if damage == "cut":  # its readable part is shown
        assert code == 0
        assert "bad.ppr: its last record is cut off" in said
        assert len(plot(read("bad.rrd"), "env_0/reward")) > 100
        return
    assert code == 2
    assert ("is no recording" if damage == "no recording" else "No such file") in said


def test_without_rerun(
    run: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "rerun", None)
    assert main(["view", str(run)]) == 2
    assert 'pip install "parallel_pool[view]"' in capsys.readouterr().err
    pool = parallel_pool.make("CartPole-v1", num_envs=2)
    with pytest.raises(RuntimeError, match=r"pip install \"parallel_pool\[view\]\""):
        pool.record("new.ppr", view=True)
    assert not pathlib.Path("new.ppr").exists()
    pool.record("new.ppr").stop()  # nothing is left of the call before
