"""examples/training: the result of a program depends only on its seed."""

import argparse
import pathlib
import re
import runpy
import sys
from collections.abc import Callable

import pytest
import torch
from PIL import Image

FOLDER = pathlib.Path(__file__).parents[2] / "examples/training"
# Options that make each program so short that it misses its goal.
PROGRAMS = {
    "ppo_cartpole.py": ["--max-steps=4096"],
    "ppo_doom.py": ["--max-steps=1024", "--num-envs=2"],
    "ppo_doorkey.py": ["--max-steps=131072"],  # its episodes have up to 640 steps
    "ppo_games.py": ["--max-steps=1024", "--num-envs=8", "--steps=64"],
    "ppo_lander.py": ["--max-steps=16384", "--num-envs=16"],
    "ppo_mujoco.py": ["--max-steps=4096", "--num-envs=4"],
    "ppo_mujoco.py Ant-v5": ["--max-steps=1024", "--num-envs=4", "--overlap"],
    "ppo_pong.py": ["--max-steps=128", "--num-envs=4", "--steps=32"],
    "ppo_torchrun.py": ["--max-steps=4096", "--num-envs=8"],
    "ppo_suite.py": ["--max-steps=8192", "--num-envs=16", "--steps=64"],
    "ppo_simple_spread.py": ["--max-steps=8192", "--num-envs=16"],
    "sb3_ppo.py": ["--max-steps=1024"],
    "sb3_ppo.py Pendulum-v1": ["--max-steps=2048", "--num-envs=8"],
    "tianshou_ppo.py": ["--max-steps=1024", "--num-envs=16"],
}
_WITH_CURVES = [
    "ppo_cartpole.py",
    "ppo_doom.py",
    "ppo_doorkey.py",
    "ppo_games.py",
    "ppo_mujoco.py",
    "ppo_pong.py",
    "ppo_simple_spread.py",
    "ppo_suite.py",
]
Run = Callable[..., str]


@pytest.fixture
def run(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """run(program, *options): the last line of a program that misses its goal, without its seconds.

    It runs in an empty folder and in this process, which has already imported and compiled most of
    its modules.
    """
    monkeypatch.chdir(tmp_path)

    def run(program: str, *options: str) -> str:
        name, *task = program.split()
        argv = [name, *task, "--quiet", *PROGRAMS[program], *options]
        monkeypatch.setattr(sys, "argv", argv)
        with pytest.raises(SystemExit, match=r"^-?[\d.]+ was not reached$"):
            runpy.run_path(str(FOLDER / name), run_name="__main__")
        out, error = capsys.readouterr()
        assert not error
        found = re.fullmatch(r"(.*mean return -?[\d.]+ after [\d,]+ steps) in [\d.]+ s(.*)\n", out)
        assert found, out
        return found[1] + found[2]

    return run


def test_no_program_is_left_out() -> None:
    assert {program.split()[0] for program in PROGRAMS} == {p.name for p in FOLDER.glob("*.py")}


@pytest.mark.parametrize("program", sorted(PROGRAMS.keys() - {"ppo_pong.py"}))
def test_the_seed_alone_decides(program: str, run: Run) -> None:
    one = run(program, "--seed=3")
    assert run(program, "--seed=3") == one
    assert run(program, "--seed=4") != one


def test_the_seed_alone_decides_in_pong(run: Run) -> None:
    """So short a run ends no game; only the agents differ."""
    program = runpy.run_path(str(FOLDER / "ppo_pong.py"))

    def agent(library: str, seed: int) -> torch.Tensor:
        short = {"num_envs": 4, "steps": 32, "max_steps": 256, "goal": 0, "quiet": True}
        trained = program["train"](argparse.Namespace(library=library, seed=seed, **short))[0]
        return torch.cat([weights.flatten() for weights in trained.parameters()])

    one = agent("parallel_pool", 3)
    assert one.isfinite().all()
    assert torch.equal(agent("parallel_pool", 3), one)
    assert not torch.equal(agent("parallel_pool", 4), one)
    theirs = agent("gymnasium", 3)
    assert theirs.isfinite().all()
    assert not torch.equal(theirs, one)
    assert run("ppo_pong.py").startswith("mean return -21.0 after 128 steps")


def test_curve_is_the_same_in_gymnasium(run: Run) -> None:
    results, curves = {}, {}
    for library, seed in ("parallel_pool", 3), ("gymnasium", 3), ("parallel_pool", 4):
        path = pathlib.Path(f"{library}_{seed}.png")
        line = run("ppo_cartpole.py", f"--library={library}", f"--seed={seed}", f"--curve={path}")
        results[library, seed] = line.removesuffix(f" ({library})")
        curves[library, seed] = path.read_bytes()
        with Image.open(path) as picture:
            assert picture.size == (900, 600)
            picture.load()
    assert results["parallel_pool", 3] == results["gymnasium", 3]
    assert curves["parallel_pool", 3] == curves["gymnasium", 3] != curves["parallel_pool", 4]
    assert not pathlib.Path("ppo_cartpole.png").exists()


def test_curve_has_a_name(run: Run) -> None:
    run("ppo_cartpole.py", "--curve=", "--max-steps=32")
    assert not list(pathlib.Path().iterdir())
    run("ppo_cartpole.py", "--max-steps=32")
    assert [path.name for path in pathlib.Path().iterdir()] == ["ppo_cartpole.png"]


@pytest.mark.parametrize(
    "program",
    _WITH_CURVES,
)
def test_what_would_fail_in_the_end_fails_at_once(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main = runpy.run_path(str(FOLDER / program))["main"]
    monkeypatch.setitem(main.__globals__, "train", lambda args: pytest.fail("it has begun"))
    monkeypatch.setattr(sys, "argv", [program, "--curve=no/such/folder.png"])
    with pytest.raises(FileNotFoundError, match="no/such/folder"):
        main()
    monkeypatch.setattr(sys, "argv", [program, "--max-steps=0"])
    with pytest.raises(SystemExit):
        main()
    assert "--max-steps must be at least 1, not 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    "program",
    _WITH_CURVES,
)
def test_a_batch_of_one_spoils_nothing(program: str, run: Run) -> None:
    fewest = 8 if program in ("ppo_games.py", "ppo_suite.py") else 1  # an env for each task
    run(program, f"--num-envs={fewest}", "--steps=1", "--max-steps=3")
