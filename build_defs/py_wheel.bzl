"""py_wheel: a wheel of this repository's part of py_library targets."""

def _py_wheel_impl(ctx):
    files = depset(transitive = [
        depset(transitive = [dep[PyInfo].transitive_sources, dep[DefaultInfo].default_runfiles.files])
        for dep in ctx.attr.deps
    ])

    # Only this repository's files: `requires` names the packages of @pip, and Bazel's links to
    # shared libraries (_solib_...) are for the build tree.
    without = ctx.files.without
    own = [
        f
        for f in files.to_list()
        if f not in without and not f.short_path.startswith(("../", "_solib_"))
    ] + ctx.files.data
    licenses = ctx.files.license_files + [f for f in own if "/licenses/" in f.short_path]
    wheel = ctx.actions.declare_file("-".join([
        ctx.attr.distribution,
        ctx.attr.version,
        ctx.attr.tag,
        ctx.attr.platform,
    ]) + ".whl")

    args = ctx.actions.args()
    args.use_param_file("@%s", use_always = True)
    args.set_param_file_format("multiline")
    args.add("--out", wheel)
    args.add("--metadata", ctx.file.metadata)
    args.add("--readme", ctx.file.readme)
    args.add("--parts", ctx.file.parts)
    args.add("--distribution", ctx.attr.distribution)
    args.add("--version", ctx.attr.version)
    args.add("--tag", ctx.attr.tag)
    args.add("--platform", ctx.attr.platform)
    args.add_all(ctx.attr.requires, before_each = "--requires")
    for name, requirements in ctx.attr.extras.items():
        args.add("--extra", name + "=")  # so that the name is known, even without requirements
        args.add_all(requirements, before_each = "--extra", format_each = name + "=%s")
    for f in own:
        if f not in licenses:
            args.add("--file", "%s=%s" % (f.short_path, f.path))
    for f in licenses:
        args.add("--license", "%s=%s" % (f.short_path, f.path))
    ctx.actions.run(
        executable = ctx.executable._make_wheel,
        arguments = [args],
        inputs = own + ctx.files.license_files + [ctx.file.metadata, ctx.file.parts, ctx.file.readme],
        outputs = [wheel],
        mnemonic = "PyWheel",
        progress_message = "Making %s" % wheel.short_path,
        use_default_shell_env = True,
    )
    return DefaultInfo(files = depset([wheel]), runfiles = ctx.runfiles([wheel]))

py_wheel = rule(
    doc = "Makes DISTRIBUTION-VERSION-TAG-PLATFORM.whl of the files of `deps` in this repository.",
    implementation = _py_wheel_impl,
    attrs = {
        "data": attr.label_list(doc = "more files of this repository", allow_files = True),
        "deps": attr.label_list(mandatory = True, providers = [PyInfo]),
        "distribution": attr.string(mandatory = True),
        "extras": attr.string_list_dict(
            doc = "requirements that pip installs if asked for: pip install WHEEL[NAME]",
        ),
        "license_files": attr.label_list(
            doc = "files for dist-info/licenses, in addition to each licenses/* of `deps`",
            allow_files = True,
        ),
        "metadata": attr.label(
            doc = "core metadata fields, in addition to those of the other attributes",
            allow_single_file = True,
            mandatory = True,
        ),
        "parts": attr.label(
            doc = "the works of others in the wheel, for its bill of materials (parts.toml)",
            allow_single_file = True,
            mandatory = True,
        ),
        "platform": attr.string(
            doc = "the tag of the system, such as manylinux_2_28_x86_64, which auditwheel must grant",
            mandatory = True,
        ),
        "readme": attr.label(
            doc = "the long description, in Markdown",
            allow_single_file = True,
            mandatory = True,
        ),
        "requires": attr.string_list(doc = "the requirements that pip installs with the wheel"),
        "tag": attr.string(
            doc = "of the Python and of its binary interface, such as cp311-cp311",
            mandatory = True,
        ),
        "version": attr.string(mandatory = True),
        "without": attr.label_list(doc = "files of `deps` that are left out", allow_files = True),
        "_make_wheel": attr.label(
            default = "//tools/wheel:make_wheel",
            executable = True,
            cfg = "exec",
        ),
    },
)
