"""embedded_images: pictures of the locked Gymnasium as C++ constants.

They are built into the plugin: 50 KB as squares of few colors. So the plugin stays one file that
needs no other, and a misspelled name is a compiler error. embed_images.py extracts them from the
locked Gymnasium when the plugin is built; Gymnasium's license is shipped next to the plugin.
"""

load("@rules_cc//cc:defs.bzl", "cc_library")

def embedded_images(name, images, namespace, license):
    """Makes the cc_library `name`: NAME.h with the array kImages of drawing::Image.

    Args:
      name: the name of the library and of the header.
      images: patterns of paths inside Gymnasium's package. The name of an image is that of its
        file, without folder and suffix.
      namespace: the namespace of the array.
      license: the file next to the plugin to which Gymnasium's license is copied.
    """
    native.genrule(
        name = name + "_header",
        outs = [name + ".h"],
        cmd = "$(execpath //parallel_pool/drawing:embed_images) %s %s > $@" % (
            namespace,
            " ".join(["'%s'" % image for image in images]),
        ),
        tools = ["//parallel_pool/drawing:embed_images"],
    )
    native.genrule(
        name = name + "_license",
        outs = [license],
        cmd = "$(execpath //parallel_pool/drawing:embed_images) --license > $@",
        tools = ["//parallel_pool/drawing:embed_images"],
    )
    cc_library(
        name = name,
        hdrs = [name + ".h"],
        deps = ["//parallel_pool/drawing"],
    )
