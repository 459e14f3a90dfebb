"""The systems that a target is for, as its target_compatible_with."""

# Tests of the Linux forms of core/platform.
LINUX_FORMS = select({
    "//build_defs:portable": ["//build_defs:incompatible"],
    "//conditions:default": [],
})
