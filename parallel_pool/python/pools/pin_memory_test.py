"""pin_memory: batches in page-locked memory, with a stand-in for NVIDIA's driver.

The programs run in processes of their own, whose libcuda.so.1 is the stand-in: see
core/testing/cuda_stand_in.cc.
"""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401

STAND_IN = pathlib.Path(parallel_pool.__file__).parent / "core/testing/libcuda_stand_in.so"

PREAMBLE = """
import ctypes, gc, os, signal, sys
import gymnasium
import numpy as np
import parallel_pool
from parallel_pool.testing import testing_family

driver = ctypes.CDLL("libcuda.so.1")
driver.StandInFault.restype = ctypes.c_char_p
driver.StandInIsLocked.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
driver.StandInIsLocked.restype = ctypes.c_bool

def leaves(tree):
    if isinstance(tree, np.ndarray):
        yield tree
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from leaves(value)
    elif isinstance(tree, tuple):
        for value in tree:
            yield from leaves(value)

def check(batch, least=4):
    arrays = list(leaves(batch))
    assert len(arrays) >= least, batch
    for array in arrays:
        assert driver.StandInIsLocked(array.ctypes.data, array.nbytes), array

def check_nothing_is_left():
    gc.collect()
    assert driver.StandInFault() == b"", driver.StandInFault()
    assert driver.StandInLeft() == 0, driver.StandInLeft()

def play(pool, steps=5):
    check(pool.reset(), least=1)
    for _ in range(steps):
        check(pool.step(np.zeros((len(pool), *pool.action_space.shape[1:]), np.int64)))
    pool.close()
"""


def run(tmp_path: pathlib.Path, program: str) -> str:
    """The output of a program, which must succeed; its driver is the stand-in."""
    shutil.copy(STAND_IN, tmp_path / "libcuda.so.1")
    return finished(tmp_path, PREAMBLE + program)


