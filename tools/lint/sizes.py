#!/usr/bin/env python3
"""Finds files of the product and of benchmark/ that are too long, and functions that are too long.

Tests and examples are no part of the product. A function's docstring does not count.
Usage: tools/lint/sizes.py    (in a git checkout)
"""

import ast
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

_FILE_LINES, _FUNCTION_LINES = 350, 60
_OTHERS = re.compile(
    r"_test\.|(^|/)(testing|docs)/|^(examples|integration_tests|third_party)/|reference"
)

# Functions that may be longer, with the reason. This list may only shrink: an entry that is not
# needed any more is a fault.
LONG = {
    "parallel_pool/core/binding/module.cc: PYBIND11_MODULE": "the list of all functions of _core",
    "parallel_pool/envs/atari/emulator/instructions.h: Decode": "the table of all opcodes",
    "parallel_pool/envs/atari/emulator/operations.h: Implied": "a case for each operation",
    "parallel_pool/envs/atari/emulator/video.cc: apply": "a case for each register",
    "parallel_pool/envs/atari/emulator/video_motion.cc: move": "a case for each register",
    "parallel_pool/envs/procgen/patched/backgrounds.h: AllBackgrounds": "a table of pictures",
    "parallel_pool/envs/vizdoom/scenario/scenario.cc: Describe": "a table of options",
}


def python_functions(text: str) -> Iterator[tuple[str, int]]:
    """The functions of a file, with their lines."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        lines = (node.end_lineno or 0) - node.lineno + 1
        first = node.body[0]
        if ast.get_docstring(node):
            lines -= (first.end_lineno or 0) - first.lineno + 1
        yield node.name, lines


def cpp_functions(text: str) -> Iterator[tuple[str, int]]:
    """The functions of a file that clang-format has formatted, with their lines.

    A function begins with a line that ends with `) {` or `) const {` or alike. It ends with the
    next line that begins with `}` and is not indented more. The members of a constructor are
    indented more.
    """
    lines = text.splitlines()
    for first, line in enumerate(lines):
        head = re.match(r"( *)(?!if|for|while|switch|\}|//|#)\S.*\)[^()]* \{$", line)
        if not head:
            continue
        end = re.compile(rf" {{0,{len(head[1])}}}\}}")
        last = next((i for i in range(first + 1, len(lines)) if end.match(lines[i])), first)
        name = re.search(r"(\w+)\(", line)
        yield name[1] if name else line.strip(), last - first + 1


def faults(files: dict[str, str], long: dict[str, str]) -> list[str]:
    """The files (by path) and functions that are too long, and entries of `long` without need."""
    found, allowed = [], set()
    for path, text in files.items():
        if (count := len(text.splitlines())) > _FILE_LINES:
            found.append(f"{path} has {count} lines; {_FILE_LINES} are allowed: split it")
        functions = python_functions if path.endswith(".py") else cpp_functions
        for name, lines in functions(text):
            if lines <= _FUNCTION_LINES:
                continue
            if f"{path}: {name}" in long:
                allowed.add(f"{path}: {name}")
                continue
            found.append(f"{path}: {name}() has {lines} lines; {_FUNCTION_LINES} are allowed")
    return found + [f"{name}: LONG in sizes.py need not name it" for name in long.keys() - allowed]


def main() -> int:
    """Prints the faults of the checkout; 1 if there are any."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard"]
    names = subprocess.run(
        [*command, "*.py", "*.cc", "*.h"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    product = [pathlib.Path(name) for name in names if not _OTHERS.search(name)]
    found = faults({str(p): p.read_text() for p in product if p.exists()}, LONG)
    print("".join(f"{fault}\n" for fault in found), end="", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
