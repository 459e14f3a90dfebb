"""Fixtures of the tests of all libraries."""

import pathlib
import re
from collections.abc import Callable

import pytest

_DOCS = pathlib.Path(__file__).parent.parent / "docs"


@pytest.fixture
def snippet(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """run(heading): runs the Python below a heading of docs/integrations.md; returns its output.

    Blocks of other pages that only these tests run begin with ```py: `fence`.
    """

    def run(heading: str, page: str = "integrations.md", fence: str = "python") -> str:
        sections = re.split(r"^###? ", (_DOCS / page).read_text(), flags=re.MULTILINE)
        (section,) = (s for s in sections if s.startswith(heading + "\n"))
        code = "\n".join(re.findall(rf"```{fence}\n(.*?)```", section, re.DOTALL))
        assert code, heading
        exec(compile(code, heading, "exec"), {"__name__": "__main__"})
        return capsys.readouterr().out

    return run
