"""pool_py_test: a Python test that pytest runs."""

def pool_py_test(name, srcs, deps = [], **kwargs):
    """Runs pytest on `srcs`; each test function is a test case in the test's XML."""
    native.py_test(
        name = name,
        srcs = srcs + ["//build_defs:pytest_main.py"],
        main = "//build_defs:pytest_main.py",
        args = ["$(location %s)" % src for src in srcs if src.endswith("_test.py")],
        deps = deps + ["@pip//:pytest"],
        **kwargs
    )
