"""pythons: the Pythons that wheels are built for, each with the headers of its C interface."""

load("//third_party/pip:pip.bzl", "execute")

_LIBRARY = """
cc_library(
    name = "{abi}_headers",
    hdrs = glob(["{abi}/**/*.h"]),
    includes = select({{
        "@parallel_pool//build_defs:macos": ["{abi}/macos"],
        "//conditions:default": ["{abi}/include", "{abi}"],
    }}),
    visibility = ["//visibility:public"],
)
"""

# Macs have the same sizes of types, and show their own functions if this is defined.
_MACOS = """#pragma once
#include "linux_pyconfig.h"
#define _DARWIN_C_SOURCE 1
"""

def _pythons_impl(ctx):
    own = ctx.os.environ.get("PARALLEL_POOL_PYTHON", "python3")
    others = ctx.os.environ.get("PARALLEL_POOL_WHEELS_FOR", "").split(" ")
    pythons = {}
    own_abi = None
    for command in [own] + [other for other in others if other]:
        found = execute(ctx, [command, "-I", ctx.path(ctx.attr._describe)], "asking " + command)
        python = json.decode(found)
        abi = python["abi"]
        own_abi = own_abi or abi
        if abi in pythons:
            continue
        pythons[abi] = struct(suffix = python["suffix"], tag = python["version"] + "-" + abi)
        ctx.symlink(python["include"], abi + "/include")
        multiarch = python["multiarch_include"]
        if multiarch:
            # The numbers in it are those of any Linux of 64 bits.
            for machine in ["x86_64-linux-gnu", "aarch64-linux-gnu"]:
                ctx.symlink(multiarch, "/".join([abi, machine, multiarch.split("/")[-1]]))
        for file in ctx.path(python["include"]).readdir():
            if file.basename != "pyconfig.h":
                ctx.symlink(file, abi + "/macos/" + file.basename)
        ctx.symlink((multiarch or python["include"]) + "/pyconfig.h", abi + "/macos/linux_pyconfig.h")
        ctx.file(abi + "/macos/pyconfig.h", _MACOS)
    ctx.file("BUILD.bazel", 'load("@rules_cc//cc:defs.bzl", "cc_library")\n' +
                            "".join([_LIBRARY.format(abi = abi) for abi in pythons]))
    ctx.file("defs.bzl", "PYTHONS = {%s}\nOWN = %r\n" % (
        ", ".join(["%r: %s" % (abi, python) for abi, python in pythons.items()]),
        own_abi,
    ))

pythons = repository_rule(
    doc = "The Python of the build, and those of PARALLEL_POOL_WHEELS_FOR, a list of interpreters.",
    implementation = _pythons_impl,
    attrs = {"_describe": attr.label(default = "//third_party/python:describe.py")},
    environ = ["PARALLEL_POOL_PYTHON", "PARALLEL_POOL_WHEELS_FOR", "PATH"],
)
