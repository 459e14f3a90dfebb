"""manylinux: what the linker needs so that a library runs on older systems than this machine."""

load("//third_party/pip:pip.bzl", "execute")

def _manylinux_impl(ctx):
    compiler = ctx.attr.compiler or ctx.os.environ.get("CC", "gcc")
    python = ctx.os.environ.get("PARALLEL_POOL_PYTHON", "python3")
    command = [python, "-I", ctx.path(ctx.attr._stubs), "lib", compiler] + ctx.attr.versions
    execute(ctx, command, "making link-time stand-ins for glibc and libstdc++")
    ctx.file("BUILD.bazel", ctx.read(ctx.path(ctx.attr.build_file)))

manylinux = repository_rule(
    doc = "Folders of libraries for -L: see stubs.py.",
    implementation = _manylinux_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "compiler": attr.string(doc = "for another processor; else that of this machine"),
        "versions": attr.string_list(
            doc = "the newest symbol versions that a library may need, such as GLIBC_2.28",
            mandatory = True,
        ),
        "_stubs": attr.label(default = "//third_party/manylinux:stubs.py"),
    },
    environ = ["CC", "PARALLEL_POOL_PYTHON", "PATH"],
)
