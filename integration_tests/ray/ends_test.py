"""The end of pools: by close(), by ray.shutdown() and with their program."""

import pathlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from parallel_pool.integrations.ray import RayPool

pytestmark = pytest.mark.filterwarnings("ignore")
Pids = Callable[[Any], list[int]]


def threads() -> list[str]:
    """The names of the workers' threads."""
    return [t.name for t in threading.enumerate() if t.name.startswith("ray worker")]


def test_close_ends_the_actors_and_the_threads(pids: Pids) -> None:
    pool = RayPool("CartPole-v1", 4, batch_size=2)
    own = pids(pool)
    pool.async_reset()
    assert sorted(threads()) == ["ray worker 0", "ray worker 1"]
    pool.close()
    pool.close()
    assert not threads()  # one that called Ray after ray.shutdown() would connect again
    end = time.monotonic() + 10
    while any(pathlib.Path(f"/proc/{pid}").exists() for pid in own):
        assert time.monotonic() < end
        time.sleep(0.1)
    with pytest.raises(RuntimeError, match="CartPole-v1: the pool is closed"):
        pool.reset()


PROGRAM = """
import sys
import numpy as np
import ray
from parallel_pool.integrations.ray import RayPool
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
pool = RayPool("CartPole-v1", 4)
pool.reset()
pool.step(np.zeros(4, int))
if sys.argv[2] == "shutdown":
    ray.shutdown()
if sys.argv[2] == "flying":
    pool.send(np.zeros(4, int))
"""


AFTER_SHUTDOWN = """
import sys
import threading
import numpy as np
import ray
from parallel_pool.integrations.ray import RayPool
def connect():
    ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
connect()
pool = RayPool("CartPole-v1", 4)
pool.reset()
ray.shutdown()
if sys.argv[2] == "again":
    connect()
try:
    pool.step(np.zeros(4, int))
except RuntimeError as error:
    print(error)
pool.close()
names = [t.name for t in threading.enumerate()]
print(ray.is_initialized(), [name for name in names if name.startswith("ray worker")])
"""


@pytest.mark.parametrize("how", ["closed", "again"])
def test_a_pool_ends_with_ray(cluster: Any, how: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", AFTER_SHUTDOWN]
    command += [cluster.address, how]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [
        "CartPole-v1: the pool was closed: its workers have ended with Ray, by ray.shutdown()",
        f"{how == 'again'} []",
    ]


WAITING = """
import sys
import threading
import time
import gymnasium
import numpy as np
import parallel_pool
import ray
from parallel_pool.integrations.ray import RayPool
class Slow(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None):
        return np.zeros(2, np.float32), {}
    def step(self, action):
        time.sleep(600)
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
pool = RayPool(parallel_pool.make_python_spec(Slow, 2, num_workers=1))
pool.reset()
threading.Timer(1, ray.shutdown).start()
try:
    pool.step(np.zeros(2, int))
except (RuntimeError, parallel_pool.EnvError) as error:
    print(error)
pool.close()
print(ray.is_initialized())
"""


def test_a_call_that_waits_ends_with_ray(cluster: Any) -> None:
    command = [sys.executable, "-W", "ignore", "-c", WAITING, cluster.address]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    error, is_connected = ended.stdout.splitlines()
    assert error.startswith("Slow") and is_connected == "False"


@pytest.mark.parametrize("how", ["open", "shutdown", "flying"])
def test_a_program_may_end_without_close(cluster: Any, how: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, cluster.address, how]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


CHOICE = """
import multiprocessing, sys
import ray
from parallel_pool.integrations.ray import RayPool
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
with RayPool("CartPole-v1", 4) as pool:
    pool.reset()
    assert multiprocessing.get_start_method(allow_none=True) is None
multiprocessing.set_start_method("spawn")
"""


def test_the_program_may_still_choose_its_start_method(cluster: Any) -> None:
    command = [sys.executable, "-W", "ignore", "-c", CHOICE, cluster.address]
    subprocess.run(command, check=True, timeout=120)
