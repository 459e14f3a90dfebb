"""The maps of the repository, in CONTRIBUTING, docs/design.md and a README, name all folders.

As layering_test, the test reads the checkout itself, because Bazel's globs stop at packages.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]  # the sources, to which Bazel's links lead
CODE = ROOT / "parallel_pool"
_SOURCES = (".py", ".cc", ".h")


def folders(of: pathlib.Path) -> set[str]:
    """The names of the folders in a folder that have code."""
    found = set()
    for path in of.iterdir():
        if path.is_dir() and any(file.suffix in _SOURCES for file in path.iterdir()):
            found.add(path.name)
    return found


def test_contributing_has_all_folders() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    drawn = text.split("## Folders\n")[1].split("\nEach `x_test`")[0]
    named = re.findall(r"(?:^|\s)([\w/]+)/(?=\s|$)", drawn)
    for folder in (CODE, CODE / "core", CODE / "envs", CODE / "python", CODE / "drawing"):
        assert folders(folder) <= set(named), f"in {folder.relative_to(ROOT)}"
    for family in folders(CODE / "envs"):
        assert folders(CODE / "envs" / family) <= set(named), f"in envs/{family}"
    known = {path.name for path in ROOT.rglob("*/") if ".git" not in path.parts}
    assert set(named) <= known


def test_the_layers_of_the_design_have_all_folders() -> None:
    text = (ROOT / "docs/design.md").read_text()
    table = text.split("## Layers\n")[1].split("\n## ")[0]
    named = set(
        re.findall(r"`([\w/]+)`(?=.*?\|)", "\n".join(re.findall(r"^\|([^|]*\|)", table, re.M)))
    )
    assert {f"core/{name}" for name in folders(CODE / "core")} <= named
    rooms = folders(CODE) - {"core", "envs"}
    assert rooms <= named
    assert {name for name in named if not (CODE / name).is_dir()} == set()


def test_the_readme_of_mujoco_has_all_folders() -> None:
    text = (CODE / "envs/mujoco/README.md").read_text()
    named = set(re.findall(r"^\| `(\w+)/` \|", text, re.M))
    assert named == folders(CODE / "envs/mujoco")
