"""Compilers for other systems: PyPI's ziglang contains clang, linkers, and the systems' interfaces."""

load("//third_party/pip:pip.bzl", "pip_wheel")

# zig links its libc++ from a cache, which a sandbox must let it write. Only the user can.
_PROGRAM = """#!/bin/sh
set -eu
cache="${{TMPDIR:-/tmp}}/parallel_pool_zig_$(id -u)"
mkdir -m 700 "$cache" 2>/dev/null || [ -O "$cache" ]
export ZIG_GLOBAL_CACHE_DIR="$cache" ZIG_LOCAL_CACHE_DIR="$cache"
exec {command} "$@"
"""

# For macOS, <math.h> and <float.h> include zig's float.h for the half of its names that they want. But
# it may be included only once.
_FLOAT_FIRST = """#include <cfloat>
#undef _LIBCPP_FLOAT_H
"""

def _zig_toolchain_impl(ctx):
    zig = str(ctx.path(ctx.attr._zig))
    compiler = "%s c++ -target %s" % (zig, ctx.attr.target)
    for name, command in {"ar": zig + " ar", "cc": compiler, "none": "false"}.items():
        ctx.file("bin/" + name, _PROGRAM.format(command = command))
    ctx.file("include/float_first.h", _FLOAT_FIRST)
    for name, content in ctx.attr.libraries.items():
        ctx.file("lib/" + name, content)
    tools = {name: "bin/none" for name in ["cpp", "dwp", "gcov", "ld", "llvm-cov", "nm", "objcopy", "objdump", "strip"]}
    ctx.file("settings.bzl", "SETTINGS = %r\n" % {
        "headers": zig[:-len("zig")] + "lib",
        "name": ctx.name,
        "target": ctx.attr.target,
        "tools": dict(tools, ar = "bin/ar", gcc = "bin/cc"),
    })
    ctx.file("BUILD.bazel", ctx.read(ctx.path(ctx.attr.build_file)))

_zig_toolchain = repository_rule(
    implementation = _zig_toolchain_impl,
    attrs = {
        "build_file": attr.label(default = "//third_party/zig:toolchain.BUILD"),
        "libraries": attr.string_dict(doc = "files for the linker, which zig lacks"),
        "target": attr.string(doc = "the processor, the system and its version, as zig names them"),
        "_zig": attr.label(default = "@zig//:ziglang/zig"),
    },
)

# The functions of zlib that ALE calls; every macOS has the library.
_MACOS_ZLIB = """--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos ]
install-name: '/usr/lib/libz.1.dylib'
exports:
  - targets: [ arm64-macos ]
    symbols: [ _compress, _crc32, _gzclose, _gzopen, _gzread ]
...
"""

def zig_toolchains():
    """@zig, and a toolchain for each system that it builds for: --config=macos."""
    pip_wheel(
        name = "zig",
        build_file = "//third_party/zig:zig.BUILD",
        project = "ziglang",
        python_version = "3.11",
        sha256 = "ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54",
        version = "0.17.1",
    )
    _zig_toolchain(
        name = "macos_arm64",
        libraries = {"libz.tbd": _MACOS_ZLIB},
        target = "aarch64-macos.11.0",
    )
