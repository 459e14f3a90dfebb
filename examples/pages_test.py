"""The code blocks and commands of the documentation run."""

import ast
import importlib
import pathlib
import re
import shlex
from collections.abc import Iterator

import numpy as np
import pytest

import parallel_pool
import parallel_pool.compat
from parallel_pool.command_line.parser import main
from parallel_pool.integrations import pettingzoo

ROOT = pathlib.Path(__file__).parent.parent.absolute()
PAGES = {
    str(path.relative_to(ROOT))
    for folder in (".", "benchmark", "docs", "parallel_pool/envs/*", "parallel_pool/envs/*/*")
    for path in ROOT.glob(f"{folder}/*.md")
    if path.parent.name != "licenses"  # of others
}
WITH_PYTHON = {page for page in PAGES if re.search("``` *py", (ROOT / page).read_text())}
# Pages whose Python is not run by test_page, but compared with a file or run by another test.
ELSEWHERE = {
    "docs/add_an_env.md": "test_add_an_env_shows_the_files_that_run",
    "docs/env_api.md": "test_add_an_env_shows_the_files_that_run",
    "docs/integrations.md": "make test-integrations",
    "docs/jax.md": "make test-integrations",
    "docs/view.md": "make test-integrations",
}
# The files that `python -m parallel_pool example` writes.
SHIPPED = pathlib.Path(parallel_pool.__file__).parent / "command_line/examples"
ROBOT = """<mujoco>
  <worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody>
  <actuator><motor joint="j" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos joint="j"/></sensor>
</mujoco>"""


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.M)


def runnable(code: str) -> str:
    """The code with short loops, and with asserts for its comments about shapes and dtypes.

    Such a comment is about the first name of its line.
    """
    code = re.sub(r"while True:|for _ in range\(\d+\):", "for _ in range(5):", code)
    claim = r"^( *)(\w+)(.*?) # (?:\w+: )?(\([\d, ]+\))(?:, (\w+))?$"
    check = r"\1\2\3; assert (\2.shape, '\5' or \2.dtype) == (\4, \2.dtype), (\2.shape, \2.dtype)"
    code = re.sub(claim, check, code, flags=re.MULTILINE)
    assert not re.search(r"# .*\(\d+,", code), "a shape that is not checked"
    return code


def test_pages_are_found() -> None:
    assert {"README.md", "docs/faq.md", "parallel_pool/envs/atari/README.md"} < WITH_PYTHON
    assert "parallel_pool/envs/mujoco/robotics/README.md" in WITH_PYTHON
    assert set(ELSEWHERE) < WITH_PYTHON


