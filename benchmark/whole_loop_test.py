"""The arms of the whole loop play, and the table compares them."""

import json
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from benchmark import loop_arm, whole_loop


def test_a_table_of_ratios_round_by_round() -> None:
    results = [
        {"task": "Pong", "arm": "parallel_pool", "rates": [100.0, 400.0, 300.0]},
        {"task": "Pong", "arm": "envpool", "rates": [50.0, 100.0, 300.0]},
        {"task": "CartPole", "arm": "parallel_pool", "rates": [1000.0]},
        {"task": "CartPole", "arm": "sb3", "rates": [100.0]},
    ]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in whole_loop.table({"results": results}).splitlines()[2:]
    ]
    assert rows == [
        ["ParallelPool: options and Rollout", "300", "x1.0", "1,000", "x1.0"],
        ["EnvPool, CleanRL's loop", "100", "x2.0", "", ""],
        ["Stable-Baselines3, VecNormalize", "", "", "100", "x10.0"],
    ]


@pytest.mark.parametrize("play", ["parallel_pool", "gymnasium_sync"])
def test_arms_keep_the_same_rows(play: str) -> None:
    batch: Any = loop_arm.ARMS[play]("CartPole")()
    rows = len(batch["action"])
    assert loop_arm.ENVS * loop_arm.STEPS * 0.8 < rows < loop_arm.ENVS * loop_arm.STEPS
    for name in ("obs", "logprob", "value", "advantage", "target", "reward"):
        assert len(batch[name]) == rows
        assert np.isfinite(batch[name]).all()


def test_an_arm_that_fails_says_why(tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    program = tmp_path / "arm.py"
    program.write_text("import sys; sys.exit('no such env')")
    monkeypatch.setattr(whole_loop, "_ARM", program)
    with pytest.raises(RuntimeError, match="no such env"):
        whole_loop.play(whole_loop.Arm("sb3", "CartPole", 0.1), sys.executable)


def test_the_program_of_an_arm() -> None:
    program = pathlib.Path(loop_arm.__file__)
    arm = json.dumps({"play": "gymnasium_sync", "task": "CartPole", "seconds": 0.01})
    done = subprocess.run([sys.executable, program, arm], capture_output=True, text=True)
    assert json.loads(done.stdout)["rate"] > 0, done.stderr
