"""Runs the tests that a change of one family can break; ends with `N passed, N failed`.

Usage: python3 -m tools.testing.family FAMILY
"""

import difflib
import pathlib
import subprocess
import sys

_ROOT = pathlib.Path(__file__).resolve().parents[2]


def targets(family: str) -> list[str]:
    """Its own tests, those of every task, and those of layers, pages and the wheel."""
    return [
        f"//parallel_pool/envs/{family}/...",
        "//parallel_pool/envs:families_test",
        "//parallel_pool:layering_test",
        "//parallel_pool/python:conformance_test",
        "//parallel_pool/python:dm_conformance_test",
        "//parallel_pool/python:gymnasium_vec_test",
        "//parallel_pool/command_line/...",
        "//tools/docs/...",
        "//examples:pages_test",
        "//tools/wheel:wheel_test",
    ]


def main(arguments: list[str]) -> int:
    """Runs them; 2 if there is no such family."""
    families = sorted(path.parent.name for path in _ROOT.glob("parallel_pool/envs/*/BUILD"))
    name = arguments[0] if arguments else ""
    if name not in families:
        near = difflib.get_close_matches(name, families, 1, 0.4)
        hint = f"; did you mean {near[0]}" if near else f"; there are {', '.join(families)}"
        print(f"test-family: FAMILY={name} is no folder of envs/{hint}", file=sys.stderr)
        return 2
    return subprocess.run(
        ["tools/testing/run_tests.py", *targets(name)], cwd=_ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