@pytest.mark.parametrize("page", sorted(WITH_PYTHON - set(ELSEWHERE)))
def test_page(page: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a page's blocks one after another, in a folder with the files that they name."""
    code = "\n".join(blocks(page, "python"))
    assert code, "a block of Python begins with ```python at the beginning of a line"
    assert max(map(len, code.splitlines())) <= 100, "docs/style.css has room for so many"
    (tmp_path / "my_robot.xml").write_text(ROBOT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # windows without a screen
    exec(compile(runnable(code), page, "exec"), {})


@pytest.mark.parametrize("page", sorted(WITH_PYTHON))
def test_a_page_says_what_its_code_needs(page: str) -> None:
    """A line names the families and the packages; the main README has a sentence."""
    text = (ROOT / page).read_text()
    needs = re.findall(r"^\*\*Needs:\*\* ", text, re.MULTILINE)
    assert len(needs) == 1 or (page == "README.md" and "need the wheel only" in text)


def test_a_wrong_shape_is_seen() -> None:
    code = runnable(
        "import numpy\nwith open('/dev/null'):\n    a = numpy.ones(3)  # a: (3,), float64"
    )
    exec(code, {})
    for wrong in (code.replace("(3,)", "(4,)"), code.replace("'float64'", "'float32'")):
        with pytest.raises(AssertionError, match="float64"):
            exec(wrong, {})


def test_add_an_env_shows_the_files_that_run() -> None:
    def shown(language: str, page: str = "add_an_env") -> str:
        return without_empty("".join(blocks(f"docs/{page}.md", language)))

    def without_empty(text: str) -> str:
        return "\n".join(line for line in text.splitlines() if line)

    def lines(file: str) -> str:
        return without_empty((ROOT / "examples" / file).read_text())

    assert shown("cpp") == lines("my_env/my_env.cc")
    assert shown("cpp", "env_api") == lines("low_bid/low_bid.cc")
    for file in ("my_env/my_env.cc", "my_env/play.py", "my_env/check.py", "low_bid/low_bid.cc"):
        name = file.partition("/")[2]
        assert (SHIPPED / name).read_text() == (ROOT / "examples" / file).read_text(), (
            "`python -m parallel_pool example` writes another file"
        )
    assert shown("python") == "\n".join(map(lines, ("my_env/play.py", "my_env/check.py")))
    assert shown("python", "env_api") == lines("low_bid/play.py")
    exported = re.compile(r"exports_files\(.*?^\]\)\n", re.DOTALL | re.MULTILINE)
    assert shown("starlark") == exported.sub("", lines("my_env/BUILD"))


@pytest.mark.parametrize("library", ["gym", "PettingZoo"])
def test_integrations_that_the_build_has(library: str) -> None:
    """`make test-integrations` runs the other sections of that page."""
    page = (ROOT / "docs/integrations.md").read_text()
    (section,) = re.findall(rf"^### {library}\n(.*?)(?=^###? |\Z)", page, re.DOTALL | re.MULTILINE)
    code = re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    exec(compile(runnable("\n".join(code)), library, "exec"), {})


def commands(start: str) -> Iterator[tuple[str, str]]:
    """(page, rest of the line) of the shell commands that begin with `start`."""
    fence = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
    for page in sorted(PAGES):
        text = (ROOT / page).read_text()
        code = [body for language, body in fence.findall(text) if language in ("", "sh")]
        code += re.findall(r"`([^`]+)`", fence.sub("", text))
        code += re.findall(r"^ {4}(.*)$", fence.sub("", text), re.MULTILINE)
        for line in "\n".join(code).splitlines():
            for rest in re.findall(rf"(?:^|\(){start} +([^#)]+)", line):
                yield page, rest


def test_every_make_has_a_target() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = {(page, rest.split()[0]) for page, rest in commands("make")}
    assert ("README.md", "demo") in shown
    unknown = {(page, target) for page, target in shown if target not in targets}
    assert not unknown


def test_every_command_line_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs `play` without a terminal, so it needs no keys; play_test.py has a terminal."""
    shown = {rest for _, rest in commands("python -m parallel_pool")}
    assert {rest.split()[0] for rest in shown} == {
        *("list", "info", "bench", "play", "film", "replay", "diff", "view", "verify"),
        *("selftest", "example", "--cflags"),
    }
    monkeypatch.chdir(tmp_path)  # for films, scores and recordings
    pathlib.Path("agent_of_pages.py").write_text(
        "def act(obs):\n    return obs[:, 0].astype(int)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    agent = importlib.import_module("agent_of_pages")
    parallel_pool.evaluate(agent.act, "CartPole-v1", 2).save("score.json")
    for name in ("run.ppr", "other.ppr"):
        with parallel_pool.make("CartPole-v1", num_envs=64) as pool:
            pool.record(name)
            pool.reset()
            for _ in range(1000):
                pool.step(np.zeros(64, int))
    for rest in sorted(shown):
        if rest.startswith("view"):
            continue  # it needs Rerun: make test-integrations runs it
        words = rest.replace("TASK", "CartPole-v1").replace("=N", "=2")
        brief = {"bench": " --rounds 1 --seconds 0.05", "film": " --steps 3"}
        assert main(shlex.split(words + brief.get(words.split()[0], ""))) == 0, rest
        assert capsys.readouterr().out


def test_the_api_names_the_options_of_each_command(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/api.md").read_text()
    rows = re.findall(r"^\| `(\w+)([^|]*)\|(.*)\|$", page, re.MULTILINE)
    assert [row[0] for row in rows] == [
        "list",
        "info",
        "bench",
        "play",
        "film",
        "replay",
        "diff",
        "view",
        "verify",
        "selftest",
        "example",
    ]
    for command, _, meaning in rows:
        with pytest.raises(SystemExit):
            main([command, "--help"])
        flags = set(re.findall(r"--[\w-]+", capsys.readouterr().out)) - {"--help"}
        assert set(re.findall(r"--[\w-]+", meaning)) == flags, command


def public_names(module: pathlib.Path) -> set[str]:
    """The classes and functions that a file defines."""
    body = ast.parse(module.read_text()).body
    names = {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    return {name for name in names if not name.startswith("_")}


def test_the_api_is_complete() -> None:
    page = (ROOT / "docs/api.md").read_text()
    described = set(re.findall(r"^\.\. auto\w+:: ([\w.]+)", page, re.MULTILINE))
    names = {f"parallel_pool.{name}" for name in parallel_pool.__all__} - {
        "parallel_pool.__version__",
        "parallel_pool.returns",
    }
    package = ROOT / "parallel_pool"
    names |= {f"parallel_pool.returns.{n}" for n in public_names(package / "learner/returns.py")}
    names |= {f"parallel_pool.compat.{name}" for name in parallel_pool.compat.__all__}
    names |= {f"parallel_pool.integrations.pettingzoo.{name}" for name in pettingzoo.__all__}
    names -= {"parallel_pool.integrations.pettingzoo.env"}  # another name of aec_env
    for path in sorted((package / "integrations").glob("[!_]*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        names |= {f"{module}.{name}" for name in public_names(path)}
    assert "parallel_pool.integrations.sb3.VecEnv" in names
    assert names <= described, names - described
