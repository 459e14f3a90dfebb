"""py_extension: one importable C++ module."""

load("@pip//:defs.bzl", "EXTENSION_SUFFIX")
load("//build_defs:portable_library.bzl", "portable_library")

def py_extension(name, srcs, deps = [], visibility = None):
    """Builds NAME<suffix of this Python>.so; put `name` into the data of a py_library."""
    file = name + EXTENSION_SUFFIX
    portable_library(
        name = file,
        srcs = srcs,
        exports = "PyInit_" + name,
        deps = deps,
    )
    native.filegroup(
        name = name,
        srcs = [file],
        visibility = visibility,
    )
