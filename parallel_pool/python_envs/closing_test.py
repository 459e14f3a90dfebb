"""The end of a pool of envs in Python: close() and its time limit, the end of the interpreter."""

import gc
import pathlib
import sys
import time
from typing import Any

import pytest

import parallel_pool
from parallel_pool.testing.processes import output_of
from parallel_pool.testing.python_env import Plain


class Closing(Plain):
    """Writes a file when it is closed, which takes a while."""

    def __init__(self, file: str, seconds: float) -> None:
        self.file, self.seconds = file, seconds

    def close(self) -> None:
        time.sleep(self.seconds)
        pathlib.Path(self.file).write_text("a whole film")


def closing(tmp_path: pathlib.Path, seconds: float, **options: Any) -> Any:
    own = [{"file": str(tmp_path / str(i)), "seconds": seconds} for i in range(2)]
    pool = parallel_pool.make_python(Closing, env_kwargs=own, num_envs=2, num_workers=2, **options)
    pool.reset()
    return pool


def test_close_waits_for_the_envs(tmp_path: pathlib.Path) -> None:
    with pytest.warns(
        UserWarning, match=r"Closing: envs 0 to 0, 1 to 1 are still closing; close_timeout is 60 s"
    ):
        closing(tmp_path, 2.5).close()
    assert [path.read_text() for path in tmp_path.iterdir()] == ["a whole film"] * 2


def test_close_timeout_ends_envs_that_do_not_close(tmp_path: pathlib.Path) -> None:
    pool = closing(tmp_path, 3600, close_timeout=0.5)
    processes = [worker.process for worker in pool._native._group.workers]
    with pytest.warns(UserWarning, match="were ended, because they did not close within 0.5 s"):
        pool.close()
    assert not list(tmp_path.iterdir())
    assert all(process._closed for process in processes)


def test_an_exception_of_close_is_a_warning() -> None:
    class Bad(Plain):
        def close(self) -> None:
            raise OSError("the disk is full")

    pool = parallel_pool.make_python(Bad, 1, num_workers=0)
    with pytest.warns(UserWarning, match=r"env 0: its close\(\) raised OSError: the disk is full"):
        pool.close()


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("end", ["pool.close()", "", "pool.step([0, 0])"])
@pytest.mark.parametrize("keep", ["builtins.kept = pool", "sys.modules['json'].kept = pool", ""])
def test_the_end_of_the_interpreter_is_silent(workers: int, end: str, keep: str) -> None:
    """Also if a module still has the pool when Python takes the modules apart."""
    program = f"""
import builtins, json, sys
import parallel_pool
pool = parallel_pool.make_python("CartPole-v1", 2, num_workers={workers})
pool.reset()
cycle = [pool]
cycle.append(cycle)
{keep}
{end}
"""
    output_of(program)


@pytest.mark.parametrize("length", [1, 100, 200])
def test_any_folder_for_temporary_files(tmp_path: pathlib.Path, length: int) -> None:
    """The path of a socket, which the fork server has, can be of 107 bytes only."""
    folder = tmp_path / ("x" * max(1, length - len(str(tmp_path)) - 1))
    folder.mkdir()
    program = """
import multiprocessing.util, os, pathlib, sys
import parallel_pool
for count in (2, 3):
    with parallel_pool.make_python("CartPole-v1", count, num_workers=2) as pool:
        assert pool.reset()[0].shape == (count, 4)
assert multiprocessing.util.get_temp_dir().startswith(os.environ["TMPDIR"])
from parallel_pool.python_envs import worker_process
if worker_process._folder_in_tmp.cache_info().currsize:
    print(worker_process._folder_in_tmp())
"""
    shown = output_of(program, TMPDIR=str(folder)).strip()
    assert shown or length < 100
    assert not pathlib.Path(shown or "none").exists()
    assert not list(folder.iterdir())


def test_a_pool_in_a_cycle_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    problems: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", problems.append)
    for _ in range(3):
        cycle: list[Any] = [parallel_pool.make_python("CartPole-v1", 2, num_workers=2)]
        cycle[0].reset()
        cycle.append(cycle)
        processes = [worker.process for worker in cycle[0]._native._group.workers]
        del cycle
        gc.collect()
        assert problems == []
        assert all(process._closed for process in processes)
