"""The arms of the whole loop play, and the table compares them."""

import sys
from typing import Any

import numpy as np
import pytest

from benchmark.peers import loops
from benchmark.questions import whole_loop


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
    batch: Any = loops.ARMS[play]("CartPole")()
    rows = len(batch["action"])
    assert loops.ENVS * loops.STEPS * 0.8 < rows < loops.ENVS * loops.STEPS
    for name in ("obs", "logprob", "value", "advantage", "target", "reward"):
        assert len(batch[name]) == rows
        assert np.isfinite(batch[name]).all()


def test_arms_without_an_environment_are_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["--tasks", "CartPole", "--seconds", "0.01", "--rounds", "1"]
    monkeypatch.setattr(sys, "argv", ["whole_loop", *argv])
    whole_loop.main()
    out, error = capsys.readouterr()
    assert "| Gymnasium's SyncVectorEnv and wrappers |" in out
    assert "left out: Arm(play='sb3', task='CartPole', seconds=0.01): its environment" in error
