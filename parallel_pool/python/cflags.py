"""The compiler flags of an env that is built outside this repository."""

import pathlib

# The folder from which #include "parallel_pool/core/env.h" works.
INCLUDE = pathlib.Path(__file__).parent.parent / "include"


def cflags() -> list[str]:
    """Arguments for g++ or clang++, which turn one C++ file into a library for load().

    The language and the rounding are those that this package was built with (.bazelrc), so that an
    env gives the same numbers in both; hidden names keep two libraries apart that both call their
    class MyEnv.
    """
    return [
        "-std=c++20",
        "-O2",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-ffp-contract=off",  # a*b+c is two roundings, as in NumPy
        f"-I{INCLUDE}",
    ]
