"""The programs next to this file run."""

import pathlib
import re
import runpy
import sys

import pytest
from PIL import Image

ROOT = pathlib.Path(__file__).parent.parent


def test_quickstart(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples/quickstart.py"), run_name="__main__")
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "gym: (100, 4, 84, 84)"
    assert "async: (16, 4, 84, 84)" in out
    assert "gymnasium: (2, 4) [2 5]" in out


def test_acme_loop(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """ACME has no wheels for this Python, so dm_env's own test suite checks the env."""
    module = runpy.run_path(str(ROOT / "examples/acme_loop.py"))
    env = module["OneEnv"]("CartPole-v1", max_episode_steps=5)
    step = env.reset()
    assert (step.first(), step.reward, step.discount) == (True, None, None)
    env.observation_spec().validate(step.observation)
    steps = [env.step(1) for _ in range(6)]
    assert [s.mid() for s in steps] == [True] * 4 + [False] * 2
    assert (steps[4].last(), steps[4].reward, steps[4].discount) == (True, 1, 1)
    assert steps[5].first()
    monkeypatch.setattr(sys, "argv", ["acme_loop.py", "--episodes", "3"])
    runpy.run_path(str(ROOT / "examples/acme_loop.py"), run_name="__main__")
    assert "3 episodes, " in capsys.readouterr().out


def test_self_play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Random play loses 44 % of its games."""
    monkeypatch.setattr(sys, "argv", ["self_play.py", "--steps", "800"])
    runpy.run_path(str(ROOT / "examples/self_play.py"), run_name="__main__")
    before, after = (float(s) for s in re.findall(r"lost ([\d.]+)%", capsys.readouterr().out))
    assert before > 30
    assert after < 5


def test_mujoco_plan(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A pole without controls hangs, 180 degrees from upright."""
    monkeypatch.setattr(sys, "argv", ["mujoco_plan.py", "--seconds", "4"])
    runpy.run_path(str(ROOT / "examples/mujoco_plan.py"), run_name="__main__")
    found = re.search(r"the pole is ([\d.]+) degrees from upright", capsys.readouterr().out)
    assert found is not None
    assert float(found[1]) < 15


def test_mujoco_identify(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["mujoco_identify.py", "--guesses", "64", "--rounds", "8"])
    runpy.run_path(str(ROOT / "examples/mujoco_identify.py"), run_name="__main__")
    out = capsys.readouterr().out
    assert "round 7: masses [1.7 0.6] kg" in out
    assert "the arm has [1.7 0.6]" in out


def video(monkeypatch: pytest.MonkeyPatch, program: str, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", [program, *arguments])
    runpy.run_path(str(ROOT / "examples" / program), run_name="__main__")


def test_atari_video(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "video.gif")
    few = ["--num-envs", "1", "--steps", "3", "--columns", "2", "--out", out]
    games = ["--games", "Pong-v5", "Adventure-v5", "Breakout-v5"]
    video(monkeypatch, "atari_video.py", *games, *few)
    assert "3 frames of 328 x 508 pixels" in capsys.readouterr().out
    with Image.open(out) as gif:
        assert (gif.size, getattr(gif, "n_frames", 1)) == ((328, 508), 3)
        picture = gif.convert("RGB")
        tiles = [picture.crop((x, y, x + 160, y + 210)) for x, y in [(0, 0), (164, 0), (0, 254)]]
        assert all(len(tile.getcolors() or []) > 1 for tile in tiles)
        assert picture.crop((164, 254, 328, 508)).getcolors() == [(164 * 254, (0, 0, 0))]


def test_mujoco_video(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "video.gif")
    few = ["--num-envs", "1", "--steps", "3", "--size", "40", "--columns", "2", "--out", out]
    video(monkeypatch, "mujoco_video.py", "--tasks", "Ant-v5", "Hopper-v5", "Pusher-v5", *few)
    assert "3 frames of 80 x 80 pixels" in capsys.readouterr().out
    with Image.open(out) as gif:
        assert (gif.size, getattr(gif, "n_frames", 1)) == ((80, 80), 3)
        picture = gif.convert("RGB")
        tiles = [picture.crop((x, y, x + 40, y + 40)) for x, y in [(0, 0), (40, 0), (0, 40)]]
        assert all(len(tile.getcolors(1600) or []) > 20 for tile in tiles)
        assert picture.crop((40, 40, 80, 80)).getcolors() == [(1600, (0, 0, 0))]


def test_videos_refuse(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for program in ("atari_video.py", "mujoco_video.py"):
        with pytest.raises(SystemExit):
            video(monkeypatch, program, "--columns", "0")
        assert "--columns must be at least 1" in capsys.readouterr().err
    with pytest.raises(ValueError, match="did you mean Pong-v5"):
        video(monkeypatch, "atari_video.py", "--games", "Pnog-v5")
    with pytest.raises(ValueError, match="did you mean Ant-v5"):
        video(monkeypatch, "mujoco_video.py", "--tasks", "Ant-v6")
