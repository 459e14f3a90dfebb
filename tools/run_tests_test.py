import pathlib
from typing import Any

import pytest

from tools import run_tests

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


def test_a_torn_report_counts_nothing(tmp_path: pathlib.Path) -> None:
    torn = tmp_path / "torn.xml"
    torn.write_text("<testsuite><testcase/>")
    assert run_tests.count_results([result("//a", torn, "FAILED")])["failed"] == 1


def test_what_does_not_build_is_a_failure() -> None:
    events: list[dict[str, Any]] = [
        {"id": {"targetCompleted": {"label": "//a"}}, "completed": {"success": True}},
        {"id": {"targetCompleted": {"label": "//b"}}, "completed": {}},
        {"id": {"targetCompleted": {"label": "//c"}}, "aborted": {"reason": "ANALYSIS_FAILURE"}},
    ]
    assert run_tests.count_results(events)["failed"] == 2
