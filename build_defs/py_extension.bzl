"""py_extension: one importable C++ module."""

load("@pip//:defs.bzl", "EXTENSION_SUFFIX")
load("@rules_cc//cc:defs.bzl", "cc_binary")
load("//build_defs:copts.bzl", "COPTS")

def py_extension(name, srcs, deps = [], visibility = None):
    """Builds NAME<suffix of this Python>.so; put `name` into the data of a py_library."""
    file = name + EXTENSION_SUFFIX
    cc_binary(
        name = file,
        srcs = srcs,
        copts = COPTS + ["-fvisibility=hidden"],
        linkshared = True,
        linkstatic = True,
        deps = deps,
    )
    native.filegroup(
        name = name,
        srcs = [file],
        visibility = visibility,
    )
