"""Columns of words have room, those of numbers and names have none to spare."""

from collections.abc import Callable, Iterator

import pytest

from tools.docs import columns


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        (["speed", "1,000", "0.97"], ""),
        (["observation, float32"], ""),
        (["task", "MiniGrid-Dynamic-Obstacles-Random-16x16-v0"], ""),
        (["returns", "the first observations of new episodes"], "words"),
        (["", "nothing", "the env throws, and the next batch names it: " + "a " * 20], "sentences"),
        (["one", "MiniGrid-Dynamic-Obstacles-16x16-v0, " * 2], ""),
        ([], ""),
    ],
)
def test_the_class_of_a_column(cells: list[str], name: str) -> None:
    assert columns.room(cells) == name


class Node:
    """As much of docutils' nodes as make_room() reads."""

    def __init__(self, tagname: str, *children: "Node | str") -> None:
        self.tagname, self.children = tagname, children
        self.attributes: dict[str, list[str]] = {"classes": []}

    def __getitem__(self, name: str) -> list[str]:
        return self.attributes[name]

    def findall(self, condition: Callable[["Node"], bool]) -> Iterator["Node"]:
        if condition(self):
            yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.findall(condition)

    def astext(self) -> str:
        return "".join(c if isinstance(c, str) else c.astext() for c in self.children)


def test_all_cells_of_a_column_have_its_class() -> None:
    heads = Node("row", Node("entry", "call"), Node("entry", "returns"))
    body = Node("row", Node("entry", "step"), Node("entry", "obs, reward, flags and infos"))
    group = Node("tgroup", Node("colspec"), Node("thead", heads), Node("tbody", body))
    columns.make_room(Node("document", Node("table", group)))
    for row in (heads, body):
        first, second = (cell["classes"] for cell in row.children if isinstance(cell, Node))
        assert (first, second) == ([], ["words"])
