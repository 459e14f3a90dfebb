"""py_build_info: a Python module with facts that Bazel knows."""

def _py_build_info_impl(ctx):
    lines = ['"""Facts of the build."""', ""]
    lines.append("VERSION = %r" % ctx.attr.version)
    lines.append("# The families of envs, and the source of their tasks.")
    lines.append("FAMILIES = {")
    lines += ["    %r: %r," % (family, source) for family, source in ctx.attr.families.items()]
    lines.append("}")
    out = ctx.actions.declare_file(ctx.label.name + ".py")
    ctx.actions.write(out, "\n".join(lines) + "\n")
    return DefaultInfo(files = depset([out]))

py_build_info = rule(
    doc = "NAME.py with VERSION and FAMILIES.",
    implementation = _py_build_info_impl,
    attrs = {
        "families": attr.string_dict(),
        "version": attr.string(mandatory = True),
    },
)
