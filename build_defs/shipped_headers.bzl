"""shipped_headers: the headers of a cc_library as files of a Python package."""

# buildifier: disable=native-cc-info
def _shipped_headers_impl(ctx):
    copies = []
    for header in ctx.attr.library[CcInfo].compilation_context.headers.to_list():
        copy = ctx.actions.declare_file("%s/%s" % (ctx.label.name, header.short_path))
        ctx.actions.symlink(output = copy, target_file = header)
        copies.append(copy)
    return DefaultInfo(files = depset(copies), runfiles = ctx.runfiles(copies))

# buildifier: disable=native-cc-info
shipped_headers = rule(
    doc = "NAME/path/to/header.h for each header of `library` and its deps (-I NAME).",
    implementation = _shipped_headers_impl,
    attrs = {"library": attr.label(mandatory = True, providers = [CcInfo])},
)
