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
        files = {
            system: name + suffix
            for system, suffix in {
                "//build_defs:aarch64": python.suffix.replace("x86_64", "aarch64"),
                "//build_defs:macos": python.suffix.replace("x86_64-linux-gnu", "darwin"),
                "//conditions:default": python.suffix,
            }.items()
        }
        for file in files.values():
            portable_library(
                name = file,
                srcs = srcs,
                exports = "PyInit_" + name,
                may_lack_functions = True,  # Python has them
                tags = ["manual"],
                deps = ["%s:%s" % (dep, abi) for dep in deps],
            )
        native.filegroup(
            name = "%s_%s" % (name, abi),
            srcs = select({system: [file] for system, file in files.items()}),
            visibility = visibility,
        )
    native.alias(
        name = name,
        actual = "%s_%s" % (name, OWN),
        visibility = visibility,
    )
