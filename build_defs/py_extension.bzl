"""py_extension: one importable C++ module for each Python."""

load("@pythons//:defs.bzl", "OWN", "PYTHONS")
load("//build_defs:portable_library.bzl", "portable_library")

def py_extension(name, srcs, deps, visibility = None):
    """Builds NAME<suffix of the Python> as NAME_cp311 and so on; NAME is for the build's own Python.

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
                "//build_defs:windows": ".%s-win_amd64.pyd" % abi,
                "//conditions:default": python.suffix,
            }.items()
        }
        for file in files.values():
            # Bazel knows a shared library by this end.
            library = file.replace(".pyd", ".so")
            if library != file:
                native.genrule(
                    name = file + "_copy",
                    srcs = [library],
                    outs = [file],
                    cmd = "cp $< $@",
                    tags = ["manual"],
                )
            portable_library(
                name = library,
                srcs = srcs,
                exports = ["PyInit_" + name],
                may_lack_functions = True,  # Python has them
                tags = ["manual"],
                deps = ["%s:%s" % (dep, abi) for dep in deps] + select({
                    "//build_defs:windows": ["@pythons//:%s_library" % abi],
                    "//conditions:default": [],
                }),
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
