"""pool_py_test: a Python test that pytest runs."""

# The environment in which NumPy computes at its baseline: with libm's functions, without fused
# sums. By itself it chooses functions for the processor.
NUMPY_BASELINE = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Nehalem",
}

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
