#!/usr/bin/env python3
"""Runs `bazel test` and ends with the line `N passed, N failed` over all test cases.

Usage: tools/run_tests.py TARGET...    (and any option of bazel test). Exits as Bazel does.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from typing import Any

_BAZEL = pathlib.Path(__file__).parent / "bazel.sh"


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


def count_results(events: Iterable[dict[str, Any]]) -> collections.Counter[str]:
    """Counts the test cases of Bazel's build events; a target without any counts as one."""
    runs: dict[tuple[str, int], dict[str, Any]] = {}  # by target and shard, the last attempt
    unbuilt: set[str] = set()
    for event in events:
        if result := event.get("testResult"):
            of = event["id"]["testResult"]
            runs[of["label"], of.get("shard", 0)] = result
        elif target := event["id"].get("targetCompleted"):
            if event.get("completed", {}).get("success"):
                continue
            unbuilt.add(target["label"])

    counts: collections.Counter[str] = collections.Counter()
    for result in runs.values():
        cases: collections.Counter[str] = collections.Counter()
        for output in result.get("testActionOutput", []):
            if output["name"] == "test.xml":
                path = urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path)
                cases = count_cases(pathlib.Path(path))
        if result["status"] not in ("PASSED", "FLAKY") and not cases["failed"]:
            cases["failed"] += 1  # it crashed or timed out
        counts += cases
    counts["failed"] += len(unbuilt)
    return counts


def main() -> int:
    """Runs the tests that the command line names."""
    with tempfile.TemporaryDirectory() as scratch:
        log = pathlib.Path(scratch, "events.json")
        command = [
            str(_BAZEL),
            "test",
            "--keep_going",
            f"--build_event_json_file={log}",
            *sys.argv[1:],
        ]
        code = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
        lines = log.read_text().splitlines() if log.exists() else []
        counts = count_results(json.loads(line) for line in lines)
    if code and not counts["failed"]:
        counts["failed"] = 1  # no test ran: the build is broken
    line = f"{counts['passed']} passed, {counts['failed']} failed"
    print(line + (f", {counts['skipped']} skipped" if counts["skipped"] else ""), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
