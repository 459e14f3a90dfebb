"""copied_files: files of other packages in a folder of this one."""

def _copied_files_impl(ctx):
    names = [file.basename for file in ctx.files.srcs]
    for name in ctx.attr.exclude:
        if name not in names:
            fail("there is no %s to exclude" % name)
    files = [file for file in ctx.files.srcs if file.basename not in ctx.attr.exclude]
    copies = [ctx.actions.declare_file(ctx.attr.folder + "/" + _copy_name(ctx, file)) for file in files]
    if ctx.executable.tool:
        ctx.actions.run(
            executable = ctx.executable.tool,
            arguments = [copies[0].dirname] + [file.path for file in files],
            inputs = files,
            mnemonic = "CopyFiles",
            outputs = copies,
        )
    else:
        pairs = []
        for file, copy in zip(files, copies):
            pairs += [file.path, copy.path]
        ctx.actions.run_shell(
            arguments = pairs,
            command = 'while (($#)); do cp "$1" "$2"; shift 2; done',
            inputs = files,
            mnemonic = "CopyFiles",
            outputs = copies,
        )
    return DefaultInfo(files = depset(copies), runfiles = ctx.runfiles(copies))

def _copy_name(ctx, file):
    if ctx.attr.below:
        return file.path.split(ctx.attr.below + "/", 1)[1]
    if not ctx.attr.extension:
        return file.basename
    return file.basename[:-len(file.extension)] + ctx.attr.extension

copied_files = rule(
    doc = "Copies `srcs` into a folder of this package.",
    implementation = _copied_files_impl,
    attrs = {
        "below": attr.string(doc = "a folder of `srcs` whose subfolders are kept; else none is"),
        "exclude": attr.string_list(doc = "names of files that are not copied"),
        "extension": attr.string(doc = "of the copies, if it is another one, such as msh"),
        "folder": attr.string(mandatory = True),
        "srcs": attr.label_list(allow_files = True),
        "tool": attr.label(
            doc = "writes the copies in place of cp: TOOL FOLDER FILE...",
            executable = True,
            cfg = "exec",
        ),
    },
)
