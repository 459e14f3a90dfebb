"""Links and headings that links.py accepts or reports."""

import pathlib

import pytest

from tools.lint import links

PAGE = """# A page: of `code`, and more

[page](other.md) [heading](other.md#what-it-is) [here](#a-page-of-code-and-more) ![picture](a.svg)
[folder](../b) <https://example.org/a?b=c#d> `[code](nowhere.md)` [out](https://example.org)

```python
links["a"](nowhere)
# Not a heading
```
"""


@pytest.fixture
def page(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "b").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "a/a.svg").touch()
    (tmp_path / "a/other.md").write_text("## What it *is*\n")
    (tmp_path / "a/page.md").write_text(PAGE)
    return tmp_path / "a/page.md"


def test_good_links(page: pathlib.Path) -> None:
    assert len(links.links(PAGE)) == 7
    assert list(links.check([page])) == []


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("[a](others.md)", "others.md: no such file"),
        ("![a](b.svg)", "b.svg: no such file"),
        ("[a](other.md#what)", "other.md#what: no such heading"),
        ("[a](#not-a-heading)", "#not-a-heading: no such heading"),
        ("[a](http://example.org)", "http://example.org: not an address of https"),
        ("<https://example>", "https://example: not an address of https"),
        ("[a](https://example.org/a b)", "https://example.org/a b: not an address of https"),
        ("[a]: nowhere.md", "nowhere.md: no such file"),
    ],
)
def test_dead_links(link: str, why: str, page: pathlib.Path) -> None:
    page.write_text(f"{PAGE}\n{link}\n")
    assert list(links.check([page])) == [f"{page}: {why}"]


def test_headings_that_skip_a_level(page: pathlib.Path) -> None:
    page.write_text(f"{PAGE}\n## Two\n\n### Three\n\n## Two again\n\n#### Four\n")
    assert list(links.check([page])) == [f"{page}: Four: this heading skips a level"]


def test_a_page_without_a_link(page: pathlib.Path) -> None:
    index, other = page.with_name("index.md"), page.with_name("other.md")
    index.write_text("[a page](page.md#a-heading) `[other](other.md)`\n")
    pages = [index, other, page, page.parent.parent / "b/far.md"]
    assert list(links.unlinked(pages)) == [f"{other}: {index} has no link to it"]
    index.write_text("[a page](page.md) [other](other.md)\n")
    assert list(links.unlinked(pages)) == []
