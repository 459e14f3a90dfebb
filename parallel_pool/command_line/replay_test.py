"""python -m parallel_pool replay and diff."""

import pathlib

import numpy as np
import pytest
from PIL import Image

import parallel_pool
from parallel_pool.command_line.parser import main
from parallel_pool.python.pools.window import tile

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory, with two runs that part at result 50."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.ppr", "b.ppr"):
        with parallel_pool.make("MountainCar-v0", num_envs=3) as pool:
            pool.record(name)
            pool.reset()
            for step in range(1, 100):
                pool.step(np.array([0, 2 if name == "b.ppr" and step == 50 else 1, 2]))


def test_replay_shows_a_run_and_a_step(capsys: Capture) -> None:
    assert main(["replay", "a.ppr"]) == 0
    shown = capsys.readouterr().out
    assert "MountainCar-v0: 3 envs, 100 results" in shown
    assert "num_envs=3" in shown
    assert main(["replay", "a.ppr", "--env", "1", "--step", "50"]) == 0
    shown = capsys.readouterr().out
    assert "result 50 of MountainCar-v0, envs [1]" in shown
    assert "action: [1]" in shown
    assert "'elapsed_step': array([50]" in shown


def test_replay_verifies(capsys: Capture) -> None:
    assert main(["replay", "a.ppr", "--verify"]) == 0
    assert "a.ppr holds: 100 results of 3 envs" in capsys.readouterr().out
    data = pathlib.Path("a.ppr").read_bytes()
    pathlib.Path("a.ppr").write_bytes(data[:-60])
    with pytest.warns(UserWarning, match="cut off"):
        assert main(["replay", "a.ppr", "--verify"]) == 1
    assert "as far as it can be read" in capsys.readouterr().out


def test_replay_writes_films(capsys: Capture) -> None:
    arguments = ["replay", "a.ppr", "--env", "1", "--step", "30", "--steps", "5"]
    assert main([*arguments, "--out", "a.gif", "--fps", "10"]) == 0
    assert "a.gif: env 1 of MountainCar-v0, results 30 to 34, 10 per second" in (
        capsys.readouterr().out
    )
    with Image.open("a.gif") as film:
        assert film.n_frames == 5  # type: ignore[attr-defined]


@pytest.mark.parametrize("out", ["a.gif", "a.mp4"])
def test_a_film_has_a_frame_for_each_result(out: str) -> None:
    if out == "a.mp4":
        imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
        assert main(["replay", "a.ppr", "--out", out]) == 0
        assert imageio_ffmpeg.count_frames_and_secs(out)[0] == 100
        return
    assert main(["replay", "a.ppr", "--out", out]) == 0
    with Image.open(out) as film:
        assert film.n_frames == 100  # type: ignore[attr-defined]


def test_a_png_is_the_picture_of_the_step(capsys: Capture) -> None:
    assert main(["replay", "a.ppr", "--step", "30", "--out", "a.png"]) == 0
    assert capsys.readouterr().out == "a.png: 3 envs of MountainCar-v0, result 30\n"
    with parallel_pool.replay("a.ppr", render_mode="rgb_array") as run:
        run.seek(30)
        wanted = tile(next(run.frames()))
    np.testing.assert_array_equal(np.asarray(Image.open("a.png")), wanted)


def test_a_short_film_lasts_a_second(capsys: Capture) -> None:
    assert main(["replay", "a.ppr", "--step", "95", "--out", "a.gif"]) == 0
    assert "results 95 to 99, 5 per second" in capsys.readouterr().out
    with Image.open("a.gif") as film:
        assert (film.n_frames, film.info["duration"]) == (5, 200)  # type: ignore[attr-defined]


def test_diff(capsys: Capture) -> None:
    assert main(["diff", "a.ppr", "a.ppr"]) == 0
    assert capsys.readouterr().out == "the runs are equal\n"
    assert main(["diff", "a.ppr", "b.ppr"]) == 1
    assert capsys.readouterr().out == "the runs part at result 50, env 1: action is 1 and 2\n"


def test_refused(capsys: Capture) -> None:
    for arguments, words in (
        (["replay", "none.ppr"], "No such file"),
        (["replay", __file__], "is no recording of pool.record()"),
        (["replay", "a.ppr", "--env", "3"], "env_id is 3; the run has the envs 0 to 2"),
        (["replay", "a.ppr", "--step", "100"], "step is 100; the results of the run are 0 to 99"),
        (["replay", "a.ppr", "--out", "a.txt"], "allowed endings are .mp4, .gif, .png"),
        (["diff", "a.ppr", "none.ppr"], "No such file"),
    ):
        assert main(arguments) == 2
        assert words in capsys.readouterr().err
