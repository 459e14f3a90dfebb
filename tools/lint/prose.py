#!/usr/bin/env python3
"""Finds words and openings of sentences that docs/style.md does not allow.

It reads comments and docstrings of C++, Python, shell and Bazel, and Markdown, without code and
quotations.
Usage: tools/lint/prose.py    (in a git checkout)
"""

import ast
import io
import itertools
import pathlib
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator

# Old words and riddles, with what to write.
_WORDS = {
    "anew": "again",
    "beside": "next to",
    "besides": "in addition",
    "for ever": "forever, or a number",
    "midst": "middle",
    "nobody": "the actor: no thread, no env",
    "somebody": "the actor",
    "the like": "the things themselves",
    "whence": "from where",
    "whoever": "the actor",
}
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b", re.IGNORECASE)
# A sentence begins with its subject. A heading or a cell of a table is no sentence.
_OPENING = re.compile(r"(?:^|[.:!?] )(What|Who|Whose|Of)\b (?!course\b)[^|?]*?(?:[.;:]|$)")
_QUOTED = re.compile(r"``.*?``|`[^`]*`|\"[^\"]*\"|“[^”]*”", re.DOTALL)

Block = tuple[int, str]  # the first line of a text, and the text


def python_blocks(text: str) -> Iterator[Block]:
    """The docstrings of a file, and its comments; comments of neighboring lines are one text."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if docstring := ast.get_docstring(node):
            for paragraph in re.split(r"\n\s*\n", docstring):
                yield node.body[0].lineno, paragraph
    comments = [
        (token.start[0], token.string.lstrip("#: "))
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    ]
    yield from _joined(comments)


def cpp_blocks(text: str) -> Iterator[Block]:
    """The comments of a file; comments of neighboring lines are one text."""
    found = (re.search(r"(?:^|\s)// (.*)$", line) for line in text.splitlines())
    yield from _joined([(i, match[1]) for i, match in enumerate(found, 1) if match])


def shell_blocks(text: str) -> Iterator[Block]:
    """The comments of a file; comments of neighboring lines are one text."""
    found = (re.search(r"(?:^|\s)#(?!!) ?(.*)$", line) for line in text.splitlines())
    yield from _joined([(i, match[1]) for i, match in enumerate(found, 1) if match])


def markdown_blocks(text: str) -> Iterator[Block]:
    """The paragraphs, items and cells of a page, without code."""
    text = re.sub(r"^```.*?^```", _blank, text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(?: {4}|\t|#).*$", _blank, text, flags=re.MULTILINE)
    for match in re.finditer(r"\S(?:(?!\n\s*\n|\n\s*[-*|#>\d]).)*", text, re.DOTALL):
        line = text.count("\n", 0, match.start()) + 1
        for cell in match[0].split("|"):
            yield line, cell.strip(" \n-*#>")


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _joined(lines: list[Block]) -> Iterator[Block]:
    for _, group in itertools.groupby(enumerate(lines), lambda pair: pair[1][0] - pair[0]):
        own = [line for _, line in group]
        yield own[0][0], " ".join(text for _, text in own)


_READERS = {
    ".py": python_blocks,
    ".bzl": python_blocks,  # and files named BUILD: Starlark is read as Python
    ".cc": cpp_blocks,
    ".h": cpp_blocks,
    ".sh": shell_blocks,
    ".md": markdown_blocks,
}


def faults(path: str, text: str) -> Iterator[str]:
    """The faults of a file, each with its line."""
    read = _READERS.get(pathlib.Path(path).suffix, python_blocks)
    for line, block in read(text):
        plain = _QUOTED.sub("x", re.sub(r"\s+", " ", block))
        for match in _WORD.finditer(plain):
            yield f'{path}:{line}: "{match[0]}": write {_WORDS[match[0].lower()]}'
        for match in _OPENING.finditer(plain):
            yield f'{path}:{line}: a sentence begins with "{match[1]}": begin with its subject'


def main() -> int:
    """Prints the faults of the checkout; 1 if there are any."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard"]
    names = subprocess.run(
        [*command, *(f"*{suffix}" for suffix in _READERS), "*BUILD"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.splitlines()
    paths = [pathlib.Path(name) for name in names if name != "docs/style.md"]
    found = [fault for p in paths if p.exists() for fault in faults(str(p), p.read_text())]
    print("".join(f"{fault}\n" for fault in found), end="", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
