"""The wheel of `make demo` plays its families, and says of the others that it lacks them."""

import os
import pathlib
import subprocess
import sys
import zipfile

PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import parallel_pool
from parallel_pool.command_line.parser import main
assert parallel_pool.__file__.startswith({folder!r})
for task in ("Pong-v5", "CartPole-v1"):
    with parallel_pool.make(task, num_envs=2) as pool:
        pool.reset()
        pool.step(pool.sample_actions())
try:
    parallel_pool.make("Ant-v5")
except ValueError as error:
    print(error)
assert main(["list", "cartpole"]) == 0
assert main(["selftest", "mujoco"]) == 0
"""


def test_it_plays_what_it_has_and_names_what_it_lacks(tmp_path: pathlib.Path) -> None:
    root = pathlib.Path(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
    (wheel,) = root.glob("examples/*.whl")
    folder = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(folder)
    assert {path.parent.name for path in folder.glob("parallel_pool/envs/*/_family.so")} == {
        "atari",
        "classic_control",
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(folder=str(folder))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("there is no task 'Ant-v5'")
    assert "without the families board_games, box2d," in lines[0]
    assert lines[0].endswith("`make wheel` builds one with all")
    assert "CartPole-v1" in lines
    assert "this wheel is without the families board_games" in done.stderr
    assert "skipped: this build has no family mujoco" in done.stdout
