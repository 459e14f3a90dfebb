"""examples/training: the result of a program depends only on its seed."""

import pathlib
import re
import runpy
import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from PIL import Image

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "examples/training"
# Options that make each program so short that it misses its goal.
PROGRAMS = {
    "dqn_pong.py": ["--max-steps=4400"],
    "gcbc_ogbench.py": ["--ways=2", "--max-steps=60"],
    "ppo_cartpole.py": ["--max-steps=8192"],
    "ppo_cartpole.py LunarLander-v3": ["--max-steps=16384"],
    "ppo_games.py": ["--max-steps=4096", "--num-envs=8"],
    "ppo_levels.py": ["--max-steps=8192"],
    "ppo_metaworld.py": ["--max-steps=2500", "--num-envs=10"],
    "ppo_minihack.py": ["--max-steps=8192", "--num-envs=32"],
    "ppo_minihack.py NetHackScore-v0": ["--max-steps=4096", "--num-envs=32"],
    "ppo_mujoco.py": ["--max-steps=4096"],
    "ppo_mujoco.py Ant-v5": ["--max-steps=8192"],
    "ppo_own_robot.py": ["--max-steps=8192"],
    "ppo_players.py": ["--max-steps=8192", "--num-envs=16"],
    "ppo_players.py Foraging-8x8-2p-2f-coop-v3": ["--max-steps=8192", "--num-envs=16"],
    "ppo_pong.py": ["--max-steps=512", "--num-envs=4"],
    "ppo_self_play.py": ["--max-steps=512", "--num-envs=4"],
    "ppo_torchrun.py": ["--max-steps=4096", "--num-envs=8"],
    "r2d2_cartpole.py": ["--max-steps=2400"],
    "sac_mujoco.py": ["--max-steps=4400"],
    "sac_mujoco.py FetchReach-v4": ["--max-steps=4400"],
    "sb3_her.py": ["--max-steps=1200"],
    "sb3_her.py PointMaze_UMaze-v3": ["--max-steps=4800"],
    "sb3_ppo.py": ["--max-steps=1024"],
    "sb3_ppo.py Pendulum-v1": ["--max-steps=2048", "--num-envs=8"],
    "sb3_ppo.py racetrack-v0": ["--max-steps=2048"],
}
WITH_CURVES = sorted(
    {name.split()[0] for name in PROGRAMS if name.startswith("ppo_")}
    - {"ppo_own_robot.py", "ppo_torchrun.py"}
)
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
        argv = [name, *task, *PROGRAMS[program], *options]
        monkeypatch.setattr(sys, "argv", argv)
        with pytest.raises(SystemExit, match=r"^-?[\d.]+ was not reached$"):
            runpy.run_path(str(FOLDER / name), run_name="__main__")
        out, error = capsys.readouterr()
        assert not error
        found = re.search(
            r"mean (?:return|success) (-?[\d.]+|-inf) after ([\d,]+) steps in [\d.]+ s\n$", out
        )
        assert found, out
        return out[: found.start()] + f"{found[1]} after {found[2]}"

    return run


def test_no_program_is_left_out() -> None:
    assert {program.split()[0] for program in PROGRAMS} == {p.name for p in FOLDER.glob("*.py")}


# Short runs of these end no game and reach no goal: only the agents differ.
WITHOUT_RESULTS = [
    "dqn_pong.py",
    "gcbc_ogbench.py",
    "ppo_games.py",
    "ppo_levels.py",
    "ppo_metaworld.py",
    "ppo_minihack.py NetHackScore-v0",
    "ppo_players.py Foraging-8x8-2p-2f-coop-v3",
    "ppo_pong.py",
    "ppo_self_play.py",
]


@pytest.mark.parametrize("program", sorted(PROGRAMS.keys() - set(WITHOUT_RESULTS)))
def test_the_seed_alone_decides(program: str, run: Run) -> None:
    one = run(program, "--seed=3")
    assert run(program, "--seed=3") == one
    if program != "sb3_her.py":  # no episode reaches its goal so early, with any seed
        assert run(program, "--seed=4") != one


def test_a_training_that_is_cut_and_resumed_equals_one_that_is_not(run: Run) -> None:
    small = "--num-envs=8", "--steps=32"  # 20 updates are 5,120 steps
    whole = run("ppo_cartpole.py", *small, "--max-steps=5120")
    cut = run("ppo_cartpole.py", *small, "--max-steps=3072", "--resume=state")
    assert cut != whole
    assert pathlib.Path("state").exists()
    assert run("ppo_cartpole.py", *small, "--max-steps=5120", "--resume=state") == whole
    assert run("ppo_cartpole.py", *small, "--max-steps=5120", "--resume=state") == whole


@pytest.mark.parametrize("program", WITHOUT_RESULTS)
def test_the_seed_alone_decides_the_agent(
    program: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents: list[torch.nn.Module] = []
    init = torch.nn.Module.__init__

    def remembering(self: torch.nn.Module, *args: object, **kwargs: object) -> None:
        init(self, *args, **kwargs)
        if type(self).__name__ == "Agent":
            agents.append(self)

    monkeypatch.setattr(torch.nn.Module, "__init__", remembering)
    for seed in (3, 3, 4):
        run(program, f"--seed={seed}")
    one, same, other = (
        torch.cat([weights.detach().flatten() for weights in agent.parameters()])
        for agent in agents
    )
    assert one.isfinite().all()
    assert torch.equal(same, one)
    assert not torch.equal(other, one)


@pytest.mark.parametrize("program", WITH_CURVES)
def test_the_curve_is_a_picture(program: str, run: Run) -> None:
    run(program)
    (path,) = pathlib.Path().iterdir()
    assert path.name == f"{program.removesuffix('.py')}.png"
    with Image.open(path) as picture:
        assert picture.size == (900, 600)
        picture.load()


@pytest.mark.parametrize("program", WITH_CURVES)
def test_a_path_that_cannot_be_written_is_an_error_at_once(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = runpy.run_path(str(FOLDER / program))["main"]
    monkeypatch.setitem(main.__globals__, "train", lambda args: pytest.fail("it has begun"))
    monkeypatch.setattr(sys, "argv", [program, "--curve=no/such/folder.png"])
    with pytest.raises(FileNotFoundError, match="no/such/folder"):
        main()


def test_the_comparison_takes_the_same_steps_in_gymnasium(tmp_path: pathlib.Path) -> None:
    path = f"import sys; sys.path.append({str(ROOT)!r})"
    on = [sys.executable, "-I", "-c", f"{path}; from benchmark.peers.clean_rl import run; run()"]
    program = [str(FOLDER / "ppo_cartpole.py"), "--max-steps=16384", "--num-envs=16"]
    results = {}
    for library, seed in ("parallel_pool", 3), ("gymnasium", 3), ("parallel_pool", 4):
        command = [*on, library, *program, f"--seed={seed}"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "was not reached" in done.stderr
        results[library, seed] = done.stdout.partition(" in ")[0]
    assert results["parallel_pool", 3] == results["gymnasium", 3] != results["parallel_pool", 4]
