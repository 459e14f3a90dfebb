"""Memory that runs out: make() or the call raises, and the process goes on."""

import json
import subprocess
import sys

import pytest

from parallel_pool.testing.form import by_form

# Lowers the limit of the address space to `room` MB more than now, then makes and plays a pool.
PLAY = """
import json, resource, sys
sys.path[:] = json.loads(sys.argv[1])
task, num_envs, room = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
import parallel_pool
import numpy as np
with parallel_pool.make(task, num_threads=1) as pool:  # loads libraries
    pool.reset()
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (room << 20), resource.RLIM_INFINITY))
done = "nothing"
try:
    pool = parallel_pool.make(task, num_envs=num_envs, num_threads=1, max_episode_steps=4)
    done = "make"
    pool.reset()
    done = "reset"
    action = np.array([pool.single_action_space.sample()] * num_envs)
    for _ in range(10):
        pool.step(action)
    done = "step"
except MemoryError as error:
    print("MemoryError after", done)
except parallel_pool.EnvError as error:
    print("EnvError after", done)
else:
    print("fine")
"""


def outcome(task: str, num_envs: int, room: int) -> str:
    """The output of a program with `room` MB."""
    run = subprocess.run(
        [sys.executable, "-I", "-c", PLAY, json.dumps(sys.path), task, str(num_envs), str(room)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, (room, run.returncode, run.stderr)
    return run.stdout.strip()


@pytest.mark.parametrize(
    ("task", "num_envs", "rooms"),
    [
        ("Pong-v5", 1000, by_form([20, 150], [2, 20, 60, 100, 150, 200, 300])),
        ("CartPole-v1", 100_000, [0, 2, 8, 16, 24]),
        ("Humanoid-v5", 200, [2, 8, 20, 60, 100]),
    ],
)
def test_no_room(task: str, num_envs: int, rooms: list[int]) -> None:
    outcomes = [outcome(task, num_envs, room) for room in rooms]
    assert outcomes[0] == "MemoryError after nothing", outcomes
    assert outcome(task, num_envs, 4000) == "fine"
