"""What the documentation shows runs as it is shown."""

import pathlib
import re
import runpy

import pytest

ROOT = pathlib.Path(__file__).parent.parent


@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md"])
def test_page(page: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert len(blocks) >= 2
    # The loops that users end themselves end soon here.
    code = re.sub(r"while True:|for _ in range\(\d+\):", "for _ in range(5):", "\n".join(blocks))
    # A comment with a shape is what the line's first name has.
    claim = r"^(\w+)(.*?) # (?:\w+: )?(\([\d, ]+\))$"
    code, claims = re.subn(
        claim, r"\1\2; assert \1.shape == \3, \1.shape", code, flags=re.MULTILINE
    )
    assert claims
    exec(compile(code, page, "exec"), {})


def blocks(page: str, language: str) -> str:
    """All that a page shows of one language, without empty lines."""
    found = re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    return "\n".join(line for line in "".join(found).splitlines() if line)


def test_add_an_env_shows_the_files_that_run() -> None:
    def lines(file: str) -> str:
        text = (ROOT / "examples" / file).read_text()
        return "\n".join(line for line in text.splitlines() if line)

    page = "docs/add_an_env.md"
    assert blocks(page, "cpp") == lines("my_env/my_env.cc") + "\n" + lines("low_bid/low_bid.cc")
    programs = [lines(f) for f in ("my_env/play.py", "low_bid/play.py", "my_env/check.py")]
    assert blocks(page, "python") == "\n".join(programs)
    exported = re.compile(r"exports_files\(.*?^\]\)\n", re.DOTALL | re.MULTILINE)
    assert blocks(page, "starlark") == exported.sub("", lines("my_env/BUILD"))


def test_quickstart(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples/quickstart.py"), run_name="__main__")
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "gym: (100, 4, 84, 84)"
    assert "async: (16, 4, 84, 84)" in out
    assert "gymnasium: (2, 4) [2 5]" in out
