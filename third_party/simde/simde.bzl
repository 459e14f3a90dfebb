"""SIMDe: x86's SIMD functions, made of the instructions of other processors."""

def _simde_impl(ctx):
    # Debian's libsimde-dev. The headers are the same for all processors.
    ctx.symlink("/usr/include/simde", "include/simde")
    ctx.symlink("/usr/share/doc/libsimde-dev/copyright", "SIMDe.txt")
    ctx.file("BUILD.bazel", ctx.read(ctx.path(ctx.attr.build_file)))

simde = repository_rule(
    implementation = _simde_impl,
    attrs = {"build_file": attr.label(default = "//third_party/simde:simde.BUILD")},
)
