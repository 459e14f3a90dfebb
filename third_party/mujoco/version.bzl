"""The MuJoCo that the family is built with: MuJoCo 3.17, and MuJoCo 4 in a build of its own."""

# The name of each library in the wheel, its version, and the repository of its package.
MUJOCOS = {
    "parallel_pool_mujoco": struct(version = "3.17.0", packages = "pip_rest"),
    "parallel_pool_mujoco_4": struct(version = "4.0.1", packages = "mujoco4"),
}

# More attributes of a Python test: our tasks have MuJoCo 4, and `import mujoco` finds it for the
# references.
MUJOCO4_DATA = ["@mujoco4//:record"]
MUJOCO4_ENV = {
    "FIRST_PACKAGE": "$(rootpath @mujoco4//:record)",
    "PARALLEL_POOL_MUJOCO": "4.0.1",
}

def _mujoco4_impl(_settings, _attr):
    return {"//third_party/mujoco:version": "4"}

_mujoco4 = transition(
    implementation = _mujoco4_impl,
    inputs = [],
    outputs = ["//third_party/mujoco:version"],
)

_ALLOWLIST = {
    "_allowlist_function_transition": attr.label(
        default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
    ),
}

def _mujoco4_file_impl(ctx):
    copy = ctx.actions.declare_file(ctx.attr.out)
    ctx.actions.run_shell(
        arguments = [ctx.file.src.path, copy.path],
        command = 'cp "$1" "$2"',
        inputs = [ctx.file.src],
        mnemonic = "CopyFile",
        outputs = [copy],
    )
    return DefaultInfo(files = depset([copy]), runfiles = ctx.runfiles([copy]))

mujoco4_file = rule(
    doc = "The file `out`: `src`, built with MuJoCo 4.",
    implementation = _mujoco4_file_impl,
    attrs = dict(
        _ALLOWLIST,
        out = attr.string(mandatory = True),
        src = attr.label(allow_single_file = True, cfg = _mujoco4, mandatory = True),
    ),
)

def _mujoco4_test_impl(ctx):
    test = ctx.attr.test[0]
    program = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        is_executable = True,
        output = program,
        target_file = test[DefaultInfo].files_to_run.executable,
    )
    return DefaultInfo(executable = program, runfiles = test[DefaultInfo].default_runfiles)

mujoco4_test = rule(
    doc = "The test `test`, built with MuJoCo 4.",
    implementation = _mujoco4_test_impl,
    attrs = dict(
        _ALLOWLIST,
        test = attr.label(cfg = _mujoco4, executable = True, mandatory = True),
    ),
    test = True,
)
