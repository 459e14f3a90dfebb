"""Procgen: the library and the images of its wheel, and gym3, with which its Python calls it."""

load("//third_party/pip:pip.bzl", "pip_wheel")

def procgen_repositories():
    pip_wheel(
        name = "procgen",
        build_file = "//third_party/procgen:procgen.BUILD",
        project = "procgen",
        # the last Python that it has wheels for
        python_version = "3.10",
        # The family's library.h has places in this wheel's library.
        sha256 = "4b594d14e42f0f2166e59a9e294477b906eb99c90c3343b570b7124cbc865f53",
        version = "0.10.7",
    )

    # It asks for an older NumPy and works with the newest.
    pip_wheel(
        name = "gym3",
        build_file = "//third_party/procgen:gym3.BUILD",
        project = "gym3",
        python_version = "3.10",
        sha256 = "bacc0e124f8ce5e1d8a9dceb85725123332954f13ef4e226133506597548838a",
        version = "0.3.3",
    )
