"""The compiler flags of an env that is built outside this repository."""

import pathlib

# The folder from which #include "parallel_pool/core/env.h" works.
INCLUDE = pathlib.Path(__file__).parent.parent / "include"


def cflags() -> list[str]:
    """Arguments for g++ or clang++, which make a library for load() from one C++ file.

    The C++ version and the rounding are those of this package (.bazelrc), so that an env computes
    the same numbers in both builds. Hidden symbols keep two libraries apart that both have a class
    MyEnv.
    """
    return [
        "-std=c++20",
        "-O2",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-ffp-contract=off",  # a*b+c is two roundings, as in NumPy
        f"-I{INCLUDE.as_posix()}",  # shells and compilers take slashes on Windows, too
    ]
