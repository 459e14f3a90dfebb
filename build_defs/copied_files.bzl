"""copied_files: files of other packages in a folder of this one."""

def _copied_files_impl(ctx):
    names = [file.basename for file in ctx.files.srcs]
    for name in ctx.attr.exclude:
        if name not in names:
            fail("there is no %s to exclude" % name)
    files = [file for file in ctx.files.srcs if file.basename not in ctx.attr.exclude]
    copies = [ctx.actions.declare_file(ctx.attr.folder + "/" + file.basename) for file in files]
    ctx.actions.run_shell(
        arguments = [copies[0].dirname] + [file.path for file in files],
        command = 'cp "${@:2}" "$1"',
        inputs = files,
        mnemonic = "CopyFiles",
        outputs = copies,
    )
    return DefaultInfo(files = depset(copies), runfiles = ctx.runfiles(copies))

copied_files = rule(
    doc = "Copies `srcs` into a folder of this package.",
    implementation = _copied_files_impl,
    attrs = {
        "exclude": attr.string_list(doc = "names of files that are not copied"),
        "folder": attr.string(mandatory = True),
        "srcs": attr.label_list(allow_files = True),
    },
)
