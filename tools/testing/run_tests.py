#!/usr/bin/env python3
"""Runs `bazel test` and ends with the line `N passed, N failed` over all test cases.

Lines `parity: FAMILY: ...` before it count what parity tests compared with the references.
Usage: tools/testing/run_tests.py TARGET...    (and any option of bazel test). Exits as Bazel does.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterable
from typing import Any

_BAZEL = pathlib.Path(__file__).parents[1] / "bazel.sh"


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


def count_results(events: list[dict[str, Any]]) -> collections.Counter[str]:
    """Counts the test cases of Bazel's build events; a target without any counts as one."""
    unbuilt: set[str] = set()
    for event in events:
        target = event["id"].get("targetCompleted")
        if target and not event.get("completed", {}).get("success"):
            unbuilt.add(target["label"])

    counts: collections.Counter[str] = collections.Counter()
    for result in last_runs(events).values():
        xml = xml_of(result)
        cases = count_cases(xml) if xml else collections.Counter()
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
        events = [json.loads(line) for line in lines]
        counts = count_results(events)
        for line in parity(events):
            print(line)
    if code and not counts["failed"]:
        counts["failed"] = 1  # no test ran: the build is broken
    print_counts(counts)
    return code


if __name__ == "__main__":
    sys.exit(main())
