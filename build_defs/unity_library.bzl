"""unity_library: a cc_library whose sources are compiled together."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("//build_defs:copts.bzl", "COPTS")

def unity_library(name, srcs, parts, copts = [], **kwargs):
    """A cc_library where headers cost the compiler more than the sources that include them.

    NAME_1.cc, NAME_2.cc and so on include the sources in order. So a name in an unnamed namespace
    belongs to one source only.

    Args:
        name: of the library.
        srcs: sources of this package.
        parts: into how many files.
        copts: in addition to COPTS.
        **kwargs: other attributes of cc_library.
    """
    size = (len(srcs) + parts - 1) // parts
    files = []
    for k in range(parts):
        file = "%s_%d.cc" % (name, k + 1)
        includes = [
            "'#include \"%s/%s\"'" % (native.package_name(), src)
            for src in srcs[k * size:(k + 1) * size]
        ]
        native.genrule(
            name = file + "_source",
            outs = [file],
            cmd = "printf '%%s\\n' %s > $@" % " ".join(includes),
        )
        files.append(file)
    cc_library(
        name = name,
        srcs = files,
        copts = COPTS + copts,
        textual_hdrs = srcs,
        **kwargs
    )
