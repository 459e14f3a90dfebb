import json
import os
import pathlib
import signal
import subprocess
import sys
import zipfile
from typing import Any

import pytest

from tools.testing import run_tests

CASES = """<testsuites><testsuite>
  <testcase name="good"/>
  <testcase name="bad"><failure/></testcase>
  <testcase name="broken"><error/></testcase>
  <testcase name="left out"><skipped/></testcase>
  <testcase name="disabled" status="notrun"/>
</testsuite></testsuites>"""


def result(
    label: str, xml: pathlib.Path | None, status: str = "PASSED", shard: int = 1
) -> dict[str, Any]:
    outputs = [{"name": "test.log", "uri": "file:///none"}]
    if xml:
        outputs.append({"name": "test.xml", "uri": xml.as_uri()})
    return {
        "id": {"testResult": {"label": label, "shard": shard}},
        "testResult": {"status": status, "testActionOutput": outputs},
    }


@pytest.fixture
def good(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "a b.xml"
    path.write_text("<testsuite><testcase/><testcase/></testsuite>")
    return path


def test_counts_cases(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "test.xml"
    path.write_text(CASES)
    assert run_tests.count_cases(path) == {"passed": 1, "failed": 2, "skipped": 2}


def test_adds_up_targets_and_shards(good: pathlib.Path) -> None:
    events = [result("//a", good), result("//a", good, shard=2), result("//b", good)]
    assert run_tests.count_results(events)["passed"] == 6


def test_last_attempt_counts(good: pathlib.Path, tmp_path: pathlib.Path) -> None:
    bad = tmp_path / "bad.xml"
    bad.write_text("<testsuite><testcase><failure/></testcase></testsuite>")
    counts = run_tests.count_results([result("//a", bad, "FAILED"), result("//a", good)])
    assert (counts["passed"], counts["failed"]) == (2, 0)


def test_a_crash_is_a_failure(good: pathlib.Path) -> None:
    counts = run_tests.count_results(
        [result("//a", None, "TIMEOUT"), result("//b", good, "FAILED")]
    )
    assert (counts["passed"], counts["failed"]) == (2, 2)


def test_adds_up_what_was_compared(tmp_path: pathlib.Path) -> None:
    def noted(folder: str, *plays: Any) -> pathlib.Path:
        xml = tmp_path / folder / "test.xml"
        (xml.parent / "test.outputs").mkdir(parents=True)
        xml.write_text("<testsuite><testcase/></testsuite>")
        lines = [json.dumps({"task": t, "seeds": s, "env_steps": n}) for t, s, n in plays]
        with zipfile.ZipFile(xml.parent / "test.outputs/outputs.zip", "w") as archive:
            archive.writestr("played.jsonl", "\n".join(lines))
        return xml

    label = "//parallel_pool/envs/mujoco/gym:parity_test"
    first = noted("1", ("A-v0", [1, 2], 100), ("A-v0", [2, 4], 50))
    second = noted("2", ("B-v0", [None], 7), ("A-v0", [3], 5))
    failed = noted("3", ("C-v0", [1], 1000))
    noted("not of this run", ("D-v0", [1], 1000))
    events = [result(label, failed, "FAILED"), result(label, first), result(label, second, shard=2)]
    events += [result("//parallel_pool/envs/mpe:parity_test", failed, "FAILED")]
    events += [result("//parallel_pool/python:pool_test", None)]
    assert run_tests.parity(events) == [
        "parity: mujoco/gym: 2 tasks, 5 tasks x seeds, 162 env steps"
    ]


def run_main(test: pathlib.Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Runs a test file as Bazel does."""
    main = pathlib.Path(__file__).parents[2] / "build_defs/pytest_main.py"
    here = {**os.environ, "PYTHONPATH": ":".join([str(test.parent), *sys.path])}
    for name in ("TEST_TOTAL_SHARDS", "TESTBRIDGE_TEST_ONLY", "XML_OUTPUT_FILE"):
        here.pop(name, None)
    command = [sys.executable, str(main), str(test), f"--rootdir={test.parent}"]
    return subprocess.run(command, env=here | env, check=False, capture_output=True, text=True)


def test_a_part_without_cases_passes(tmp_path: pathlib.Path) -> None:
    test = tmp_path / "some_test.py"
    test.write_text("def test_one(): pass\n")
    shard = {
        "TEST_TOTAL_SHARDS": "2",
        "TEST_SHARD_INDEX": "1",
        "TEST_SHARD_STATUS_FILE": str(tmp_path / "status"),
    }
    assert run_main(test).returncode == 0
    assert run_main(test, TESTBRIDGE_TEST_ONLY="two").returncode == 0
    assert run_main(test, **shard).returncode == 0
    test.write_text("def test_one(): assert False\n")
    assert run_main(test, TESTBRIDGE_TEST_ONLY="one").returncode == 1
    test.write_text("")
    assert run_main(test).returncode == 5, "a file without tests is a mistake"


def test_the_assertions_of_helpers_show_their_values(tmp_path: pathlib.Path) -> None:
    helper = tmp_path / "parallel_pool/testing/helper.py"
    helper.parent.mkdir(parents=True)
    for folder in (helper.parent, helper.parent.parent):
        (folder / "__init__.py").touch()
    helper.write_text("def same(a, b):\n    assert a == b\n")
    test = tmp_path / "some_test.py"
    test.write_text(
        "from parallel_pool.testing.helper import same\ndef test_one(): same([3, 4], [3, 5])\n"
    )
    assert "At index 1 diff: 4 != 5" in run_main(test).stdout


def test_a_test_needs_a_quarter_of_its_limit_at_most() -> None:
    def events(label: str, size: str, *seconds: float) -> list[dict[str, Any]]:
        runs = [result(label, None, shard=shard) for shard, _ in enumerate(seconds)]
        for run, taken in zip(runs, seconds, strict=True):
            run["testResult"]["testAttemptDurationMillis"] = str(int(taken * 1000))
        return [
            {"id": {"targetConfigured": {"label": label}}, "configured": {"testSize": size}},
            *runs,
        ]

    found = run_tests.slow(
        [*events("//a", "SMALL", 14.9), *events("//b", "SMALL", 3, 16), *events("//c", "LARGE", 99)]
    )
    assert found == ["slow: //b took 16 s; its limit is 60 s"]


FAKE_BAZEL = (
    f"#!{sys.executable} -I"
    + """
import json, signal, sys, time
(log,) = (a.partition("=")[2] for a in sys.argv if a.startswith("--build_event_json_file="))
events = [
    {"id": {"targetConfigured": {"label": "//a"}}, "configured": {"testSize": "SMALL"}},
    {"id": {"targetConfigured": {"label": "//b"}}, "configured": {"testSize": "SMALL"}},
    {"id": {"targetConfigured": {"label": "//c"}}, "configured": {}},
    {"id": {}, "testSummary": {"overallStatus": "FAILED"}},
    {"id": {"targetCompleted": {"label": "//b"}}, "aborted": {"reason": "USER_INTERRUPTED"}},
]
with open(log, "w") as file:
    for event in events:
        print(json.dumps(event), file=file)
    file.write('{"id": {"prog')  # not yet complete
signal.signal(signal.SIGINT, lambda *_: sys.exit(8))
print("ready", flush=True)
time.sleep(float(sys.argv[-1]))
"""
)


def run_script(tmp_path: pathlib.Path, seconds: float) -> subprocess.Popen[str]:
    """run_tests.py with a Bazel that takes `seconds`, and a line each 0.1 s."""
    bazel = tmp_path / "bazel.sh"
    bazel.write_text(FAKE_BAZEL)
    bazel.chmod(0o755)
    program = (
        "import pathlib, sys; from tools.testing import run_tests\n"
        f"run_tests._BAZEL, run_tests._MINUTE = pathlib.Path({str(bazel)!r}), 0.1\n"
        "sys.exit(run_tests.main())"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, str(seconds)],
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_log_says_how_far_it_is(tmp_path: pathlib.Path) -> None:
    run = run_script(tmp_path, 1.0)
    out, _ = run.communicate(timeout=60)
    assert "after 0 min: 1 of 2 tests are done, 1 failed\n" in out
    assert run.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_counts_what_has_run(tmp_path: pathlib.Path, number: int) -> None:
    run = run_script(tmp_path, 600)
    assert run.stdout
    assert run.stdout.readline() == "ready\n"
    run.send_signal(number)
    lines = run.stdout.read().splitlines()
    assert run.wait(timeout=60) == 8
    assert lines[-2:] == [
        "interrupted: 1 of 2 tests are done, 1 failed",
        "0 passed, 0 failed",
    ]


def test_what_a_run_did_not_reach_is_no_failure(tmp_path: pathlib.Path) -> None:
    events = [
        {"id": {"targetCompleted": {"label": "//b"}}, "aborted": {"reason": "USER_INTERRUPTED"}},
        result("//a", None, "INCOMPLETE"),
    ]
    assert run_tests.count_results(events, interrupted=True)["failed"] == 0
    assert run_tests.count_results(events)["failed"] == 2


def test_a_torn_report_counts_nothing(tmp_path: pathlib.Path) -> None:
    torn = tmp_path / "torn.xml"
    torn.write_text("<testsuite><testcase/>")
    assert run_tests.count_results([result("//a", torn, "FAILED")])["failed"] == 1


def test_what_does_not_build_is_a_failure() -> None:
    events: list[dict[str, Any]] = [
        {"id": {"targetCompleted": {"label": "//a"}}, "completed": {"success": True}},
        {"id": {"targetCompleted": {"label": "//b"}}, "completed": {}},
        {"id": {"targetCompleted": {"label": "//c"}}, "aborted": {"reason": "ANALYSIS_FAILURE"}},
        # It is for another configuration.
        {"id": {"targetCompleted": {"label": "//d"}}, "aborted": {"reason": "SKIPPED"}},
    ]
    assert run_tests.count_results(events)["failed"] == 2
