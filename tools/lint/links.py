#!/usr/bin/env python3
"""Finds what is wrong in git's Markdown files: dead links, skipped levels, pages without a link.

A link is dead if its file or heading is missing, or if it is an address without https. A heading
must not skip a level. A folder's index.md must have a link to each page of the folder.

Usage: tools/lint/links.py [--external]    (lists external addresses, which are not checked)
"""

import itertools
import pathlib
import re
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator

_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"^```.*?^```|``.*?``|`[^`]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)]*)\)|<(\w+://[^>]*)>|^\[[^\]]+\]: *(.*)$", re.MULTILINE)


def links(text: str) -> list[str]:
    """The targets of a page's links, in order; code is skipped."""
    return ["".join(target).strip() for target in _LINK.findall(_CODE.sub("`code`", text))]


def headings(text: str) -> list[tuple[int, str]]:
    """The level and the text of each heading of a page."""
    found = re.findall(r"^(#+) +(.*?) *$", _BLOCK.sub("", text), re.MULTILINE)
    return [(len(marks), heading) for marks, heading in found]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and Sphinx make them."""
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for _, heading in headings(text)
    }


def skips(text: str) -> list[str]:
    """The headings that are two levels or more below the one before, which Sphinx refuses."""
    pairs = itertools.pairwise(headings(text))
    return [heading for (before, _), (level, heading) in pairs if level > before + 1]


def complaint(target: str, page: pathlib.Path) -> str:
    """The error of a link of `page`; empty if it is right."""
    parts = urllib.parse.urlsplit(target)
    if parts.scheme:
        good = re.fullmatch(r"https://[\w-]+(\.[\w-]+)+([/?#]\S*)?", target)
        return "" if good else "not an address of https"
    path = page.parent / parts.path if parts.path else page
    if not path.exists():
        return "no such file"
    if parts.fragment and parts.fragment not in anchors(path.read_text()):
        return "no such heading"
    return ""


def check(pages: list[pathlib.Path]) -> Iterator[str]:
    """A line for each dead link, and for each heading that skips a level."""
    for page in pages:
        for heading in skips(page.read_text()):
            yield f"{page}: {heading}: this heading skips a level"
        for target in links(page.read_text()):
            if why := complaint(target, page):
                yield f"{page}: {target}: {why}"


def unlinked(pages: list[pathlib.Path]) -> Iterator[str]:
    """A line for each page to which the index.md of its folder has no link."""
    for index in (page for page in pages if page.name == "index.md"):
        linked = {target.partition("#")[0] for target in links(index.read_text())}
        for page in pages:
            if page.parent == index.parent and page != index and page.name not in linked:
                yield f"{page}: {index} has no link to it"


def main() -> int:
    """Prints what is wrong, or with --external the external addresses."""
    listing = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "*.md"]
    names = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split()
    pages = [pathlib.Path(name) for name in names if pathlib.Path(name).exists()]
    if sys.argv[1:] == ["--external"]:
        found = {link for page in pages for link in links(page.read_text()) if "://" in link}
        print("\n".join(sorted(found)))
        return 0
    wrong = [*check(pages), *unlinked(pages)]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
