"""Compiler options of this project's own C++ code."""

# Families are compiled with -O2 and the compiler's defaults for errno and traps: -O3,
# -fno-math-errno and -fno-trapping-math made no difference that could be measured.
COPTS = [
    "-Wall",
    "-Wextra",
    "-Werror",
]
