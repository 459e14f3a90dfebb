"""Follows "In the tree" of docs/add_an_env.md in a copy of this checkout and runs the tests there.

So the page is true: a family is its folder, one line of families.bzl, and the lines of its table.
Ends with the line `N passed, N failed`.
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tools.testing.family import targets
from tools.testing.run_tests import print_counts

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_PAGE = "docs/add_an_env.md"
_NAME = "my_env"
_MISSING = (f"docs/{_NAME}.md: ", "README.md, Tasks: ", "docs/installation.md: ")
_README = """# My env

`KeepUp-v0`: a paddle keeps a ball in the air.
"""


def copy_checkout(to: pathlib.Path) -> None:
    """Copies all files that git tracks or would add."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (_ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(_ROOT / name, to / name)


def insert(file: pathlib.Path, after: str, line: str) -> None:
    """Adds a line after the last one that begins with `after`."""
    lines = file.read_text().splitlines(keepends=True)
    at = max(i for i, text in enumerate(lines) if text.startswith(after))
    file.write_text("".join([*lines[: at + 1], line + "\n", *lines[at + 1 :]]))


def add_the_folder(root: pathlib.Path) -> None:
    """Writes the files of the page; their text is that of the page and of examples/my_env."""
    section = (root / _PAGE).read_text().split("## In the tree")[1]
    files = re.findall(rf"^    parallel_pool/envs/{_NAME}/(\S+)$", section, re.MULTILINE)
    texts = {
        "BUILD": re.findall(r"```starlark\n(.*?)```", section, re.DOTALL)[0],
        "README.md": _README,
    }
    folder = root / "parallel_pool/envs" / _NAME
    folder.mkdir()
    for file in files:
        text = texts.get(file) or (root / "examples/my_env" / file).read_text()
        (folder / file).write_text(text)
    (line,) = re.findall(r"\| `parallel_pool/envs/families.bzl` \| `(.*)` \|", section)
    insert(root / "parallel_pool/envs/families.bzl", '    "mujoco"', f"    {line}")


def add_the_pages(root: pathlib.Path) -> None:
    """Adds the other lines of the page's table."""
    row = f"| [my env](parallel_pool/envs/{_NAME}/README.md) | `KeepUp-v0` |"
    insert(root / "README.md", "| [toy text]", row)
    readme = root / "README.md"
    text = readme.read_text()
    (number,) = re.findall(r"^\| tasks \| ([\d,]+) tasks of ", text, re.MULTILINE)
    one_more = f"{int(number.replace(',', '')) + 1:,}"
    readme.write_text(text.replace(f"| {number} tasks of ", f"| {one_more} tasks of "))
    row = f"| [My env](../parallel_pool/envs/{_NAME}/README.md) | none |"
    insert(root / "docs/installation.md", "| [Toy text]", row)


def run(root: pathlib.Path, targets: list[str]) -> tuple[collections.Counter[str], str]:
    """Runs tests; the numbers that passed and failed, and Bazel's report of the failed ones."""
    command = ["tools/testing/run_tests.py", *targets]
    done = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True)
    counts: collections.Counter[str] = collections.Counter()
    if found := re.search(r"^(\d+) passed, (\d+) failed", done.stdout, re.MULTILINE):
        counts.update(passed=int(found[1]), failed=int(found[2]))
    else:
        counts["failed"] = 1
    return counts, done.stdout + done.stderr


def main() -> int:
    """Follows the recipe; at first without the pages, so that a test has to name them."""
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        copy_checkout(root)
        add_the_folder(root)
        counts, text = run(root, ["//parallel_pool/envs:families_test"])
        named = all(line in text for line in _MISSING)
        if counts["failed"] != 1 or not named:
            print(text, "families_test does not name the lines that are missing", file=sys.stderr)
            print("0 passed, 1 failed")
            return 1
        add_the_pages(root)
        counts, text = run(root, targets(_NAME))
        if counts["failed"]:
            print(text, file=sys.stderr)
        # Bazel's server would keep running in a deleted folder.
        subprocess.run(["tools/bazel.sh", "shutdown"], cwd=root, check=False)
    print_counts(counts)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