def finished(libraries: pathlib.Path, program: str) -> str:
    environment = os.environ | {
        "LD_LIBRARY_PATH": str(libraries),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    process = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        cwd=libraries,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout + process.stderr


MAKE = {
    "sync": "parallel_pool.make('CartPole-v1', num_envs=5, pin_memory=True)",
    "same_step": "parallel_pool.make('CartPole-v1', num_envs=5, max_episode_steps=2, "
    "autoreset_mode='same_step', record_episode_statistics=True, pin_memory=True)",
    "spec": "parallel_pool.make(parallel_pool.make_spec('CartPole-v1', pin_memory=True))",
    "several tasks": "parallel_pool.make(['CartPole-v1', 'MountainCar-v0'], num_envs=4, "
    "observation_padding=True, action_padding=True, pin_memory=True)",
    "make_vec": "gymnasium.make_vec('parallel_pool/CartPole-v1', num_envs=3, pin_memory=True)",
    "make_python": "parallel_pool.make_python('CartPole-v1', 3, num_workers=2, pin_memory=True)",
}


@pytest.mark.parametrize("pool", MAKE.values(), ids=MAKE)
def test_all_arrays_of_a_batch_are_locked(tmp_path: pathlib.Path, pool: str) -> None:
    program = f"pool = {pool}\nplay(getattr(pool, 'unwrapped', pool))\ndel pool\n"
    run(tmp_path, program + "check_nothing_is_left()")


def test_the_other_apis(tmp_path: pathlib.Path) -> None:
    run(
        tmp_path,
        """
with parallel_pool.make_gym("CartPole-v1", num_envs=3, pin_memory=True) as pool:
    check(pool.reset(), least=1)
    check(pool.step(np.zeros(3, int)))
with parallel_pool.make_dm("CartPole-v1", num_envs=3, pin_memory=True) as pool:
    check(tuple(pool.reset()), least=3)
    check(tuple(pool.step(np.zeros(3, int))), least=3)
with parallel_pool.make("CartPole-v1", num_envs=None, pin_memory=True) as env:
    check(env.reset(), least=1)
    check(env.step(0), least=1)
del pool, env
check_nothing_is_left()
""",
    )


def test_async_pools_and_players(tmp_path: pathlib.Path) -> None:
    run(
        tmp_path,
        """
with parallel_pool.make("CartPole-v1", num_envs=6, batch_size=2, pin_memory=True) as pool:
    pool.async_reset()
    for _ in range(20):
        batch = pool.recv()
        check(batch)
        pool.send(np.zeros(2, int), batch[-1]["env_id"])
with parallel_pool.make("Crowd-v0", num_envs=3, pin_memory=True) as pool:
    check(pool.reset(), least=3)
del pool, batch
check_nothing_is_left()
""",
    )


def test_arrays_may_outlive_the_pool(tmp_path: pathlib.Path) -> None:
    run(
        tmp_path,
        """
pool = parallel_pool.make("CartPole-v1", num_envs=3, pin_memory=True)
obs, _ = pool.reset()
pool.close()
del pool, _
check(obs, least=1)
obs[:] = 3
del obs
check_nothing_is_left()
""",
    )


@pytest.mark.parametrize("shut_down", ["", "driver.StandInShutDown(True)"])
def test_a_process_may_end_with_an_open_pool(tmp_path: pathlib.Path, shut_down: str) -> None:
    program = f"""
pool = parallel_pool.make("CartPole-v1", num_envs=3, pin_memory=True)
batch = pool.reset()
pool.send(np.zeros(3, int))
{shut_down}
"""
    assert run(tmp_path, program) == ""


def test_a_forked_child_leaves_the_driver_alone(tmp_path: pathlib.Path) -> None:
    run(
        tmp_path,
        """
pools = [parallel_pool.make("CartPole-v1", num_envs=3, pin_memory=True) for _ in range(2)]
batches = [pool.reset() for pool in pools]
pools.pop().close()  # its batch lives on
child = os.fork()
if child == 0:
    del batches  # the stand-in aborts a child that calls it
    gc.collect()
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
check(batches.pop())
batches.clear()
pools.clear()
check_nothing_is_left()
""",
    )


def test_a_worker_that_is_started_again_leaves_the_driver_alone(tmp_path: pathlib.Path) -> None:
    run(
        tmp_path,
        """
pool = parallel_pool.make_python(
    "CartPole-v1", 2, num_workers=2, start_method="fork", pin_memory=True
)
check(pool.reset(), least=1)
os.kill(pool._native._group.workers[0].process.pid, signal.SIGKILL)
try:
    pool.step(np.zeros(2, int))
    sys.exit("the worker has not ended")
except parallel_pool.EnvError as error:
    check(error.result)  # the next worker is forked while batches are locked
for _ in range(3):
    check(pool.step(np.zeros(2, int)))
pool.close()
del pool
check_nothing_is_left()
""",
    )


@pytest.mark.parametrize("make", ["make('CartPole-v1', ", "make_python('CartPole-v1', "])
def test_a_failure_is_an_error_of_make_and_leaves_nothing(
    tmp_path: pathlib.Path, make: str
) -> None:
    output = run(
        tmp_path,
        f"""
driver.StandInFail(b"cuMemHostRegister", 2, 2)
try:
    parallel_pool.{make}num_envs=2, pin_memory=True)
except RuntimeError as error:
    print(error)
check_nothing_is_left()
""",
    )
    assert output.startswith("CartPole-v1: pin_memory=True cannot lock ")
    assert "cuMemHostRegister: CUDA_ERROR_OUT_OF_MEMORY (2); raise the limit of" in output


def test_without_a_device(tmp_path: pathlib.Path) -> None:
    output = run(
        tmp_path,
        """
driver.StandInFail(b"cuInit", 1, 100)
try:
    parallel_pool.make("CartPole-v1", pin_memory=True)
except RuntimeError as error:
    print(error)
check_nothing_is_left()
""",
    )
    assert output == (
        "CartPole-v1: pin_memory=True finds no NVIDIA GPU that it can use: cuInit: "
        "CUDA_ERROR_NO_DEVICE (100); use pin_memory=False without one\n"
    )


def test_without_a_driver(tmp_path: pathlib.Path) -> None:
    (tmp_path / "libcuda.so.1").write_text("")  # hides a driver that this machine may have
    program = """
import parallel_pool
try:
    parallel_pool.make("CartPole-v1", pin_memory=True)
except RuntimeError as error:
    print(error)
parallel_pool.make("CartPole-v1").close()
"""
    assert finished(tmp_path, program).startswith(
        "CartPole-v1: pin_memory=True is for NVIDIA's GPUs, but NVIDIA's driver cannot be loaded: "
    )


def test_it_is_a_bool_and_off_by_default() -> None:
    assert parallel_pool.make_spec("CartPole-v1").config["pin_memory"] is False
    with pytest.raises(TypeError, match="pin_memory must be True or False, not 1"):
        parallel_pool.make("CartPole-v1", pin_memory=1)  # type: ignore[call-overload]
