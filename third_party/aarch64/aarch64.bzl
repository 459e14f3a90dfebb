"""The files that cross-builds for 64-bit ARM need next to the build itself (--config=aarch64)."""

load("//third_party/pip:pip.bzl", "execute")

# The tools are in Debian's g++-12-aarch64-linux-gnu.
_PREFIX = "aarch64-linux-gnu-"
_TOOLS = ["ar", "cpp-12", "gcc-12", "ld", "nm", "objcopy", "objdump", "strip"]
_HEADERS = ["zconf.h", "zlib.h"]

def _tool(ctx, name):
    path = ctx.which(_PREFIX + name)
    if not path:
        fail("there is no %s%s; `make wheel-aarch64` installs it" % (_PREFIX, name))
    return str(path)

def _toolchain_impl(ctx):
    tools = {name: _tool(ctx, name) for name in _TOOLS}
    tools = {name.split("-")[0]: path for name, path in tools.items()}
    tools.update({name: "/bin/false" for name in ["dwp", "gcov", "llvm-cov"]})  # no build runs them

    # Headers that are the same for all processors.
    for name in _HEADERS:
        ctx.symlink("/usr/include/" + name, "include/" + name)
    zlib = ["-shared", "-nostdlib", "-w", "-fno-builtin", "-Wl,-soname,libz.so.1", "-o", "lib/libz.so"]
    ctx.file("lib/README", "For the linker only.\n")
    execute(ctx, [tools["gcc"]] + zlib + [ctx.path(ctx.attr._zlib)], "making a stand-in for zlib")

    # The folders between these two lines of the compiler's output.
    search = ctx.execute([tools["gcc"], "-E", "-x", "c++", "-v", "/dev/null"]).stderr
    search = search.split("#include <...> search starts here:\n")[1].split("\nEnd of search list.")[0]
    folders = [str(ctx.path(folder.strip())) for folder in search.split("\n")]
    folders += [str(ctx.path("include")), "/usr/include/zconf.h", "/usr/include/zlib.h"]
    ctx.file("machine.bzl", "INCLUDE_FOLDERS = %r\nTOOLS = %r\n" % (folders, tools))
    ctx.file("BUILD.bazel", ctx.read(ctx.path(ctx.attr.build_file)))

aarch64_toolchain = repository_rule(
    doc = "Debian's g++ for 64-bit ARM as a toolchain, and the headers and libraries it lacks.",
    implementation = _toolchain_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "_zlib": attr.label(default = "//third_party/aarch64:zlib.c"),
    },
    environ = ["PATH"],
)
