"""embedded_font: glyphs of pygame's default font as C++ constants, see embed_font.py.

The locked pygame renders them when the plugin is built, so the wheel needs neither pygame nor the
file of the font. The font's notice is shipped next to the plugin.
"""

load("@rules_cc//cc:defs.bzl", "cc_library")

def embedded_font(name, size, characters, namespace, license = None):
    """Makes the cc_library `name`: NAME.h with the constant kFont of drawing::pygame::Font.

    Args:
      name: the name of the library and of the header.
      size: the font's size in pixels.
      characters: the characters that it has.
      namespace: the namespace of the constant.
      license: the file next to the plugin to which the font's notice is written; None: no file.
    """
    native.genrule(
        name = name + "_header",
        outs = [name + ".h"],
        cmd = "$(execpath //parallel_pool/drawing/pygame:embed_font) %s %s '%s' > $@" % (
            namespace,
            size,
            characters,
        ),
        tools = ["//parallel_pool/drawing/pygame:embed_font"],
    )
    if license:
        native.genrule(
            name = name + "_license",
            outs = [license],
            cmd = "$(execpath //parallel_pool/drawing/pygame:embed_font) --license > $@",
            tools = ["//parallel_pool/drawing/pygame:embed_font"],
        )
    cc_library(
        name = name,
        hdrs = [name + ".h"],
        deps = ["//parallel_pool/drawing/pygame"],
    )
