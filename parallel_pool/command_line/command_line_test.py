"""python -m parallel_pool list, info and bench; and the errors of all commands."""

import os
import pathlib
import re
import subprocess
import sys
import types
from typing import Any

import pytest

import parallel_pool
from parallel_pool._build_info import FAMILIES
from parallel_pool.command_line.parser import main

Capture = pytest.CaptureFixture[str]


def test_example_writes_files_and_overwrites_none(
    capsys: Capture, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["example", "my_env.cc", "play.py"]) == 0
    assert "g++ $(python -m parallel_pool --cflags) my_env.cc" in capsys.readouterr().out
    assert "PARALLEL_POOL_FAMILY" in pathlib.Path("my_env.cc").read_text()
    pathlib.Path("my_env.cc").write_text("mine")
    assert main(["example", "check.py", "my_env.cc"]) == 2
    assert "my_env.cc is here already; move it away first" in capsys.readouterr().err
    assert pathlib.Path("my_env.cc").read_text() == "mine"
    assert not pathlib.Path("check.py").exists()


def test_list_names_all(capsys: Capture) -> None:
    assert main(["list"]) == 0
    assert capsys.readouterr().out.split() == parallel_pool.list_all_envs()


def test_list_chooses(capsys: Capture) -> None:
    assert main(["list", "cartpole-*", "Taxi-v3"]) == 0
    assert capsys.readouterr().out.split() == ["CartPole-v0", "CartPole-v1", "Taxi-v3"]
    assert main(["list", "BREAKOUT", "ant-v"]) == 0
    chosen = capsys.readouterr().out.split()
    assert {"Ant-v4", "Ant-v5", "Breakout-v5"} <= set(chosen)
    assert all("breakout" in task.lower() or "ant-v" in task.lower() for task in chosen)
    assert main(["list", "toy_text"]) == 0
    chosen = capsys.readouterr().out.split()
    assert "Taxi-v4" in chosen
    assert "CartPole-v1" not in chosen
    assert main(["list", "dm_control"]) == 0
    chosen = capsys.readouterr().out.split()
    assert len(chosen) == 51 and "CheetahRun-v1" in chosen and "Ant-v5" not in chosen


def test_list_has_names_that_stand_for_tasks(capsys: Capture) -> None:
    assert main(["list", "minihack-room-5x5"]) == 0
    assert capsys.readouterr().out.split() == ["MiniHack-Room-5x5-v0"]
    assert main(["list", "nethack"]) == 0
    found = capsys.readouterr().out.split()
    assert len(found) == 10 + 124 and {"NetHackScore-v0", "MiniHack-Sokoban1a-v1"} < set(found)


def test_list_says_what_is_near(capsys: Capture) -> None:
    assert main(["list", "CartPool-v1"]) == 1
    assert "no task matches CartPool-v1; did you mean CartPole-v1" in capsys.readouterr().err


