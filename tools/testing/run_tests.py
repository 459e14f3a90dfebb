#!/usr/bin/env python3
"""Runs `bazel test` and ends with the line `N passed, N failed` over all test cases.

Lines `parity: FAMILY: ...` before it count what parity tests compared with the references. In a
terminal, Bazel shows what it does; else a line a minute says how many tests are done. Ctrl-C ends
the run, and what has run is counted.
Usage: tools/testing/run_tests.py TARGET...    (and any option of bazel test). Exits as Bazel does.
"""

import collections
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterable
from typing import Any

_BAZEL = pathlib.Path(__file__).parents[1] / "bazel.sh"
_MINUTE = 60.0  # s
_LIMITS = {"SMALL": 60, "MEDIUM": 300, "LARGE": 900, "ENORMOUS": 3600}  # s, of Bazel's sizes


def count_cases(xml: pathlib.Path) -> collections.Counter[str]:
    """Counts the test cases of one test.xml as passed, failed or skipped."""
    counts: collections.Counter[str] = collections.Counter()
    try:
        tree = ET.parse(xml)
    except (OSError, ET.ParseError):  # the test was killed before it had written the file
        return counts
    for case in tree.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            counts["failed"] += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            counts["skipped"] += 1
        else:
            counts["passed"] += 1
    return counts


def print_counts(counts: collections.Counter[str]) -> None:
    """Prints `N passed, N failed`, and how many were skipped, if any."""
    line = f"{counts['passed']} passed, {counts['failed']} failed"
    print(line + (f", {counts['skipped']} skipped" if counts["skipped"] else ""), flush=True)


def last_runs(events: Iterable[dict[str, Any]]) -> dict[tuple[str, int], dict[str, Any]]:
    """The last attempt at each target and shard, of Bazel's build events."""
    runs: dict[tuple[str, int], dict[str, Any]] = {}
    for event in events:
        if result := event.get("testResult"):
            of = event["id"]["testResult"]
            runs[of["label"], of.get("shard", 0)] = result
    return runs


def xml_of(result: dict[str, Any]) -> pathlib.Path | None:
    """The test.xml of an attempt."""
    for output in result.get("testActionOutput", []):
        if output["name"] == "test.xml":
            return pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path))
    return None


def count_results(
    events: list[dict[str, Any]], interrupted: bool = False
) -> collections.Counter[str]:
    """Counts the test cases of Bazel's build events; a target without any counts as one.

    A target that was not built is a failure, unless the run was `interrupted`, or the target is for
    another configuration (target_compatible_with).
    """
    unbuilt: set[str] = set()
    for event in events:
        target = event["id"].get("targetCompleted")
        if event.get("aborted", {}).get("reason") == "SKIPPED":
            continue
        if target and not interrupted and not event.get("completed", {}).get("success"):
            unbuilt.add(target["label"])

    counts: collections.Counter[str] = collections.Counter()
    for result in last_runs(events).values():
        xml = xml_of(result)
        cases = count_cases(xml) if xml else collections.Counter()
        if interrupted and result["status"] in ("INCOMPLETE", "NO_STATUS"):
            continue
        if result["status"] not in ("PASSED", "FLAKY") and not cases["failed"]:
            cases["failed"] += 1  # it crashed or timed out
        counts += cases
    counts["failed"] += len(unbuilt)
    return counts


def _played(xml: pathlib.Path | None) -> list[dict[str, Any]]:
    """The notes of the test of a test.xml (parallel_pool/testing/played.py)."""
    archive = xml.parent / "test.outputs/outputs.zip" if xml else None
    if not archive or not archive.exists():
        return []
    with zipfile.ZipFile(archive) as files:
        if "played.jsonl" not in files.namelist():
            return []
        return [json.loads(line) for line in files.read("played.jsonl").splitlines()]


