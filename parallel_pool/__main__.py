"""The command line: `python -m parallel_pool --help`."""

import argparse
import shlex
import sys

import parallel_pool
from parallel_pool.python.cflags import cflags


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m parallel_pool",
        description="Thousands of reinforcement-learning environments in one process.",
        epilog="An env of your own: g++ $(python -m parallel_pool --cflags) my_env.cc -o my_env.so "
        "and parallel_pool.load('my_env.so').",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=parallel_pool.__version__)
    parser.add_argument(
        "--cflags",
        action="store_true",
        help="print the flags with which g++ or clang++ makes a library of envs out of a C++ file",
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns the process's exit code."""
    parser = _parser()
    args = parser.parse_args(arguments)
    if args.cflags:
        print(shlex.join(cflags()))
        return 0
    parser.print_help(sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
