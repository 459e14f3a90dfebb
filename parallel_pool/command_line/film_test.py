"""python -m parallel_pool film."""

import os
import pathlib
import sys
from typing import Any

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import parallel_pool
from parallel_pool.command_line import film_file
from parallel_pool.command_line.parser import main
from parallel_pool.python.pools.window import tile
from parallel_pool.testing import testing_family  # noqa: F401

Capture = pytest.CaptureFixture[str]

POLICIES = """
import numpy as np

seen = []
not_a_function = 3

def right(obs):
    seen.append(obs.shape)
    return np.ones(len(obs), int)

def short(obs):
    return np.ones(2, int)

def wrong(obs):
    return np.full(len(obs), 7)

def fails(obs):
    return {}["key"]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The working directory, with policies.py."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies.py").write_text(POLICIES)
    (tmp_path / "broken.py").write_text("import no_such_library")
    for name in ("policies", "broken"):
        sys.modules.pop(name, None)
    return tmp_path


def played(task: str, steps: int, num_envs: int, action: int | None) -> list[Any]:
    """The tiles of a pool that plays one action, or random ones."""
    random = np.random.default_rng(42)
    with parallel_pool.make(task, num_envs=num_envs, seed=42, render_mode="rgb_array") as pool:
        pool.reset()
        tiles = [tile(pool.render())]
        for _ in range(steps):
            if action is None:
                actions = random.integers(pool.action_space.n, size=num_envs)
            else:
                actions = np.full(num_envs, action)
            pool.step(actions)
            tiles.append(tile(pool.render()))
    return tiles


def every_20_ms(gif: Any) -> list[Any]:
    """The pictures that are shown at 0, 20, 40, ... ms; equal ones are one frame of a gif."""
    pictures = []
    for i in range(gif.n_frames):
        gif.seek(i)
        pictures += [np.asarray(gif.convert("RGB"))] * (gif.info["duration"] // 20)
    return pictures


def read_mp4(file: pathlib.Path) -> tuple[dict[str, Any], list[Any]]:
    """The metadata of a film and its pictures."""
    reader = imageio_ffmpeg.read_frames(file)
    meta = next(reader)
    width, height = meta["size"]
    return meta, [np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in reader]


@pytest.mark.parametrize(
    ("number", "rows", "columns"), [(1, 1, 1), (2, 1, 2), (3, 2, 2), (5, 2, 3), (9, 3, 3)]
)
def test_tiles_are_in_rows_of_a_nearly_square_number(number: int, rows: int, columns: int) -> None:
    pictures = np.arange(1, number * 4 * 6 * 3 + 1).reshape(number, 4, 6, 3).astype(np.uint8)
    whole = tile(pictures)
    assert whole.shape == (rows * 4, columns * 6, 3)
    for i in range(rows * columns):
        y, x = i // columns * 4, i % columns * 6
        part = pictures[i] if i < number else np.zeros((4, 6, 3), np.uint8)
        np.testing.assert_array_equal(whole[y : y + 4, x : x + 6], part)


def test_a_png_is_the_last_picture(folder: pathlib.Path, capsys: Capture) -> None:
    command = ["film", "FrozenLake-v1", "--out", "lake.png", "--steps", "7", "--num-envs", "3"]
    assert main(command) == 0
    assert capsys.readouterr().out == (
        "lake.png: 3 envs of FrozenLake-v1, 7 steps, 4 steps per second\n"
    )
    last = played("FrozenLake-v1", 7, 3, None)[-1]
    np.testing.assert_array_equal(np.asarray(Image.open(folder / "lake.png")), last)


def test_the_old_name_of_the_command(
    folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", "FrozenLake-v1", "--out", "lake.png", "--steps", "2"]) == 0
    assert (folder / "lake.png").exists()
    assert "record: the command is called film now" in capsys.readouterr().err


def test_a_name_that_stands_for_a_task_is_filmed(folder: pathlib.Path) -> None:
    assert main(["film", "rware-tiny-2ag-v2", "--out", "a.png", "--num-envs", "4"]) == 0
    assert Image.open(folder / "a.png").size == (600, 660)


def test_a_gif_has_all_pictures_at_the_tasks_speed(folder: pathlib.Path) -> None:
    command = ["film", "CartPole-v1", "--steps", "50", "--num-envs", "2"]
    assert main([*command, "--policy", "policies:right"]) == 0
    assert sys.modules["policies"].seen == [(2, 4)] * 50
    with Image.open(folder / "CartPole-v1.gif") as gif:
        assert gif.size == (1200, 400)
        # Gifs have 256 colors at most, and these pictures have less.
        for shown, tile in zip(every_20_ms(gif), played("CartPole-v1", 50, 2, 1), strict=True):
            np.testing.assert_array_equal(shown, tile)


def test_a_short_gif_has_all_pictures_and_lasts_a_second(
    folder: pathlib.Path, capsys: Capture
) -> None:
    command = ["film", "Hopper-v5", "--steps", "9", "--num-envs", "1", "--out", "short.gif"]
    assert main(command) == 0
    assert "9 steps, 10 steps per second" in capsys.readouterr().out
    with Image.open(folder / "short.gif") as gif:
        pictures = every_20_ms(gif)
        assert (gif.n_frames, len(pictures)) == (10, 50)  # type: ignore[attr-defined]


def test_a_fast_gif_leaves_out_pictures(folder: pathlib.Path) -> None:
    command = ["film", "CartPole-v1", "--steps", "10", "--num-envs", "1", "--fps", "120"]
    assert main([*command, "--out", "fast.gif"]) == 0
    with Image.open(folder / "fast.gif") as gif:
        # A picture of 120 steps per second lasts for 8 ms, three for 25 ms; a gif counts in 10 ms.
        tiles = played("CartPole-v1", 10, 1, None)
        for shown, tile in zip(every_20_ms(gif), [*tiles[::3], tiles[-1]], strict=True):
            np.testing.assert_array_equal(shown, tile)


@pytest.mark.parametrize("task", ["Pong-v5", "Catch-v0"])
def test_an_mp4_has_all_pictures(task: str, folder: pathlib.Path) -> None:
    command = ["film", task, "--out", "a.mp4", "--steps", "6", "--num-envs", "1"]
    assert main([*command, "--fps", "12.5"]) == 0
    tiles = played(task, 6, 1, None)
    meta, frames = read_mp4(folder / "a.mp4")
    assert meta["fps"] == 12.5
    assert len(frames) == 7
    for frame, wanted in zip(frames, tiles, strict=True):
        height, width = wanted.shape[:2]
        assert frame.shape == (height + height % 2, width + width % 2, 3)
        # H.264 loses details: a mean difference of at most 8 of 255 is the same picture.
        assert np.abs(frame[:height, :width].astype(int) - wanted).mean() < 8


def test_odd_sizes_are_padded(folder: pathlib.Path) -> None:
    film_file.write("odd.mp4", [np.full((15, 17, 3), 200, np.uint8)] * 3, 10)
    _, frames = read_mp4(folder / "odd.mp4")
    assert frames[0].shape == (16, 18, 3)
    assert (frames[0][:14, :16] > 190).all()


@pytest.mark.parametrize("out", ["kept.gif", "kept.mp4"])
def test_a_film_that_fails_leaves_no_file(out: str, folder: pathlib.Path, capsys: Capture) -> None:
    (folder / out).write_text("an older film")
    assert main(["film", "CartPole-v1", "--out", out, "--policy", "policies:fails"]) == 2
    assert "--policy policies:fails raised KeyError: 'key' (" in capsys.readouterr().err
    assert (folder / out).read_text() == "an older film"
    assert not [name for name in os.listdir(folder) if name.startswith(".")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Pong-v6"], "there is no task 'Pong-v6'; did you mean Pong-v5"),
        (["NChain-v0"], "NChain-v0 cannot be filmed: its envs draw no pictures"),
        (["Echo-v0"], "Echo-v0 cannot be filmed"),
        (["Taxi-v3", "num_envs=3"], "num_envs is no option of film; use --num-envs"),
        (["Taxi-v3", "render_mode=ansi"], "render_mode is no option of film"),
        (["Taxi-v3", "--out", "a.avi"], "--out is 'a.avi'; allowed endings are .mp4, .gif, .png"),
        (["Taxi-v3", "--out", "gif"], "--out is 'gif'; allowed endings are"),
        (
            ["Taxi-v3", "--out", "no/a.gif"],
            "--out is 'no/a.gif', which cannot be written: No such file",
        ),
        (
            ["Taxi-v3", "--out", "/proc/a.gif"],
            "--out is '/proc/a.gif', which cannot be written: No such file",
        ),
        (["Taxi-v3", "--policy", "policies"], "it must be MODULE:FUNCTION, such as agent:act"),
        (["Taxi-v3", "--policy", "polices:right"], "'polices' cannot be imported: ModuleNotFound"),
        (["Taxi-v3", "--policy", "broken:act"], "'broken' cannot be imported: ModuleNotFoundError"),
        (["Taxi-v3", "--policy", "policies:rigth"], "no function 'rigth'; did you mean right"),
        (["Taxi-v3", "--policy", "policies:not_a_function"], "has no function 'not_a_function'"),
        (["Taxi-v3", "--policy", "policies:short"], "policies:short returned other actions than"),
        (["Taxi-v3", "--policy", "policies:wrong"], "policies:wrong returned other actions than"),
    ],
)
def test_refused(arguments: list[str], words: str, capsys: Capture) -> None:
    assert main(["film", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_folder_is_no_film(folder: pathlib.Path, capsys: Capture) -> None:
    (folder / "a.gif").mkdir()
    assert main(["film", "Taxi-v3", "--out", "a.gif"]) == 2
    assert "--out is 'a.gif', which cannot be written: it is a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "out", "package"),
    [
        ("imageio_ffmpeg", "a.mp4", "imageio-ffmpeg"),
        ("PIL", "a.gif", "pillow"),
    ],
)
def test_without_the_library(
    module: str, out: str, package: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # an import of it fails
    assert main(["film", "Taxi-v3", "--out", out]) == 2
    assert f"that is not installed: pip install {package}\n" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--num-envs", "--steps", "--fps"])
def test_numbers_are_above_0(flag: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main(["film", "Taxi-v3", flag, "0"])
    assert "'0' is no" in capsys.readouterr().err
