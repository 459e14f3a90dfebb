"""import_library: what the linker must know of a DLL of Windows."""

load("@rules_cc//cc:defs.bzl", "cc_import")

# Names of the symbols that libraries of Linux export and that begin with $2; data is marked.
_EXPORTS = """nm -D --defined-only %s | awk '$$3 ~ /^(%s)/ { sub(/@.*/, "", $$3); print $$3 ($$2 ~ /[TWi]/ ? "" : " DATA") }'"""

def import_library(name, dll, symbols = [], libraries = [], prefixes = [], **kwargs):
    """Makes an import library, to be linked as a cc_library.

    Args:
      name: the target's name.
      dll: the DLL's file name, under which Windows looks for it.
      symbols: functions that it exports.
      libraries: libraries of Linux that export the same functions as it does.
      prefixes: how the names of these functions begin.
      **kwargs: other attributes.
    """
    listed = "; ".join(["echo " + symbol for symbol in symbols])
    if libraries:
        files = " ".join(["$(execpaths %s)" % library for library in libraries])
        listed = _EXPORTS % (files, "|".join(prefixes))
    native.genrule(
        name = name + "_file",
        srcs = libraries,
        outs = [name + ".lib"],
        cmd = "\n".join([
            "{ echo LIBRARY '\"%s\"'; echo EXPORTS; %s; } > $@.def" % (dll, listed),
            "$(execpath @zig//:ziglang/zig) dlltool -m i386:x86-64 -d $@.def -D %s -l $@" % dll,
        ]),
        tags = ["manual"],
        tools = ["@zig//:ziglang/zig"],
    )
    cc_import(
        name = name,
        static_library = name + ".lib",
        tags = ["manual"],
        **kwargs
    )