def test_info_shows_the_spec_and_the_source(capsys: Capture) -> None:
    assert main(["info", "FrozenLake-v1", "size=8", "is_slippery=False"]) == 0
    shown = capsys.readouterr().out
    spec = str(parallel_pool.make_spec("FrozenLake-v1", size=8, is_slippery=False))
    assert shown.startswith(spec)
    assert "Discrete(64)" in shown
    assert shown.endswith(f"family       toy_text\n  source       {FAMILIES['toy_text']}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["info", "Pong-v6"], "info: there is no task 'Pong-v6'; did you mean Pong-v5"),
        (["info", "Taxi-v3", "rain=1"], "Taxi-v3 has no option 'rain'; did you mean"),
        (["info", "CartPole-v1", "num_envs=0"], "num_envs is 0"),
        (["bench", "CartPole-v1", "num_envs=two"], "num_envs must be an int, not 'two'"),
        (["play", "CartPole-v1", "num_envs=2"], "play plays one env"),
        (
            ["info", "highway-v0", "observation.type=Grid"],
            "observation.type is 'Grid'; allowed are",
        ),
        (["--load", "/no/such.so", "list"], "such.so"),
        (["example", "my_evn.cc"], "there is no example 'my_evn.cc'; did you mean my_env.cc"),
        (["example", "mine.py"], "no example 'mine.py'; there are check.py, low_bid.cc, my_env.cc"),
    ],
)
def test_refused(arguments: list[str], words: str, capsys: Capture) -> None:
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["walk"], "invalid choice: 'walk'"),
        (
            ["info"],
            "name a task, such as CartPole-v1; `python -m parallel_pool list` names all",
        ),
        (["info", "Taxi-v3", "rainy"], "'rainy' is not of the form NAME=VALUE"),
        (["bench", "Taxi-v3", "--rounds", "0"], "'0' is no int above 0"),
        (["play", "Taxi-v3", "--fps", "fast"], "'fast' is no float above 0"),
    ],
)
def test_refused_by_the_parser(arguments: list[str], words: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("CartPole-v1", ["num_envs=8"]),
        ("CartPole-v1", ["num_envs=8", "batch_size=4"]),
        ("Pendulum-v1", ["g=5.0"]),
        ("HalfCheetah-v5", ["num_envs=4"]),
        ("Pong-v5", ["num_envs=2"]),
    ],
)
def test_bench_measures_both(task: str, options: list[str], capsys: Capture) -> None:
    assert main(["bench", task, *options, "--rounds", "1", "--seconds", "0.05"]) == 0
    head, _, ours, theirs = capsys.readouterr().out.splitlines()
    assert head.startswith(f"{task}: ")
    assert re.match(r"  parallel_pool +[\d,]+ .* x[\d.]+$", ours)
    assert re.match(r"  gymnasium.make loop +[\d,]+ .* x1.0$", theirs)


def test_bench_against_envpool(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []

    def make_gymnasium(task_id: str, **options: Any) -> Any:
        if task_id != "CartPole-v1":
            raise AssertionError(f"{task_id} is not supported")
        made.append(options)
        return parallel_pool.make_gymnasium(task_id, **options)

    stand_in = types.SimpleNamespace(make_gymnasium=make_gymnasium, __version__="1.2.7")
    monkeypatch.setitem(sys.modules, "envpool", stand_in)
    brief = ["--peer", "envpool", "--rounds", "1", "--seconds", "0.05"]
    for size in (3, 2):
        command = ["bench", "CartPole-v1", "num_envs=3", f"batch_size={size}", "num_threads=1"]
        assert main([*command, *brief]) == 0
        assert made.pop() == {"num_envs": 3, "batch_size": size, "num_threads": 1}
        lines = capsys.readouterr().out.splitlines()
        assert lines[-1].split()[:2] == ["envpool", "1.2.7"]
    assert main(["bench", "Catch-v0", *brief]) == 0
    assert "no envpool to compare with: AssertionError: Catch-v0 is not" in capsys.readouterr().out
    monkeypatch.setitem(sys.modules, "envpool", None)
    assert main(["bench", "CartPole-v1", *brief]) == 0
    assert "no envpool to compare with: pip install envpool" in capsys.readouterr().out


def test_bench_of_a_task_that_gymnasium_lacks(capsys: Capture) -> None:
    assert main(["bench", "Catch-v0", "--rounds", "1", "--seconds", "0.05"]) == 0
    shown = capsys.readouterr().out
    assert "no gymnasium to compare with: Environment `Catch` doesn't exist" in shown
    assert "  parallel_pool " in shown


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no bash")
def test_a_closed_pipe_is_silent() -> None:
    """As in `list | head -1`; the reader ends before all is written."""
    run = subprocess.run(
        [
            "bash",
            "-c",
            '"$0" -m parallel_pool list | head -1; echo "${PIPESTATUS[0]}"',
            sys.executable,
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == [parallel_pool.list_all_envs()[0], "0"]
    assert run.stderr == ""


def test_main_is_what_python_m_runs() -> None:
    text = pathlib.Path(parallel_pool.__file__).parent / "__main__.py"
    assert "command_line.parser import main" in text.read_text()
