"""A run is shown while it is recorded; the view ends with the program."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest
from readback import play, plot, read, states

import parallel_pool
from parallel_pool.integrations.rerun import live, runs, to_rerun
from parallel_pool.python.recordings import recording as recording_module


def test_it_shows_whole_episodes_of_a_growing_file(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its episodes equal those of the finished run; others are left out."""
    monkeypatch.setattr(recording_module, "_COST", 1.0)  # many keyframes
    pool = parallel_pool.make("CartPole-v1", num_envs=8, seed=2)
    path = tmp_path / "run.ppr"
    recording = pool.record(path)
    play(pool, 50)
    rounds = 0
    rng = np.random.default_rng(0)

    def wait(seconds: float) -> bool:
        nonlocal rounds
        rounds += 1
        for _ in range(4):
            for _ in range(400):
                pool.step(rng.integers(2, size=8, dtype=np.int32))
            time.sleep(0.3)  # the writer looks four times a second
        if rounds == 5:
            recording.stop()
        return False

    stream = runs.new_stream(path)
    stream.save(tmp_path / "live.rrd")
    live.follow(stream, str(path), wait)
    stream.disconnect()
    assert rounds == 5
    shown = read(tmp_path / "live.rrd")
    to_rerun(path, tmp_path / "all.rrd", pictures=0, steps=(0, 10**7), envs=range(4))
    whole = read(tmp_path / "all.rrd")
    for env in range(4):
        for name in ("observation", "reward", "action", "episode/return", "episode/length"):
            part, everything = (plot(c, f"env_{env}/{name}") for c in (shown, whole))
            assert part, name
            assert all((everything[step] == value).all() for step, value in part.items()), name
            assert len(part) < len(everything)
        lanes = [state for _, state in states(shown, f"env_{env}/episode")]
        assert "left out" in lanes


PROGRAM = """
import parallel_pool, sys
pool = parallel_pool.make("CartPole-v1", num_envs=4, seed=1)
pool.record(sys.argv[1], view=True)
pool.reset()
print("begun", flush=True)
while True:
    pool.step(pool.sample_actions())
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_the_view_ends_with_the_program(tmp_path: pathlib.Path, end: signal.Signals) -> None:
    environment = {k: v for k, v in os.environ.items() if "DISPLAY" not in k}
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "run.ppr")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert program.stderr is not None
    lines = iter(program.stderr.readline, "")
    said = next(line for line in lines if "shown at" in line)
    found = re.search(
        r"http://127\.0\.0\.1:(\d+)/\?url=rerun%2Bhttp%3A%2F%2F127.0.0.1%3A(\d+)", said
    )
    assert found
    ports = [int(found[1]), int(found[2])]
    for port in ports:
        socket.create_connection(("127.0.0.1", port), 5).close()
    processes = psutil.Process(program.pid).children(recursive=True)
    assert len(processes) >= 2  # the view, and its server
    open_to = {c.laddr.ip for p in processes for c in p.net_connections() if c.status == "LISTEN"}
    assert open_to == {"127.0.0.1"}
    program.send_signal(end)
    program.wait(20)
    _, alive = psutil.wait_procs(processes, timeout=20)
    assert not alive


def test_envs_in_python_are_refused(tmp_path: pathlib.Path) -> None:
    import gymnasium

    pool = parallel_pool.make_python(lambda: gymnasium.make("CartPole-v1"), 2, num_workers=0)
    with pytest.raises(RuntimeError, match="a recording has no code of envs in Python"):
        pool.record(tmp_path / "run.ppr", view=True)
    assert not list(tmp_path.iterdir())
