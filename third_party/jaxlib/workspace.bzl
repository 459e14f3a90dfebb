"""The headers of XLA's typed FFI, from jaxlib's wheel."""

load("//third_party/pip:pip.bzl", "pip_wheel")

def jaxlib_repository():
    # The oldest release with these headers: its interface is 0.1, and XLA refuses functions that
    # were built for a newer one than its own.
    pip_wheel(
        name = "jaxlib",
        build_file = "//third_party/jaxlib:jaxlib.BUILD",
        only = ["jaxlib/include/xla/ffi/api/"],
        project = "jaxlib",
        python_version = "3.11",
        sha256 = "2751ff7037d6a997d0be0e77cc4be381c5a9f9bb8b314edb755c13a6fd969f45",
        version = "0.4.38",
    )
