"""The workflows run what .ci/run runs, by targets of the Makefile."""

import pathlib
import re

import pytest
import yaml

ROOT = pathlib.Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text()


def commands(text: str) -> set[str]:
    """The arguments of each call of make in a workflow, one for each value of its matrix."""
    found: set[str] = set()
    for job in yaml.safe_load(text)["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        for step in job["steps"]:
            for call in re.findall(r"^make (.+)$", step.get("run", ""), re.MULTILINE):
                name = re.search(r"\$\{\{ matrix\.(\w+) \}\}", call)
                values = matrix[name[1]] if name else [""]
                found |= {call.replace(name[0], value) if name else call for value in values}
    return found


def unknown(calls: set[str]) -> list[str]:
    """The targets of these calls that the Makefile does not have."""
    targets = {word for call in calls for word in call.split(" ")[:1]}
    return sorted(t for t in targets if not re.search(rf"^{t}:", MAKEFILE, re.MULTILINE))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_call_targets_of_the_makefile(path: pathlib.Path) -> None:
    calls = commands(path.read_text())
    assert calls
    assert unknown(calls) == []


def test_an_unknown_target_is_found() -> None:
    assert unknown({"lint", "lynt"}) == ["lynt"]


def test_the_workflow_runs_what_ci_runs() -> None:
    steps = set(re.findall(r"^run (\w+)", (ROOT / ".ci/run").read_text(), re.MULTILINE))
    assert "lint" in steps
    assert steps <= commands((ROOT / ".github/workflows/ci.yml").read_text())