def parity(events: list[dict[str, Any]]) -> list[str]:
    """A line for each family that passed tests compared with its reference."""
    seeds: dict[str, set[tuple[str, int | None]]] = collections.defaultdict(set)
    steps: collections.Counter[str] = collections.Counter()
    for (label, _), result in last_runs(events).items():
        package = label.removeprefix("//").partition(":")[0]
        family = package.partition("/envs/")[2] or package
        for play in _played(xml_of(result)) if result["status"] == "PASSED" else []:
            seeds[family] |= {(play["task"], seed) for seed in play["seeds"]}
            steps[family] += play["env_steps"]
    return [
        f"parity: {family}: {len({task for task, _ in of})} tasks, {len(of)} tasks x seeds, "
        f"{steps[family]} env steps"
        for family, of in sorted(seeds.items())
    ]


def slow(events: list[dict[str, Any]]) -> list[str]:
    """A line for each test that took over a quarter of its limit: a slow machine needs more."""
    limits = {
        event["id"]["targetConfigured"]["label"]: _LIMITS[event["configured"]["testSize"]]
        for event in events
        if "testSize" in event.get("configured", {})
    }
    longest: dict[str, float] = {}
    for (label, _), result in last_runs(events).items():
        seconds = float(result.get("testAttemptDurationMillis", 0)) / 1000
        longest[label] = max(longest.get(label, 0.0), seconds)
    return [
        f"slow: {label} took {seconds:.0f} s; its limit is {limits[label]} s"
        for label, seconds in sorted(longest.items())
        if label in limits and seconds > limits[label] / 4
    ]


def read(log: pathlib.Path) -> list[dict[str, Any]]:
    """The events of a file that Bazel may still write."""
    text = log.read_text() if log.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def progress(events: list[dict[str, Any]]) -> str:
    """How many tests are done, of how many; a test is a target."""
    total = sum("testSize" in event.get("configured", {}) for event in events)
    ends = [e["testSummary"]["overallStatus"] for e in events if "testSummary" in e]
    failed = sum(status not in ("PASSED", "FLAKY") for status in ends)
    what = f"{len(ends)} of {total} tests are done" if ends else "building"
    return f"{what}, {failed} failed" if failed else what


def run_bazel(arguments: list[str], log: pathlib.Path, every: float) -> tuple[int, bool]:
    """Runs `bazel test`; its exit code, and whether Ctrl-C or SIGTERM has ended it.

    Args:
        arguments: those after `bazel test`.
        log: the file of Bazel's build events.
        every: seconds between two lines that say how far it is, if there is no terminal.
    """
    is_terminal = sys.stderr.isatty()
    command = [str(_BAZEL), "test", "--keep_going", f"--build_event_json_file={log}"]
    command += ["--show_progress"] if is_terminal else []
    # In a session of its own, so that Ctrl-C reaches it once: a third signal would end its server.
    bazel = subprocess.Popen(
        [*command, *arguments], stdin=subprocess.DEVNULL, start_new_session=True
    )
    interrupted = False

    def interrupt(*_: Any) -> None:
        nonlocal interrupted
        interrupted = True
        bazel.send_signal(signal.SIGINT)

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    start = said = time.monotonic()
    while True:
        try:
            return bazel.wait(timeout=min(every, 1.0)), interrupted
        except subprocess.TimeoutExpired:
            now = time.monotonic()
            if not is_terminal and now - said >= every:
                said = now
                print(f"after {(now - start) / 60:.0f} min: {progress(read(log))}", flush=True)


def main() -> int:
    """Runs the tests that the command line names."""
    with tempfile.TemporaryDirectory() as scratch:
        log = pathlib.Path(scratch, "events.json")
        code, interrupted = run_bazel(sys.argv[1:], log, _MINUTE)
        events = read(log)
        counts = count_results(events, interrupted)
        for line in [*slow(events), *parity(events)]:
            print(line)
    if interrupted:
        print(f"interrupted: {progress(events)}")
    elif code and not counts["failed"]:
        counts["failed"] = 1  # no test ran: the build is broken
    print_counts(counts)
    return code


if __name__ == "__main__":
    sys.exit(main())
