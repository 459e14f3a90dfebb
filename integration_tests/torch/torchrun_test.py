"""examples/training/ppo_torchrun.py in two processes of torchrun."""

import contextlib
import pathlib
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

import parallel_pool

PROGRAM = pathlib.Path(__file__).parents[2] / "examples/training/ppo_torchrun.py"
TORCHRUN = [sys.executable, "-I", "-m", "torch.distributed.run", "--standalone"]
# Trains in two processes, and writes what each process has seen first and learned.
PROBE = f"""
import argparse, os, runpy
import numpy as np, torch
import parallel_pool

program = runpy.run_path({str(PROGRAM)!r})
make, first = parallel_pool.make, {{}}
def remember(*args, **kwargs):
    pool = make(*args, **kwargs)
    reset = pool.reset
    pool.reset = lambda seed=None: first.setdefault("reset", reset(seed=seed))
    return pool
parallel_pool.make = remember
torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
args = argparse.Namespace(seed=3, num_envs=4, max_steps=2048)
agent, steps, mean = program["train"](args)
np.save(f"obs{{rank}}.npy", first["reset"][0])
torch.save((agent.state_dict(), steps, mean), f"agent{{rank}}.pt")
torch.distributed.destroy_process_group()
"""


def test_processes_have_envs_of_their_own_and_learn_one_agent(tmp_path: pathlib.Path) -> None:
    (tmp_path / "probe.py").write_text(PROBE)
    command = [*TORCHRUN, "--nproc-per-node=2", "probe.py"]
    subprocess.run(command, cwd=tmp_path, timeout=300, check=True, capture_output=True)
    first = np.concatenate([np.load(tmp_path / f"obs{rank}.npy") for rank in (0, 1)])
    with parallel_pool.make("CartPole-v1", num_envs=8, seed=3) as pool:  # one pool of all envs
        assert (first == pool.reset()[0]).all()
    agents = [torch.load(tmp_path / f"agent{rank}.pt") for rank in (0, 1)]
    assert agents[0][1:] == agents[1][1:]
    assert agents[0][1] == 2048
    for name, weights in agents[0][0].items():
        assert torch.equal(weights, agents[1][0][name]), name
    torch.manual_seed(3)
    untrained = next(iter(torch.nn.Linear(4, 64).parameters()))
    assert not torch.equal(agents[0][0]["actor.0.weight"], untrained)


def run(tmp_path: pathlib.Path, *options: str) -> tuple[int, str]:
    """The exit status, and the lines of the result."""
    command = [*TORCHRUN, "--nproc-per-node=2", str(PROGRAM), *options]
    done = subprocess.run(
        command, cwd=tmp_path, timeout=300, check=False, capture_output=True, text=True
    )
    return done.returncode, re.sub(r" in [\d.]+ s", "", done.stdout)


def test_the_seed_alone_decides(tmp_path: pathlib.Path) -> None:
    options = ["--max-steps=16384", "--num-envs=4"]  # more than 100 episodes
    one = run(tmp_path, "--seed=3", *options)
    assert one[0] != 0  # the goal was not reached
    assert re.fullmatch(r"mean return [\d.]+ after 16,384 steps\n", one[1])
    assert run(tmp_path, "--seed=3", *options) == one
    assert run(tmp_path, "--seed=4", *options) != one


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_no_process_is_left_behind(tmp_path: pathlib.Path, signum: signal.Signals) -> None:
    marker = f"--seed={time.time_ns()}"
    command = [*TORCHRUN, "--nproc-per-node=2", str(PROGRAM), "--max-steps=1000000000", marker]

    def processes() -> list[str]:
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):  # it has just ended
                found += [path.parent.name] if marker in path.read_text() else []
        return found

    launcher = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + 120
        while len(processes()) < 3:
            assert time.monotonic() < end
            time.sleep(0.1)
        time.sleep(2)
        launcher.send_signal(signum)
        launcher.wait(timeout=120)
    finally:
        launcher.kill()
    end = time.monotonic() + 60
    while processes():
        assert time.monotonic() < end
        time.sleep(0.1)
