"""Fixtures of the tests of all libraries."""

import pathlib
import re
from collections.abc import Callable

import pytest

_PAGE = pathlib.Path(__file__).parent.parent / "docs/integrations.md"


@pytest.fixture
def snippet(capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """run(heading): runs the Python below a heading of docs/integrations.md; returns its output."""

    def run(heading: str) -> str:
        sections = re.split(r"^###? ", _PAGE.read_text(), flags=re.MULTILINE)
        (section,) = (s for s in sections if s.startswith(heading + "\n"))
        code = "\n".join(re.findall(r"```python\n(.*?)```", section, re.DOTALL))
        assert code, heading
        exec(compile(code, heading, "exec"), {"__name__": "__main__"})
        return capsys.readouterr().out

    return run
