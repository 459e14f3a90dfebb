"""pythons: the Pythons that wheels are built for, each with the headers of its C interface."""

load("//third_party/pip:pip.bzl", "execute")

_LIBRARY = """
cc_library(
    name = "{abi}_headers",
    hdrs = glob(["{abi}/**/*.h"]),
    includes = select({{
        "@parallel_pool//build_defs:macos": ["{abi}/macos"],
        "@parallel_pool//build_defs:windows": ["{abi}/windows"],
        "//conditions:default": ["{abi}/include", "{abi}"],
    }}),
    visibility = ["//visibility:public"],
)

import_library(
    name = "{abi}_library",
    dll = "{dll}",
    libraries = {libraries},
    prefixes = ["Py", "_Py"],
    visibility = ["//visibility:public"],
)
"""

# Macs have the same sizes of types, and show their own functions if this is defined.
_MACOS = """#pragma once
#include "linux_pyconfig.h"
#define _DARWIN_C_SOURCE 1
"""

# The facts of Windows that Python's headers must know. They say the rest themselves.
_WINDOWS = """#pragma once
#define MS_WINDOWS
#define MS_WIN64
#define NT_THREADS
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL 1
#define HAVE_LONG_LONG 1
#define HAVE_SSIZE_T 1
#define HAVE_STDDEF_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_THREAD_LOCAL 1
#define HAVE_WCHAR_H 1
#define ALIGNOF_MAX_ALIGN_T 16
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_PID_T 4
#define SIZEOF_SIZE_T 8
#define SIZEOF_VOID_P 8
#define SIZEOF_WCHAR_T 2
"""

def _pythons_impl(ctx):
    own = ctx.os.environ.get("PARALLEL_POOL_PYTHON", "python3")
    others = ctx.os.environ.get("PARALLEL_POOL_WHEELS_FOR", "").split(" ")
    pythons = {}
    own_abi = None
    build = """load("@rules_cc//cc:defs.bzl", "cc_library")
load("@parallel_pool//third_party/zig:import_library.bzl", "import_library")
"""
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
        for system in ["macos", "windows"]:
            for file in ctx.path(python["include"]).readdir():
                if file.basename != "pyconfig.h":
                    ctx.symlink(file, "/".join([abi, system, file.basename]))
        ctx.symlink((multiarch or python["include"]) + "/pyconfig.h", abi + "/macos/linux_pyconfig.h")
        ctx.file(abi + "/macos/pyconfig.h", _MACOS)
        ctx.file(abi + "/windows/pyconfig.h", _WINDOWS)
        build += _LIBRARY.format(
            abi = abi,
            dll = abi.replace("cp", "python") + ".dll",
            libraries = [_link(ctx, library, abi) for library in python["libraries"] if ctx.path(library).exists],
        )
    ctx.file("BUILD.bazel", build)
    ctx.file("defs.bzl", "PYTHONS = {%s}\nOWN = %r\n" % (
        ", ".join(["%r: %s" % (abi, python) for abi, python in pythons.items()]),
        own_abi,
    ))

def _link(ctx, file, folder):
    link = folder + "/" + ctx.path(file).basename
    ctx.symlink(file, link)
    return link

pythons = repository_rule(
    doc = "The Python of the build, and those of PARALLEL_POOL_WHEELS_FOR, a list of interpreters.",
    implementation = _pythons_impl,
    attrs = {"_describe": attr.label(default = "//third_party/python:describe.py")},
    environ = ["PARALLEL_POOL_PYTHON", "PARALLEL_POOL_WHEELS_FOR", "PATH"],
)
