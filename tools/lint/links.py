#!/usr/bin/env python3
"""Finds dead links in git's Markdown files: missing files or headings, and addresses without https.

Usage: tools/lint/links.py [--external]    (lists external addresses, which are not checked)
"""

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


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and Sphinx make them."""
    headings = re.findall(r"^#+ +(.*?) *$", _BLOCK.sub("", text), re.MULTILINE)
    slugs = (re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)
    return set(slugs)


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
    """A line for each dead link."""
    for page in pages:
        for target in links(page.read_text()):
            if why := complaint(target, page):
                yield f"{page}: {target}: {why}"


def main() -> int:
    """Prints the dead links, or with --external the external addresses."""
    listing = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "*.md"]
    names = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split()
    pages = [pathlib.Path(name) for name in names if pathlib.Path(name).exists()]
    if sys.argv[1:] == ["--external"]:
        found = {link for page in pages for link in links(page.read_text()) if "://" in link}
        print("\n".join(sorted(found)))
        return 0
    dead = list(check(pages))
    print("\n".join(dead), file=sys.stderr, end="\n" if dead else "")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
