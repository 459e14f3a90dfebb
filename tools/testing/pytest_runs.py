"""Runs programs side by side, such as pytest in several Pythons, and counts test cases."""

import collections
import concurrent.futures
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from tools.testing.run_tests import count_cases

T = TypeVar("T")


def side_by_side(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Makes each call, as many at once as there are processors; their results, in order.

    After an exception or Ctrl-C no other call begins.
    """
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        futures = [threads.submit(call) for call in calls]
        try:
            for future in concurrent.futures.as_completed(futures):
                future.result()
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise
        return [future.result() for future in futures]


def run_pytest(
    name: str,
    python: Sequence[str],
    tests: Sequence[pathlib.Path],
    cwd: pathlib.Path,
    env: Mapping[str, str],
    options: Sequence[str] = (),
) -> collections.Counter[str]:
    """Runs tests, and prints the output as a whole, because others may print meanwhile.

    Args:
        name: what is tested, for the output.
        python: an interpreter with its options.
        tests: files.
        cwd: pytest's root; Python must find nothing to import there.
        env: the environment.
        options: of pytest.

    Returns:
        The numbers that passed, failed or were skipped.
    """
    with tempfile.TemporaryDirectory() as scratch:
        xml = pathlib.Path(scratch, "test.xml")
        ours = ["-q", "-p", "no:cacheprovider", "--durations=3", f"--junitxml={xml}"]
        command = [*python, "-m", "pytest", *ours, f"--rootdir={cwd}", *options]
        command += [str(test) for test in tests]
        run = subprocess.run(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        counts = count_cases(xml)
    if run.returncode and not counts["failed"]:
        counts["failed"] = 1  # pytest failed before it wrote its results
    print(f"{name}:\n{run.stdout}", end="", flush=True)
    return counts
