"""The generated parts of the documentation's pages: <!-- generated: NAME --> is replaced.

A quotation after it is for readers of the Markdown file itself, and is replaced, too.
"""

import re
from collections.abc import Callable

from parallel_pool._build_info import FAMILIES

import parallel_pool
from tools.docs import gallery, tables
from tools.docs.readmes import FOLDER

# The folder of gallery.write() below docs/; git ignores it.
PICTURES = "pictures/generated"
# The files on which generated parts depend; an installation of the wheel writes the first again.
SOURCES = [str(parallel_pool.__file__), __file__, gallery.__file__, tables.__file__]


def _card(picture: str, link: str, text: str) -> str:
    """A picture with a line below it."""
    return f"```{{container}} card\n[![{text}](/{PICTURES}/{picture}.png)]({link})\n\n{text}\n```"


def _cards(cards: list[str], size: str) -> str:
    return "````{container} cards " + size + "\n" + "\n\n".join(cards) + "\n````"


def families() -> str:
    """A card for each family."""
    cards = []
    for family, ids in tables.families().items():
        title = tables.title(family)
        many = f"{len(ids)} task{'' if len(ids) == 1 else 's'}"
        if gallery.faces(family, 1):
            cards.append(_card(family, f"{FOLDER}/{family}.md", f"{title}, {many}"))
        else:
            cards.append(f"```{{container}} card\n[{title}]({FOLDER}/{family}.md), {many}\n```")
    return _cards(cards, "large")


def pictures(of: str) -> str:
    """A card for each task of a suite's gallery, or each of a family that draws, newest version."""
    tasks = gallery.GALLERIES[of] if of in gallery.GALLERIES else gallery.tasks(of)
    return _cards([_card(task, f"/{PICTURES}/{task}.png", f"`{task}`") for task in tasks], "small")


def suite() -> str:
    """A card for each domain of the DeepMind Control Suite."""
    cards = [
        _card(task, f"/{PICTURES}/{task}.png", f"{domain}: `{task}`")
        for task, domain in gallery.SUITE.items()
    ]
    return _cards(cards, "small")


def _styled(name: str, text: str) -> str:
    """The text with a class of style.css."""
    return f"```{{container}} {name}\n{text}\n```"


def options() -> str:
    """A section for each family with the options of its tasks."""
    sections = [
        f"## {tables.title(family)}\n\n{_styled('options', tables.family_options(family))}"
        for family in tables.families()
    ]
    return "\n\n".join(sections)


_PARTS: dict[str, Callable[[], str]] = {
    "families": families,
    "family pages": lambda: "\n".join(f"{FOLDER}/{family}" for family in FAMILIES),
    "nothing": lambda: "",
    "tasks": lambda: _styled("tasks", tables.tasks()),
    "pictures of the control suite": suite,
    "tasks of the control suite": lambda: _styled("tasks", tables.suite_tasks()),
    "common options": lambda: _styled("options", tables.common_options()),
    "options": options,
}


def part(name: str) -> str:
    """The text of a part of _PARTS, or pictures of a family or suite; KeyError for others."""
    of = name.removeprefix("pictures of ")
    return pictures(of) if of in (*FAMILIES, *gallery.GALLERIES) else _PARTS[name]()


def fill(page: str) -> tuple[str, bool]:
    """The page with its generated parts, and whether it has any."""
    place = r"<!-- generated: ([\w ]+) -->(?:\n+>[^\n]*)*"
    filled, count = re.subn(place, lambda found: part(found[1]), page)
    return filled, count > 0
