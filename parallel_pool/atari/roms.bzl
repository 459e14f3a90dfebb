"""rom_files: the games beside the plugin."""

def _rom_files_impl(ctx):
    for name in ctx.attr.exclude:
        if name not in [rom.basename[:-len(".bin")] for rom in ctx.files.srcs]:
            fail("there is no ROM %s to exclude" % name)
    roms = [rom for rom in ctx.files.srcs if rom.basename[:-len(".bin")] not in ctx.attr.exclude]
    outs = [ctx.actions.declare_file("roms/" + rom.basename) for rom in roms]
    ctx.actions.run_shell(
        arguments = [outs[0].dirname] + [rom.path for rom in roms],
        command = 'cp "${@:2}" "$1"',
        inputs = roms,
        mnemonic = "CopyRoms",
        outputs = outs,
    )
    return DefaultInfo(files = depset(outs), runfiles = ctx.runfiles(outs))

rom_files = rule(
    doc = "Copies ROMs into the folder roms/ of this package.",
    implementation = _rom_files_impl,
    attrs = {
        "exclude": attr.string_list(doc = "names of games, without .bin"),
        "srcs": attr.label_list(allow_files = [".bin"]),
    },
)
