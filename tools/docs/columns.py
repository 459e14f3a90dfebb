"""The room that a column of a table needs, so that a phone does not show one word a line.

The table scrolls where its columns do not fit. style.css has the width of each class.
"""

from collections.abc import Sequence
from typing import Any

_FEW_WORDS = 3  # they may stand below each other
_LONG = 60  # characters of a cell that reads as a sentence


def room(cells: Sequence[str]) -> str:
    """The class of a column with these texts; empty if it needs no more than its longest word."""
    longest = max((cell for cell in cells if len(cell.split()) > _FEW_WORDS), key=len, default="")
    if not longest:
        return ""
    return "sentences" if len(longest) > _LONG else "words"


def make_room(document: Any) -> None:
    """Gives the cells of all tables of a docutils document the class of their column."""
    for table in document.findall(lambda node: node.tagname == "tgroup"):
        rows = list(table.findall(lambda node: node.tagname == "row"))
        for column in zip(*(row.children for row in rows), strict=False):
            if name := room([cell.astext() for cell in column]):
                for cell in column:
                    cell["classes"].append(name)
