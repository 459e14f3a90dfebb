"""env_family: a family of envs as a plugin that does not depend on Python."""

load("//build_defs:portable_library.bzl", "portable_library")

def env_family(name, srcs, deps = [], data = [], linkopts = [], exports = [], shared_libstdcxx = False, visibility = ["//visibility:public"]):
    """Makes the py_library `name`: the plugin _family.so of this package, and `data`.

    The package's README.md, if it has one, is exported: it becomes a page of the documentation.

    Args:
      name: the package's name.
      srcs: the file with PARALLEL_POOL_FAMILY, and other sources.
      deps: the cc_library targets of the envs and of their engine.
      data: files that the envs read at run time; they are installed with the plugin.
      linkopts: additional options of the linker.
      exports: functions that the plugin exports next to parallel_pool_family.
      shared_libstdcxx: see portable_library.
      visibility: the visibility of all targets.
    """
    portable_library(
        name = "_family.so",
        srcs = srcs,
        exports = ["parallel_pool_family"] + exports,
        linkopts = linkopts,
        shared_libstdcxx = shared_libstdcxx,
        visibility = visibility,
        deps = deps + ["//parallel_pool/core:env"],
    )
    native.py_library(
        name = name,
        data = [":_family.so"] + data,
        visibility = visibility,
    )
    native.exports_files(native.glob(["README.md"]), visibility = visibility)
