"""portable_library: a shared library for all systems that a wheel's platform tag names."""

load("@rules_cc//cc:defs.bzl", "cc_binary")
load("//build_defs:copts.bzl", "COPTS")

def _folders(repository, flavor):
    return ["-Lexternal/%s/lib/%s" % (repository, folder) for folder in ["glibc", flavor]]

def portable_library(
        name,
        srcs,
        exports,
        deps = [],
        linkopts = [],
        shared_libstdcxx = False,
        may_lack_functions = False,
        **kwargs):
    """Builds the shared library `name`, which exports a few functions.

    On Linux it asks for nothing newer than glibc 2.28 (third_party/manylinux), on macOS for nothing
    newer than macOS 11, on Windows for Windows 10. It contains its own libstdc++ or libc++. With sanitizers it is an ordinary
    library of this machine, because they replace functions of libstdc++.

    Args:
      name: the file's name.
      srcs: sources.
      exports: the functions that it exports. All others are hidden, those of libstdc++ too.
      deps: cc_library targets.
      linkopts: additional options of the linker.
      shared_libstdcxx: whether it uses the system's libstdc++.so instead. It must if it hands types
        of libstdc++ to another library, and then it may use only what GCC 8 had.
      may_lack_functions: whether the program that loads it has functions that it calls.
      **kwargs: other attributes of cc_binary.
    """
    script = name + ".def"  # zig knows the file for Windows by this end
    native.genrule(
        name = script + "_script",
        outs = [script],
        cmd = select({
            "//build_defs:windows": "printf 'EXPORTS\\n%s\\n' > $@" % "\\n".join(exports),
            "//conditions:default": "echo '{ global: %s; local: *; };' > $@" % "; ".join(exports),
        }),
    )
    flavor = "shared" if shared_libstdcxx else "static"
    newer = ["//third_party/manylinux:newer_glibc"]
    if shared_libstdcxx:
        newer.append("//third_party/manylinux:newer_libstdcxx")
    cc_binary(
        name = name,
        srcs = srcs,
        additional_linker_inputs = [script] + select({
            "//build_defs:aarch64": ["@manylinux_2_28_aarch64//:lib"],
            "//build_defs:macos": [],
            "//build_defs:windows": [],
            "//conditions:default": ["@manylinux_2_28//:lib"],
        }),
        copts = COPTS + ["-fvisibility=hidden"],
        linkopts = linkopts + select({
            "//build_defs:aarch64": _folders("manylinux_2_28_aarch64", flavor),
            "//build_defs:macos": ["-Wl,-install_name,@rpath/" + name] + (
                ["-Wl,-undefined,dynamic_lookup"] if may_lack_functions else []
            ),
            "//build_defs:sanitized": [],
            "//build_defs:windows": [],
            "//conditions:default": _folders("manylinux_2_28", flavor),
        }) + select({
            "//build_defs:macos": [],  # all symbols are hidden, but those that are marked
            "//build_defs:sanitized": [],
            "//build_defs:windows": ["$(location %s)" % script],
            "//conditions:default": ([] if may_lack_functions else ["-Wl,-z,defs"]) + [
                # Before glibc 2.34, libc contains neither threads nor dlopen nor shared memory.
                "-Wl,--push-state,--no-as-needed,-lpthread,-ldl,-lrt,--pop-state",
                "-Wl,--version-script=$(location %s)" % script,
            ],
        }),
        linkshared = True,
        linkstatic = True,
        deps = deps + select({
            "//build_defs:macos": [],
            "//build_defs:sanitized": [],
            "//build_defs:windows": ["//third_party/zig:windows"],
            "//conditions:default": newer,
        }),
        **kwargs
    )
