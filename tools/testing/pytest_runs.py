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
        status, printed = run_quietly(command, cwd, env)
        counts = count_cases(xml)
    if status and not counts["failed"]:
        counts["failed"] = 1  # pytest failed before it wrote its results
    print(f"{name}:\n{printed}", end="", flush=True)
    return counts


def run_quietly(
    command: Sequence[str], cwd: pathlib.Path, env: Mapping[str, str]
) -> tuple[int, str]:
    """Runs a program without input until it ends; its exit status, and all that it printed."""
    # A pipe would be open as long as any process that it has started, such as those of wine.
    with tempfile.TemporaryFile() as output:
        run = subprocess.run(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output.seek(0)
        return run.returncode, output.read().decode(errors="replace").replace("\r\n", "\n")
