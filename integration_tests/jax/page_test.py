"""The code of docs/jax.md, and the example."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def test_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs/jax.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    exec(compile("\n".join(blocks), "docs/jax.md", "exec"), {})
    shapes = re.findall(r"print\(.*\.shape\)  # (.*)", text)
    assert capsys.readouterr().out.splitlines() == shapes == ["(100, 64)", "(32, 4)"]


def run_example(*args: str) -> str:
    command = [sys.executable, "-I", str(ROOT / "examples/jax/ppo.py"), *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("seed", [1, 2])
def test_the_example_learns(seed: int) -> None:
    (mean,) = re.findall(r"mean return ([\d.]+) after", run_example(f"--seed={seed}"))
    assert float(mean) >= 475


def test_the_example_plays_frames() -> None:
    out = run_example("Pong-v5", "--num-envs=2", "--steps=16", "--max-steps=64")
    assert "after 64 steps" in out
