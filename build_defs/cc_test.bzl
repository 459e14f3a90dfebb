"""pool_cc_test: a GoogleTest of this project's own C++ code."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load(":copts.bzl", "COPTS")

def pool_cc_test(name, deps, copts = [], source = None, **kwargs):
    """Builds `source`, by default <name>.cc, with GoogleTest's main."""
    cc_test(
        name = name,
        size = "small",
        srcs = [source or name + ".cc"],
        copts = COPTS + copts,
        deps = deps + ["@com_google_googletest//:gtest_main"] + select({
            "//build_defs:windows": ["//third_party/zig:windows"],
            "//conditions:default": [],
        }),
        **kwargs
    )
