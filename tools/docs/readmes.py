"""Pages of the documentation that are READMEs of other folders.

The pages link to the READMEs themselves, so that their links also work where the Markdown files are
read. `write` makes pages of the READMEs, and `link_to_pages` lets links lead to these pages.
"""

import os.path
import pathlib
import re

from parallel_pool._build_info import FAMILIES

ROOT = pathlib.Path(__file__).parents[2]
# The folder of the pages below docs/; git ignores it.
FOLDER = "readmes"
# The file of each page.
READMES = {family: f"parallel_pool/envs/{family}/README.md" for family in FAMILIES} | {
    "atari_players": "parallel_pool/envs/atari/players/README.md",
    "dm_control": "parallel_pool/envs/mujoco/dm_control/README.md",
    "metaworld": "parallel_pool/envs/mujoco/metaworld/README.md",
    "ogbench": "parallel_pool/envs/mujoco/ogbench/README.md",
    "robotics": "parallel_pool/envs/mujoco/robotics/README.md",
    "benchmark": "benchmark/README.md",
    "results": "benchmark/results.md",
    "changelog": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
}
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)")


def write(docs: pathlib.Path) -> None:
    """Writes the pages into their folder below `docs`."""
    (docs / FOLDER).mkdir(exist_ok=True)
    for page, readme in READMES.items():
        text = (ROOT / readme).read_text()
        made = link_to_pages(text, (ROOT / readme).parent, docs / FOLDER, docs)
        file = docs / FOLDER / f"{page}.md"
        if not file.exists() or file.read_text() != made:
            file.write_text(made)


def link_to_pages(text: str, of: pathlib.Path, to: pathlib.Path, docs: pathlib.Path) -> str:
    """The text of a file in the folder `of`, with the links that it needs in the folder `to`."""
    pages = {ROOT / readme: docs / FOLDER / f"{page}.md" for page, readme in READMES.items()}

    def linked(found: re.Match[str]) -> str:
        target = pathlib.Path(os.path.normpath(of / found[1]))
        if not target.exists():
            return found[0]  # it is a page already, or no link
        return f"]({os.path.relpath(pages.get(target, target), to)}"

    return _LINK.sub(linked, text)


def source(page: pathlib.Path) -> pathlib.Path:
    """The file to edit: the README that the page is made of, if it is such a page."""
    return ROOT / READMES[page.stem] if page.parent.name == FOLDER else page
