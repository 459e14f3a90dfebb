"""Compiler options of this project's own C++ code."""

COPTS = [
    "-Wall",
    "-Wextra",
    "-Werror",
]
