"""Compilers for other systems: PyPI's ziglang contains clang, linkers, and the systems' interfaces."""

load("//third_party/pip:pip.bzl", "pip_wheel")

# zig links its libc++ from a cache, which a sandbox must let it write. Only the user can. DLLs contain
# the time of their build.
_PROGRAM = """#!/bin/sh
set -eu
cache="${{TMPDIR:-/tmp}}/parallel_pool_zig_$(id -u)"
mkdir -m 700 "$cache" 2>/dev/null || [ -O "$cache" ]
export ZIG_GLOBAL_CACHE_DIR="$cache" ZIG_LOCAL_CACHE_DIR="$cache"
export SOURCE_DATE_EPOCH=0
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
    ctx.file("include/.exists")
    ctx.file("lib/.exists")
    for name, content in ctx.attr.files.items():
        ctx.file(name, content)
    for name, path in ctx.attr.links.items():
        if not ctx.path(path).exists:
            fail("there is no %s; `make wheel-windows` installs it" % path)
        ctx.symlink(path, name)
    tools = {name: "bin/none" for name in ["cpp", "dwp", "gcov", "ld", "llvm-cov", "nm", "objcopy", "objdump", "strip"]}
    ctx.file("settings.bzl", "SETTINGS = %r\n" % {
        "cxx_flags": ctx.attr.cxx_flags,
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
        "cxx_flags": attr.string_list(),
        "files": attr.string_dict(doc = "headers and libraries that zig lacks, and what they contain"),
        "links": attr.string_dict(doc = "such files of this machine"),
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
    """@zig, and a toolchain for each system that it builds for: --config=macos and windows."""
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
        cxx_flags = ["-include", "external/macos_arm64/include/float_first.h"],
        files = {
            "include/float_first.h": _FLOAT_FIRST,
            "lib/libz.tbd": _MACOS_ZLIB,
        },
        target = "aarch64-macos.11.0",
    )
    _zig_toolchain(
        name = "windows_x86_64",
        # M_PI and other constants; and ALE asks for WIN32.
        cxx_flags = ["-D_USE_MATH_DEFINES", "-DWIN32"],
        # NumPy's npyrandom.lib names these libraries, and needs nothing of them: archives without files.
        files = {
            "lib/lib%s.a" % name: "!<arch>\n"
            for name in ["MSVCRT", "OLDNAMES"] + ["python3%d" % minor for minor in range(10, 15)]
        },
        # Debian's libz-mingw-w64-dev.
        links = {
            "include/zconf.h": "/usr/x86_64-w64-mingw32/include/zconf.h",
            "include/zlib.h": "/usr/x86_64-w64-mingw32/include/zlib.h",
            "lib/libz.a": "/usr/x86_64-w64-mingw32/lib/libz.a",
        },
        target = "x86_64-windows-gnu",
    )
