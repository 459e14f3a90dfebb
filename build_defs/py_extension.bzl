"""py_extension: one importable C++ module for each Python."""

load("@pythons//:defs.bzl", "OWN", "PYTHONS")
load("//build_defs:portable_library.bzl", "portable_library")

def py_extension(name, srcs, deps, visibility = None):
    """Builds NAME<suffix of the Python>.so as NAME_cp311 and so on; NAME is for the build's own Python.

    Put `name` into the data of a py_library.

    Args:
      name: the module's name.
      srcs: sources.
      deps: packages, each with a cc_library for each Python: cp311 and so on.
      visibility: the visibility of all targets.
    """
    for abi, python in PYTHONS.items():
        file = name + python.suffix
        cross_file = name + python.suffix.replace("x86_64", "aarch64")
        for module in [file, cross_file]:
            portable_library(
                name = module,
                srcs = srcs,
                exports = "PyInit_" + name,
                tags = ["manual"],
                deps = ["%s:%s" % (dep, abi) for dep in deps],
            )
        native.filegroup(
            name = "%s_%s" % (name, abi),
            srcs = select({
                "//build_defs:aarch64": [cross_file],
                "//conditions:default": [file],
            }),
            visibility = visibility,
        )
    native.alias(
        name = name,
        actual = "%s_%s" % (name, OWN),
        visibility = visibility,
    )
