"""`selftest`: plays every family, and says what differs from the results on x86-64 Linux.

Another process makes the checks, one after another. If it ends, as by a signal, the check that it
made has failed, and a new process makes the others.
"""

import contextlib
import faulthandler
import importlib.util
import multiprocessing
import pathlib
import re
import signal
import time
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from parallel_pool._build_info import FAMILIES
from parallel_pool.command_line.engine_checks import CHECKS, SkippedError
from parallel_pool.python.check import expected_results
from parallel_pool.python.check.expected_results import ExpectedResults
from parallel_pool.python.check.machine import describe_machine
from parallel_pool.python.options.option import suggest
from parallel_pool.python.specs.registry import registry
from parallel_pool.python.start_method import free_start_method

FILE = pathlib.Path(expected_results.__file__).with_name("expected_results.npz")
_ENGINE = "engine"
# Seconds after which a check counts as hanging: none takes so long, also next to other programs.
_LONGEST = 600.0
# How the system's loader says that a family needs a library of the system.
_MISSING_LIBRARY = re.compile(r"(?<!_family\.so): cannot open shared object file")
_END = 5.0  # seconds that its process may take to end


def run(families: list[str], file: pathlib.Path = FILE) -> int:
    """Prints a line for each check; returns the exit code: 1 if a check has failed.

    Args:
        families: the families to check, or "engine"; empty: all.
        file: the expected results.
    """
    names = _chosen(families, ExpectedResults(file))
    began = time.monotonic()
    print("\n".join(describe_machine()), end="\n\n", flush=True)
    failed, skipped = [], 0
    for name, result in _results(names, file):
        print(f"{name:<30}{result}", flush=True)
        failed += [name] * result.startswith("FAILED")
        skipped += result.startswith("skipped")
    counts = f"{len(names) - len(failed) - skipped} ok, {len(failed)} failed, {skipped} skipped"
    print(f"\n{counts}, in {time.monotonic() - began:.0f} s")
    print(f"selftest FAILED: {', '.join(failed)}" if failed else "selftest ok")
    return 1 if failed else 0


def _chosen(families: list[str], expected: ExpectedResults) -> list[str]:
    """The names of the checks: "engine: threads", or a group of `expected`."""
    groups = sorted({*FAMILIES, *expected.groups})
    for family in families:
        if family not in (_ENGINE, *groups):
            near = suggest(family, [_ENGINE, *groups])
            raise ValueError(f"there is no family {family!r}{near}")
    checks = [f"{_ENGINE}: {check}" for check in CHECKS]
    return [
        name for name in (*checks, *groups) if not families or name.partition(":")[0] in families
    ]


def _results(names: list[str], file: pathlib.Path) -> Iterator[tuple[str, str]]:
    """(name, result) of each check: "ok...", "skipped: why" or "FAILED: why"."""
    waiting = list(names)
    context = multiprocessing.get_context("spawn")
    while waiting:
        pipe, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_make_checks, args=(theirs, waiting, file))
        with free_start_method():
            child.start()
        theirs.close()
        try:
            goes_on = True
            while waiting and goes_on:
                result, goes_on = _received(pipe, child)
                yield waiting.pop(0), result
            if goes_on:
                child.join(_END)
        finally:
            child.kill()
            child.join()
            pipe.close()


def _received(pipe: Connection, child: BaseProcess) -> tuple[str, bool]:
    """The next result, and whether the process goes on."""
    if not wait([pipe, child.sentinel], _LONGEST):
        return f"FAILED: it takes longer than {_LONGEST:.0f} s", False
    with contextlib.suppress(EOFError, OSError):
        return str(pipe.recv()), True
    child.join(_LONGEST)  # a process that a signal has ended may write its memory to a file
    return f"FAILED: {_end_of(child.exitcode)}", False


def _end_of(code: int | None) -> str:
    """How the process of a check ended."""
    if code is None:
        return "its process does not end"
    if code >= 0:
        return f"its process ended with exit code {code}"
    names = {number.value: f" ({number.name})" for number in signal.Signals}
    return f"its process was ended by signal {-code}{names.get(-code, '')}"


def _make_checks(pipe: Connection, names: list[str], file: pathlib.Path) -> None:
    """Sends the result of each check."""
    faulthandler.enable()
    expected = ExpectedResults(file)
    for name in names:
        pipe.send(_result(name, expected))


def _result(name: str, expected: ExpectedResults) -> str:
    try:
        group, _, check = name.partition(": ")
        text = CHECKS[check]() if group == _ENGINE else _compare(group, expected)
    except SkippedError as why:
        return f"skipped: {_line(why)}"
    except AssertionError as wrong:
        return f"FAILED: {_line(wrong)}"
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{pathlib.Path(frame.filename).name}, line {frame.lineno}"
        return f"FAILED: {type(error).__name__}: {_line(error)} ({place})"
    return f"ok{text or ''}"


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _compare(name: str, expected: ExpectedResults) -> str:
    """Plays the tasks of a group; returns what the report says of the differences."""
    group = expected.groups.get(name)
    if group is None:
        raise SkippedError("there are no expected results")
    if group.family not in FAMILIES or group.family in registry().left_out:
        raise SkippedError(f"this build has no family {group.family}")
    if why := registry().failures.get(group.family, ""):
        if _MISSING_LIBRARY.search(why):
            raise SkippedError(why)
        raise AssertionError(why)
    if group.package and importlib.util.find_spec(group.package) is None:
        raise SkippedError(f"it needs the package {group.package}: {group.install}")
    largest = expected.compare(name)
    return f", largest difference {largest:,.1f} ulps" if largest else ""
